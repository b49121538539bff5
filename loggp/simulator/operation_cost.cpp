#include "loggp/simulator/operation_cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "loggp/network/message_cost.h"
#include "loggp/simulator/program.h"
#include "loggp/simulator/simulator.h"

namespace scalediag::loggp {
namespace {

using mpi::Group;

// The numbers of ranks above which calls are not simulated: a simulation takes a few tenths of a second at most, for
// some 260,000 and 500,000 messages.
constexpr uint32_t kMostRanksQuadratic = 512;
constexpr uint32_t kMostRanksOther = 32768;

// Whether the call carries no message of its own: it finds that other calls' messages are complete, or probes for one.
bool only_completes(const mpi::Routine& routine) {
  return routine.group == Group::kCompletion || routine.group == Group::kProbe || routine.group == Group::kRequest;
}

// The routine of that name if its cost is known; nullptr otherwise.
const mpi::Routine* known_routine(const std::string& operation) {
  const mpi::Routine* routine = mpi::find_routine(operation);
  if (routine == nullptr || only_completes(*routine)) return routine;
  const Group group = routine->group;
  const bool is_known =
      group == Group::kCollective || group == Group::kSend || group == Group::kReceive || group == Group::kSendReceive;
  return is_known ? routine : nullptr;
}

// The bytes of a Collective from those that a rank hands over.
uint64_t bytes_of(Collective collective, uint32_t ranks, uint64_t handed_over) {
  return collective == Collective::kAlltoall ? handed_over / std::max<uint32_t>(ranks, 1) : handed_over;
}

uint32_t most_ranks(Growth growth) { return growth == Growth::kQuadratic ? kMostRanksQuadratic : kMostRanksOther; }

// Whether every rank has a block of its own for each other one or for the root, so that messages that gather blocks
// grow with the ranks.
bool has_blocks(Collective collective) {
  return collective == Collective::kAlltoall || collective == Collective::kAllgather ||
         collective == Collective::kGather || collective == Collective::kScatter;
}

// A number that the time of the bytes is proportional to, where a collective with blocks sends them through trees: all
// blocks pass a rank once, in an Alltoall half of them in each of log2 P steps.
double passing_blocks(Collective collective, uint32_t ranks) {
  const double others = ranks - 1.0;
  return collective == Collective::kAlltoall ? others * std::log2(ranks) : others;
}

bool on_one_node(const Placement& placement, uint32_t ranks) {
  for (uint32_t r = 1; r < ranks; ++r) {
    if (placement.node_of(static_cast<int>(r)) != placement.node_of(0)) return false;
  }
  return true;
}

}  // namespace

OperationCosts::OperationCosts(Network network, AlgorithmChoice choice)
    : network_(std::make_shared<const Network>(std::move(network))),
      choice_(std::move(choice)),
      memory_(std::make_shared<Memory>()) {}

Result<OperationCosts> OperationCosts::of(Network network) {
  // A call is calculated as one of many, for which the connections exist already.
  network.same_node.connect_s = network.other_node.connect_s = 0;
  auto choice = TRY(AlgorithmChoice::of(network));
  return OperationCosts(std::move(network), std::move(choice));
}

bool OperationCosts::knows(const std::string& operation) { return known_routine(operation) != nullptr; }

// V- and w-collectives are calculated as those with blocks of the mean size.
std::optional<double> OperationCosts::call_s(const std::string& operation, uint32_t ranks, uint64_t bytes) const {
  const mpi::Routine* routine = known_routine(operation);
  if (routine == nullptr) return std::nullopt;
  if (routine->group != Group::kCollective) return message_s(*routine, ranks, bytes);
  return collective_s(routine->collective, ranks, bytes_of(routine->collective, ranks, bytes));
}

double OperationCosts::message_s(const mpi::Routine& routine, uint32_t ranks, uint64_t bytes) const {
  if (only_completes(routine)) return 0;
  CostModel costs(*network_);
  const auto link = on_one_node(network_->placement, ranks) ? CostModel::kSameNode : CostModel::kOtherNode;
  const MessageCost& cost = costs.message(link, bytes);
  // The bytes of a rendezvous are sent while the rank receives as many.
  const bool both_ways = cost.rendezvous && (routine.group == Group::kSendReceive || routine.is_nonblocking());
  double sum = 0;
  if (routine.group != Group::kReceive) {
    if (cost.rendezvous) sum += 2 * (cost.control_send_s + cost.control_latency_s + cost.control_receive_s);
    if (both_ways) {
      sum += cost.send_overhead_s;
    } else {
      sum += cost.rendezvous ? std::max(cost.send_overhead_s + cost.stream_s, cost.send_cpu_s) : cost.send_cpu_s;
    }
  }
  if (routine.group != Group::kSend) {
    const bool shared = both_ways && link == CostModel::kOtherNode;
    const double stream_s =
        shared ? network_->other_node.exchange * (cost.stream_s + cost.gap_s) - cost.gap_s : cost.stream_s;
    sum += cost.latency_s + stream_s + cost.receive_cpu_s;
  }
  return sum;
}

std::optional<double> OperationCosts::collective_s(Collective collective, uint32_t ranks, uint64_t bytes) const {
  if (ranks < 2) return 0;
  const Algorithm algorithm = choice_.choose(collective, ranks, bytes);
  const Growth growth = growth_of(collective, algorithm);
  const uint32_t most = most_ranks(growth);
  if (ranks <= most) return simulated_s(collective, algorithm, ranks, bytes);
  const bool linear = growth != Growth::kLogarithmic;
  const bool by_blocks = !linear && has_blocks(collective);
  const auto half = simulated_s(collective, algorithm, most / 2, by_blocks ? 0 : bytes);
  const auto whole = simulated_s(collective, algorithm, most, by_blocks ? 0 : bytes);
  const auto with_bytes = simulated_s(collective, algorithm, most, bytes);
  if (!half || !whole || !with_bytes) return std::nullopt;
  const double beyond = linear ? (static_cast<double>(ranks) - most) / (static_cast<double>(most) / 2)
                               : std::log2(static_cast<double>(ranks) / most);
  const double continued = std::max(*whole, *whole + (*whole - *half) * beyond);
  if (!by_blocks) return continued;
  return continued + (*with_bytes - *whole) * passing_blocks(collective, ranks) / passing_blocks(collective, most);
}

std::optional<double> OperationCosts::simulated_s(Collective collective, Algorithm algorithm, uint32_t ranks,
                                                  uint64_t bytes) const {
  const std::lock_guard<std::mutex> guard(memory_->lock);
  auto& cost = memory_->costs;
  const auto key = std::make_tuple(collective, algorithm, ranks, bytes);
  if (const auto found = cost.find(key); found != cost.end()) return found->second;
  Network network = *network_;
  std::erase_if(network.algorithms, [&](const auto& o) { return collective_named(o.first) == collective; });
  network.algorithms.emplace_back(name_of(collective), name_of(algorithm));
  ListProgram program(static_cast<int>(ranks));
  for (uint32_t r = 0; r < ranks; ++r) program.of(static_cast<int>(r)).push_back(loggp::collective(collective, bytes));
  std::optional<double> seconds;
  if (const auto simulated = simulate(program, network)) {
    const std::vector<RankTimes>& of_ranks = simulated.value().ranks;
    double sum = 0;
    for (const RankTimes& rank : of_ranks) sum += rank.end_s;
    seconds = sum / ranks;
    if (has_root(collective)) seconds = std::max(*seconds, of_ranks[0].end_s);
  }
  cost.emplace(key, seconds);
  return seconds;
}

std::string OperationCosts::explain(const std::string& operation, uint32_t ranks, uint64_t bytes) const {
  const mpi::Routine* routine = known_routine(operation);
  if (routine == nullptr) return "";
  if (only_completes(*routine)) return "counted where the messages are posted";
  switch (routine->group) {
    case Group::kSend:
      return routine->is_nonblocking() ? "o_s + O b; above S_sync with handshake"
                                       : "o_s + O b; above S_sync with handshake and G b";
    case Group::kReceive:
      return routine->is_nonblocking() ? "L + G b + o_r + O b; above S_sync with exchange" : "L + G b + o_r + O b";
    case Group::kSendReceive: return "an Isend and an Irecv";
    default: break;
  }
  if (ranks < 2) return "";
  const Collective collective = routine->collective;
  const uint64_t size = bytes_of(collective, ranks, bytes);
  const uint32_t most = most_ranks(growth_of(collective, choice_.choose(collective, ranks, size)));
  const std::string how = choice_.explain(collective, ranks, size);
  return ranks > most ? how + "; continued from " + std::to_string(most) + " ranks" : how;
}

}  // namespace scalediag::loggp
