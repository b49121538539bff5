#include "loggp/simulator/observer.h"

namespace scalediag::loggp {

std::string name_of(const std::vector<std::string>& labels, const Op& op) {
  if (op.label != 0 && op.label < labels.size()) return labels[op.label];
  switch (op.kind) {
    case OpKind::kEnd: return "end";
    case OpKind::kAsk: return "a question";
    case OpKind::kMark: return "a mark";
    case OpKind::kNotYet: return "what is not known yet";
    case OpKind::kCompute: return "computation";
    case OpKind::kSend: return "MPI_Send";
    case OpKind::kRecv: return "MPI_Recv";
    case OpKind::kIsend: return "MPI_Isend";
    case OpKind::kIrecv: return "MPI_Irecv";
    case OpKind::kWait: return "MPI_Wait";
    case OpKind::kRemote: return "MPI_Put";
    case OpKind::kCollective: return std::string("MPI_") + name_of(op.collective);
  }
  return "";
}

std::string name_of_operation(const std::vector<std::string>& labels, uint16_t operation) {
  Op op;
  if (operation < kUnnamedOperation) {
    op.label = operation;
  } else {
    op.kind = static_cast<OpKind>(operation >> 8 & 0x3F);
    op.collective = static_cast<Collective>(operation & 0xFF);
  }
  return name_of(labels, op);
}

}  // namespace scalediag::loggp
