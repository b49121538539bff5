#include "loggp/phases/scaled_program.h"

#include <algorithm>

namespace scalediag::loggp {

core::Result<ScaledProgram> ScaledProgram::of(ScaledTraces traces) {
  ScaledProgram program(std::move(traces));
  program.communicators_ = std::move(program.numbers_.members());
  for (const ScaledTraces::RankClass& one : program.traces_.classes()) {
    auto made = rank_operations(one.trace, program.labels_, [](uint32_t communicator, bool) { return communicator; });
    if (!made) return made.error();
    program.classes_.push_back(std::move(made.value().operations));
  }
  return program;
}

Op ScaledProgram::of_rank(Op op, int rank) const {
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kWait) return op;
  const uint32_t communicator = op.communicator;
  op.communicator = numbers_.number(communicator, rank);
  if (op.kind == OpKind::kCollective) return op;
  if (!traces_.communicators()[communicator].for_exchanges) {
    op.peer = traces_.peer(op.peer, rank);
    op.tag = traces_.tag(op.tag, rank);
    return op;
  }
  const uint32_t of_class = traces_.class_numbers()[static_cast<size_t>(rank)];
  const int step = (op.peer + ranks() - traces_.classes()[of_class].made_for) % ranks();
  op.tag = 0;
  const std::vector<int>& members = communicators_[op.communicator];
  if (members.empty()) {
    op.peer = (rank + step) % ranks();
    return op;
  }
  const auto own = std::lower_bound(members.begin(), members.end(), rank) - members.begin();
  op.peer = members[(static_cast<size_t>(own) + static_cast<size_t>(step)) % members.size()];
  return op;
}

std::vector<Op> ScaledProgram::distinct_operations(int rank) const {
  std::vector<Op> operations;
  for (const Op& op : classes_[traces_.class_numbers()[static_cast<size_t>(rank)]].distinct()) {
    operations.push_back(of_rank(op, rank));
  }
  return operations;
}

}  // namespace scalediag::loggp
