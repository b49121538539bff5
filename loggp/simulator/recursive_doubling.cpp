#include "loggp/simulator/recursive_doubling.h"

#include <algorithm>
#include <bit>

#include "loggp/simulator/transport.h"

namespace scalediag::loggp {

struct RecursiveDoubling::Round {
  size_t mask;  // the partner of rank i is i ^ mask
  uint64_t bytes;
  double reduction_s;
  uint32_t communicator;
  const CommunicatorIndex& communicators;
  CostModel& costs;

  int world_rank(size_t rank) const {
    return static_cast<int>(communicators.world_rank(communicator, static_cast<uint32_t>(rank)));
  }
};

bool RecursiveDoubling::does(const CollectiveCall& call, CostModel& costs) {
  if (call.algorithm != Algorithm::kRecursiveDoubling || !std::has_single_bit(call.ranks)) return false;
  if (call.collective != Collective::kAllreduce && call.collective != Collective::kBarrier) return false;
  return !costs.message(CostModel::kSameNode, call.bytes).rendezvous &&
         !costs.message(CostModel::kOtherNode, call.bytes).rendezvous;
}

uint64_t RecursiveDoubling::run(const CollectiveCall& call, uint32_t communicator,
                                const CommunicatorIndex& communicators, CostModel& costs) {
  constexpr size_t kBlock = 4096;  // ranks that fit into a core's cache with their messages
  const size_t n = ranks_.size();
  sent_.resize(n);
  const bool reduces = call.collective == Collective::kAllreduce;
  const auto round = [&](size_t mask) {
    return Round{
        mask, reduces ? call.bytes : 0, reduces ? costs.reduction_s(call.bytes) : -1, communicator, communicators,
        costs};
  };
  const size_t block = std::min(n, kBlock);
  for (size_t begin = 0; begin < n; begin += block) {
    for (size_t mask = 1; mask < block; mask *= 2) {
      send(round(mask), begin, begin + block);
      receive(round(mask), begin, begin + block);
    }
  }
  for (size_t mask = block; mask < n; mask *= 2) {
    send(round(mask), 0, n);
    receive(round(mask), 0, n);
  }
  return n * static_cast<uint64_t>(std::countr_zero(n));
}

void RecursiveDoubling::send(const Round& round, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    DoublingRank& me = ranks_[i];
    const int from = round.world_rank(i), to = round.world_rank(i ^ round.mask);
    const MessageCost& cost = round.costs.message(round.costs.link(from, to), round.bytes);
    sent_[i] = {me.clock_s,
                Transport::first_byte_s(me.out, cost, me.clock_s, me.clock_s, round.costs.hops_latency_s(from, to))};
    const double cpu_free_s = me.clock_s + cost.send_cpu_s;
    me.transfer_s += cpu_free_s - me.clock_s;
    me.clock_s = cpu_free_s;
  }
}

void RecursiveDoubling::receive(const Round& round, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    DoublingRank& me = ranks_[i];
    const Sent& message = sent_[i ^ round.mask];
    const int from = round.world_rank(i ^ round.mask), to = round.world_rank(i);
    const MessageCost& cost = round.costs.message(round.costs.link(from, to), round.bytes);
    const double over_s = Transport::last_byte_s(me.in, cost, message.first_byte_s);
    const Waited waited = wait_until(over_s, cost.receive_cpu_s, message.posted_s, me.clock_s);
    me.wait_s += waited.late_s;
    me.transfer_s += waited.end_s - me.clock_s - waited.late_s;
    me.clock_s = waited.end_s;
    if (round.reduction_s < 0) continue;
    const double reduced_s = me.clock_s + round.reduction_s;
    me.computation_s += reduced_s - me.clock_s;
    me.clock_s = reduced_s;
  }
}

}  // namespace scalediag::loggp
