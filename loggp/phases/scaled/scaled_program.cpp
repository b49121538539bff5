#include "loggp/phases/scaled/scaled_program.h"

#include <algorithm>
#include <map>

namespace scalediag::loggp {

core::Result<ScaledProgram> ScaledProgram::of(ScaledTraces traces,
                                              const std::vector<const ComputationVector*>& computations) {
  ScaledProgram program(std::move(traces));
  program.communicators_ = std::move(program.numbers_.members());
  program.is_given_ = !computations.empty();
  std::map<std::pair<uint32_t, const ComputationVector*>, uint32_t> numbers;
  for (size_t rank = 0; rank < program.traces_.class_numbers().size(); ++rank) {
    const uint32_t of_class = program.traces_.class_numbers()[rank];
    const ComputationVector* given = computations.empty() ? nullptr : computations[rank];
    const auto [number, is_new] =
        numbers.try_emplace({of_class, given}, static_cast<uint32_t>(program.operations_.size()));
    program.numbers_of_operations_.push_back(number->second);
    if (!is_new) continue;
    RankTrace trace = program.traces_.classes()[of_class].trace;
    if (given != nullptr) set_computations(trace, *given);
    auto made = rank_operations(trace, ExchangePeers::kPlaces, program.labels_,
                                [](uint32_t communicator, bool) { return communicator; });
    if (!made) return made.error();
    program.operations_.push_back(std::move(made.value().operations));
  }
  return program;
}

Op ScaledProgram::of_rank(Op op, int rank) const {
  if (op.kind == OpKind::kCompute && !is_device_wait(op) && !is_given_) op.seconds *= traces_.rank_factor(rank);
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kWait) return op;
  const uint32_t communicator = op.communicator;
  op.communicator = numbers_.number(communicator, rank);
  if (op.kind == OpKind::kCollective) return op;
  if (!traces_.numbers().communicators()[communicator].for_exchanges) {
    op.peer = traces_.partners().existing(op.peer, rank);
    op.tag = traces_.numbers().tag(op.tag, rank);
    op.bytes = traces_.numbers().bytes(op.bytes, rank);
    return op;
  }
  op.tag = 0;
  const std::vector<int>& members = communicators_[op.communicator];
  if (members.empty()) {
    op.peer = static_cast<int>(peer_at(op.peer, static_cast<size_t>(rank), static_cast<size_t>(ranks())));
    return op;
  }
  const auto own = static_cast<size_t>(std::lower_bound(members.begin(), members.end(), rank) - members.begin());
  op.peer = members[peer_at(op.peer, own, members.size())];
  return op;
}

std::vector<Op> ScaledProgram::distinct_operations(int rank) const {
  std::vector<Op> operations;
  for (const Op& op : operations_of(rank).distinct()) operations.push_back(of_rank(op, rank));
  return operations;
}

}  // namespace scalediag::loggp
