#include "loggp/collectives/algorithm_choice.h"

#include <bit>

#include "core/text/join.h"
#include "loggp/collectives/algorithm_tables.h"

namespace scalediag::loggp {
namespace {

using C = Collective;
using A = Algorithm;

// The libraries' choices that tables cannot hold: where an algorithm does not fit the call, another one is taken.
// Elements are assumed to have 8 bytes.
constexpr uint64_t kElementBytes = 8;

struct Exception {
  Algorithm algorithm;
  const char* why;
};

Exception mend_openmpi(Collective collective, uint32_t ranks, uint64_t bytes, Algorithm chosen) {
  const uint64_t elements = bytes / kElementBytes;
  if (collective == C::kAllreduce && (chosen == A::kRing || chosen == A::kSegmentedRing) && elements < ranks) {
    return {A::kRecursiveDoubling, "fewer elements than ranks"};
  }
  if (collective == C::kAllreduce && chosen == A::kRabenseifner && elements < std::bit_floor(ranks)) {
    return {A::kLinear, "fewer elements than ranks"};
  }
  if (collective == C::kReduce && chosen == A::kRabenseifner && elements < std::bit_floor(ranks)) {
    return {A::kLinear, "fewer elements than ranks"};
  }
  if (collective == C::kBcast && chosen == A::kScatterAllgather && bytes < ranks) {
    return {A::kLinear, "fewer bytes than ranks"};
  }
  if (collective == C::kAllgather && chosen == A::kRecursiveDoubling && !std::has_single_bit(ranks)) {
    return {A::kBruck, "not a power of two"};
  }
  if (collective == C::kAllgather && chosen == A::kNeighborExchange && ranks % 2 != 0) {
    return {A::kRing, "an odd number of ranks"};
  }
  if ((collective == C::kAllgather || collective == C::kAlltoall) && ranks == 2) {
    return {collective == C::kAllgather ? A::kRing : A::kPairwise, "two processes exchange"};
  }
  return {chosen, ""};
}

Exception mend_mpich(Collective collective, uint32_t ranks, uint64_t bytes, Algorithm chosen) {
  const bool power = std::has_single_bit(ranks);
  if (collective == C::kBcast && chosen == A::kScatterAllgather && !power) {
    return {A::kScatterRing, "not a power of two"};
  }
  if (collective == C::kAllreduce && bytes / kElementBytes < ranks) {
    return {A::kRecursiveDoubling, "fewer elements than ranks"};
  }
  if (collective == C::kAllgather && !power) {
    const bool small = bytes * ranks < 81920;
    return {small ? A::kBruck : A::kRing, "not a power of two"};
  }
  return {chosen, ""};
}

const AlgorithmRow* find_row(const AlgorithmTable& table, Collective collective, uint32_t ranks, uint64_t bytes) {
  if (collective == C::kAllgather && table.allgather_by_total) bytes *= ranks;
  uint32_t from_ranks = 0;
  for (const AlgorithmRow& row : table.rows) {
    if (row.collective == collective && row.from_ranks <= ranks) from_ranks = row.from_ranks;
  }
  const AlgorithmRow* found = nullptr;
  for (const AlgorithmRow& row : table.rows) {
    if (row.collective == collective && row.from_ranks == from_ranks && row.from_bytes <= bytes) found = &row;
  }
  return found;
}

Exception mend(const AlgorithmTable& table, Collective collective, uint32_t ranks, uint64_t bytes, Algorithm chosen) {
  return std::string(table.library) == "mpich" ? mend_mpich(collective, ranks, bytes, chosen)
                                               : mend_openmpi(collective, ranks, bytes, chosen);
}

Error unusable(const std::string& what, const std::string& hint) { return {ErrorCode::kInput, what, hint, "network"}; }

}  // namespace

Result<AlgorithmChoice> AlgorithmChoice::of(const Network& network) {
  AlgorithmChoice choice;
  const auto tables = algorithm_tables();
  choice.table_ = -1;
  for (size_t i = 0; i < tables.size(); ++i) {
    if (choice.table_ < 0 && tables[i].library == network.library) choice.table_ = static_cast<int>(i);
  }
  if (choice.table_ < 0) {
    return unusable("library: there is no table of algorithms for '" + network.library + "'",
                    "known are " + core::join(tables, ", ", [](const auto& table) { return table.library; }));
  }
  choice.table_name_ = tables[static_cast<size_t>(choice.table_)].title;
  for (const auto& [collective_name, algorithm_name] : network.algorithms) {
    const auto collective = collective_named(collective_name);
    if (!collective) {
      return unusable("algorithms: there is no collective '" + collective_name + "'",
                      "known are " + core::join(mpi::kCollectiveNames));
    }
    const auto algorithm = algorithm_named(algorithm_name);
    if (!algorithm || !has_algorithm(*collective, *algorithm)) {
      return unusable(
          "algorithms." + collective_name + ": there is no algorithm '" + algorithm_name + "'",
          "known for it are " + core::join(algorithms_of(*collective), ", ", [](Algorithm a) { return name_of(a); }));
    }
    choice.overrides_.emplace_back(*collective, *algorithm);
  }
  return choice;
}

Algorithm AlgorithmChoice::choose(Collective collective, uint32_t ranks, uint64_t bytes) const {
  for (const auto& [overridden, algorithm] : overrides_) {
    if (overridden == collective) return algorithm;
  }
  const AlgorithmTable& table = algorithm_tables()[static_cast<size_t>(table_)];
  return mend(table, collective, ranks, bytes, find_row(table, collective, ranks, bytes)->algorithm).algorithm;
}

std::string algorithm_line(Collective collective, uint32_t ranks, uint64_t bytes, Algorithm algorithm) {
  return std::string(name_of(collective)) + ", " + std::to_string(ranks) + " ranks, " + std::to_string(bytes) +
         " B: " + name_of(algorithm);
}

std::string AlgorithmChoice::explain(Collective collective, uint32_t ranks, uint64_t bytes) const {
  std::string text = algorithm_line(collective, ranks, bytes, choose(collective, ranks, bytes));
  for (const auto& [overridden, algorithm] : overrides_) {
    if (overridden == collective) return text + " (stated in the network's algorithms)";
  }
  const AlgorithmTable& table = algorithm_tables()[static_cast<size_t>(table_)];
  const AlgorithmRow* row = find_row(table, collective, ranks, bytes);
  const Exception mended = mend(table, collective, ranks, bytes, row->algorithm);
  text += " (" + table_name_ + ", from " + std::to_string(row->from_ranks) + " ranks";
  if (row->from_bytes > 0) text += " and " + std::to_string(row->from_bytes) + " B";
  if (mended.algorithm != row->algorithm) text += ", " + std::string(name_of(row->algorithm)) + " but " + mended.why;
  return text + ")";
}

}  // namespace scalediag::loggp
