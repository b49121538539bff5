#include "loggp/simulator/engine.h"

namespace scalediag::loggp {

bool Simulator::join(uint32_t r, const Op& op, const CollectiveCall& call) {
  Gathering& gathering = gatherings_[{op.communicator, op.collective}];
  ranks_[r].joint = Joint::kCome;
  if (gathering.n_come++ == 0) gathering.call = call;
  if (gathering.call.algorithm != call.algorithm || gathering.call.bytes != call.bytes) {
    leave_joint();
    return false;
  }
  if (gathering.n_come < call.ranks) return false;
  gathering.n_come = 0;
  auto& all = doubling_.ranks();
  all.resize(call.ranks);
  for (uint32_t i = 0; i < call.ranks; ++i) {
    const SimulatedRank& rank = ranks_[communicators_.world_rank(op.communicator, i)];
    const TimeParts& times = rank.times;
    all[i] = {rank.clock_s, times.computation_s, times.transfer_s, times.collective_wait_s, rank.in, rank.out};
  }
  transport_.count_messages(doubling_.run(call, op.communicator, communicators_, transport_.costs()));
  for (uint32_t i = call.ranks; i-- > 0;) {
    const uint32_t other = communicators_.world_rank(op.communicator, i);
    SimulatedRank& rank = ranks_[other];
    rank.clock_s = all[i].clock_s;
    rank.times.computation_s = all[i].computation_s;
    rank.times.transfer_s = all[i].transfer_s;
    rank.times.collective_wait_s = all[i].wait_s;
    rank.in = all[i].in;
    rank.out = all[i].out;
    rank.joint = other == r ? Joint::kNone : Joint::kOver;
    if (other != r) ready_.add(other, [this](uint32_t next) { prefetch(next); });
  }
  return true;
}

bool Simulator::leave_joint() {
  bool any = false;
  if (gatherings_.empty()) return any;
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].joint != Joint::kCome) continue;
    any = true;
    ranks_[r].joint = Joint::kByItself;
    ready_.add(r, [this](uint32_t next) { prefetch(next); });
  }
  gatherings_.clear();
  return any;
}

// Follows the path backwards from the rank that ends last, the lowest of those that end together.
void Simulator::trace_path(Simulation& result) const {
  if (ranks_.empty()) return;
  uint32_t rank = 0;
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].clock_s > ranks_[rank].clock_s) rank = r;
  }
  PathTrace::Path path = path_.path(rank, ranks_[rank].clock_s, ranks_[rank].path);
  result.path = std::move(path.stretches);
  result.path_messages = std::move(path.messages);
}

// The first of the rank's transfers in the group that is not known to end; empty: all are.
std::string Simulator::unfinished(const SimulatedRank& rank, uint32_t group) const {
  const TransferPool& pool = transport_.pool();
  for (const uint32_t i : rank.outstanding) {
    const Transfer& t = pool[i];
    if (t.known || !in_group(group, t.group)) continue;
    const bool inside = (t.communicator & kCollectiveContext) != 0;
    const std::string with = inside ? " inside the collective" : ", tag " + std::to_string(t.tag);
    const uint32_t communicator = t.communicator & ~kCollectiveContext;
    if (t.kind == Transfer::Kind::kAccess) return "the lock of a window's memory at rank " + std::to_string(t.peer);
    return (t.kind == Transfer::Kind::kReceive
                ? "a message from rank " + std::to_string(t.peer) + with
                : "rank " + std::to_string(t.peer) + " to receive " + std::to_string(t.bytes) + " B" + with) +
           (communicator != 0 ? ", communicator " + std::to_string(communicator) : "");
  }
  return "";
}

std::string Simulator::describe(uint32_t r) const {
  const SimulatedRank& rank = ranks_[r];
  if (rank.done) return "rank " + std::to_string(r) + " has ended";
  if (rank.starved) {
    const std::string open = unfinished(rank, kAllGroups);
    return "rank " + std::to_string(r) + ", after event " + std::to_string(rank.event) + ", computes or polls" +
           (open.empty() ? "" : ", and nothing has come of " + open);
  }
  uint64_t position = rank.position;
  const Op op = program_.next(static_cast<int>(r), position);
  std::string text = "rank " + std::to_string(r) + ", event " + std::to_string(rank.event) + " (" +
                     name_of(program_.labels(), op) + "), waits for ";
  if (rank.asks) return text + "a message from any rank";
  const std::string open = unfinished(rank, rank.waiting_group);
  return text + (open.empty() ? "nothing" : open);
}

Error Simulator::deadlock() const {
  constexpr size_t kShown = 4;
  std::string text;
  size_t n_stuck = 0;
  bool a_send_waits = false;
  const TransferPool& pool = transport_.pool();
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r].done) continue;
    for (const uint32_t i : ranks_[r].outstanding) {
      const Transfer& t = pool[i];
      const bool of_user = (t.communicator & kCollectiveContext) == 0;
      if (!t.known && of_user && t.kind == Transfer::Kind::kSend && in_group(ranks_[r].waiting_group, t.group)) {
        a_send_waits = true;
      }
    }
    if (n_stuck++ >= kShown) continue;
    text += (text.empty() ? "" : "; ") + describe(r);
    for (const uint32_t i : ranks_[r].outstanding) {
      if (pool[i].known || !in_group(ranks_[r].waiting_group, pool[i].group)) continue;
      if (ranks_[pool[i].peer].done) text += ", and " + describe(pool[i].peer);
      break;
    }
  }
  return {ErrorCode::kInput,
          "deadlock: " + std::to_string(n_stuck) + " of " + std::to_string(ranks_.size()) +
              " ranks cannot go on: " + text + (n_stuck > kShown ? "; ..." : ""),
          program_.deadlock_hint(a_send_waits)};
}

std::optional<Error> Simulator::find_trouble() const {
  for (const SimulatedRank& rank : ranks_) {
    if (!rank.done) return deadlock();
  }
  const TransferPool& pool = transport_.pool();
  uint32_t left = kNoTransfer;
  const auto note = [&left](uint32_t i) { left = left == kNoTransfer ? i : left; };
  for (const SimulatedRank& rank : ranks_) {
    rank.messages.each(pool, note);
    rank.receives.each(pool, note);
    if (left != kNoTransfer) break;
  }
  if (left == kNoTransfer) return std::nullopt;
  const Transfer& t = pool[left];
  const bool received = t.kind == Transfer::Kind::kReceive;
  const bool sender_owns = t.kind == Transfer::Kind::kSend;
  const uint32_t by = received || sender_owns ? t.owner : t.peer;
  const uint32_t other = by == t.owner ? t.peer : t.owner;
  return Error{ErrorCode::kInput,
               "rank " + std::to_string(by) + ", event " + std::to_string(t.unmatched.event) + ": " +
                   (received ? "receives from rank " : "sends " + std::to_string(t.bytes) + " B to rank ") +
                   std::to_string(other) + ", tag " + std::to_string(t.tag) + ", which never " +
                   (received ? "sends" : "receives") + " it",
               "check that the input is complete"};
}

}  // namespace scalediag::loggp
