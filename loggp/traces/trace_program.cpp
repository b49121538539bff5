#include "loggp/traces/trace_program.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// Groups beside those of requests, which are below trace::kMostRequests.
constexpr uint32_t kOwnGroup = 0xFFFFFF00;       // of operations that are waited for in the same event
constexpr uint32_t kDetachedGroup = 0xFFFFFF01;  // no kWait names it
static_assert(kDetachedGroup < kLargestGroup && trace::kMostRequests < kOwnGroup);

constexpr uint64_t kMostOperations = uint64_t{1} << 62;

// Numbers by members, ordinal, and whether it is for the messages of collectives, which must not match the
// application's.
using CommunicatorNumbers = std::map<std::tuple<std::vector<int>, uint64_t, bool>, uint32_t>;

}  // namespace

// Builds the program of one rank. Communicators and labels are shared by all.
class TraceProgram::Builder {
 public:
  Builder(TraceProgram& program, std::map<std::string, uint16_t>& labels, CommunicatorNumbers& communicators)
      : program_(program), labels_(labels), communicators_(communicators) {}

  core::Status add(const RankTrace& trace);

 private:
  uint32_t body(const std::vector<TraceStep>& steps, bool is_whole);
  void operations(const TraceStep& step);
  void exchange(const TraceEvent& event, Op op);
  uint32_t communicator(uint32_t number, bool for_exchanges);
  uint16_t label(uint32_t routine);

  TraceProgram& program_;
  std::map<std::string, uint16_t>& labels_;
  CommunicatorNumbers& communicators_;
  const RankTrace* trace_ = nullptr;
  Rank rank_;
  uint64_t n_before_ = 0;  // the number of operations before, for the place of a failure
  double varying_s_ = 0;
  std::string failure_;
};

uint32_t TraceProgram::Builder::communicator(uint32_t number, bool for_exchanges) {
  const TraceCommunicator& c = trace_->communicators[number];
  const auto [at, is_new] = communicators_.try_emplace({c.members, c.ordinal, for_exchanges},
                                                       static_cast<uint32_t>(program_.communicators_.size()));
  if (is_new) program_.communicators_.push_back(c.members);
  return at->second;
}

uint16_t TraceProgram::Builder::label(uint32_t routine) {
  constexpr size_t kMostLabels = 0xFFFF;
  if (program_.labels_.size() >= kMostLabels) return 0;
  const auto [at, is_new] =
      labels_.try_emplace(trace_->routines[routine], static_cast<uint16_t>(program_.labels_.size()));
  if (is_new) program_.labels_.push_back(at->first);
  return at->second;
}

// In the order of the ranks from this one upwards, then from 0 on, so that not all ranks begin with the same peer.
void TraceProgram::Builder::exchange(const TraceEvent& event, Op op) {
  const auto distance = [this](int peer) {
    return (static_cast<uint32_t>(peer) + trace_->size - trace_->rank) % trace_->size;
  };
  const auto put = [&](OpKind kind, std::vector<std::pair<int, uint64_t>> parts) {
    std::stable_sort(parts.begin(), parts.end(),
                     [&](const auto& a, const auto& b) { return distance(a.first) < distance(b.first); });
    for (const auto& [peer, bytes] : parts) {
      op.kind = kind;
      op.peer = peer;
      op.bytes = bytes;
      rank_.ops.push_back(op);
    }
  };
  put(OpKind::kIrecv, event.received);
  put(OpKind::kIsend, event.sent);
  if (event.sent.empty() && event.received.empty()) return;
  op.kind = OpKind::kWait;
  rank_.ops.push_back(op);
}

void TraceProgram::Builder::operations(const TraceStep& step) {
  const TraceEvent& e = trace_->events[step.event];
  const TraceTimes& before = step.before;
  if (before.total > 0) rank_.ops.push_back(compute(before.mean_s()));
  if (before.n > 1) {
    varying_s_ +=
        static_cast<double>(before.n) * std::min(static_cast<double>(before.deviation) * 1e-9, before.mean_s());
  }
  Op op;
  op.label = label(e.routine);
  op.communicator = communicator(e.communicator, e.kind == EventKind::kExchange);
  op.peer = e.peer;
  op.tag = e.tag;
  op.bytes = e.bytes;
  op.group = e.request;
  switch (e.kind) {
    case EventKind::kSend:
      op.kind = OpKind::kSend;
      break;
    case EventKind::kRecv:
      op.kind = OpKind::kRecv;
      break;
    case EventKind::kIsend:
      op.kind = OpKind::kIsend;
      break;
    case EventKind::kIrecv:
      op.kind = OpKind::kIrecv;
      break;
    case EventKind::kBufferedSend:
      op.kind = OpKind::kIsend;
      op.group = kDetachedGroup;
      break;
    case EventKind::kSendrecv: {
      op.group = kOwnGroup;
      Op receive = op;
      receive.kind = OpKind::kIrecv;
      receive.peer = e.source;
      receive.tag = e.source_tag;
      receive.bytes = e.source_bytes;
      if (e.source >= 0) rank_.ops.push_back(receive);
      op.kind = OpKind::kIsend;
      if (e.peer >= 0) rank_.ops.push_back(op);
      op.kind = OpKind::kWait;
      break;
    }
    case EventKind::kWait:
      op.kind = OpKind::kWait;
      op.group = kAllGroups;
      for (size_t i = 0; i < e.requests.size(); ++i) {
        op.group = e.requests[i];
        if (i + 1 < e.requests.size()) rank_.ops.push_back(op);
      }
      break;
    case EventKind::kCollective:
      op.kind = OpKind::kCollective;
      op.collective = e.collective;
      op.peer = has_root(op.collective) ? e.root : 0;
      break;
    case EventKind::kCommunicatorMade:
      op.kind = OpKind::kCollective;
      op.collective = Collective::kAllreduce;
      op.peer = 0;
      op.bytes = 8;
      for (uint32_t i = 1; i < e.agreements; ++i) rank_.ops.push_back(op);
      break;
    case EventKind::kExchange:
      op.group = kOwnGroup;
      return exchange(e, op);
    case EventKind::kCollectiveBegins:
      return;
    case EventKind::kNotReplayed:
      if (failure_.empty()) {
        const uint64_t number = n_before_ + (step.before.total > 0 ? 1 : 0);
        failure_ = "rank " + std::to_string(trace_->rank) + ", event " + std::to_string(number) + " (" +
                   trace_->routines[e.routine] + "): " + text_of(e.reason) + " cannot be simulated";
      }
      return;
  }
  rank_.ops.push_back(op);
}

// The number of the body. Events that follow one another become one entry.
uint32_t TraceProgram::Builder::body(const std::vector<TraceStep>& steps, bool is_whole) {
  Body result;
  const auto add = [&](Entry entry, uint64_t length) {
    entry.begin = result.length;
    result.entries.push_back(entry);
    result.length += length;
  };
  for (size_t i = 0; i < steps.size();) {
    if (steps[i].count == 0) {
      Entry row;
      row.first_op = static_cast<uint32_t>(rank_.ops.size());
      for (; i < steps.size() && steps[i].count == 0; ++i) {
        const size_t before = rank_.ops.size();
        operations(steps[i]);
        n_before_ += rank_.ops.size() - before;
      }
      const uint64_t length = rank_.ops.size() - row.first_op;
      if (length > 0) add(row, length);
      continue;
    }
    Entry loop;
    loop.count = steps[i].count;
    const uint64_t n_before = n_before_;
    loop.body = body(steps[i].body, false);
    const uint64_t length = rank_.bodies[loop.body].length;
    if (length > kMostOperations / loop.count || result.length > kMostOperations) {
      failure_ = "rank " + std::to_string(trace_->rank) + " has more than 2^62 operations";
      break;
    }
    n_before_ = n_before + loop.count * length;
    if (length > 0) add(loop, loop.count * length);
    ++i;
  }
  if (is_whole && trace_->tail_ns > 0) {
    Entry tail;
    tail.first_op = static_cast<uint32_t>(rank_.ops.size());
    rank_.ops.push_back(compute(static_cast<double>(trace_->tail_ns) * 1e-9));
    add(tail, 1);
  }
  rank_.bodies.push_back(std::move(result));
  return static_cast<uint32_t>(rank_.bodies.size() - 1);
}

core::Status TraceProgram::Builder::add(const RankTrace& trace) {
  trace_ = &trace;
  rank_ = {};
  n_before_ = 0;
  varying_s_ = 0;
  if (!trace.incomplete.empty()) {
    return core::Error{core::ErrorCode::kInput, trace.incomplete, "record the program again, until it ends by itself",
                       ""};
  }
  body(trace.steps, true);
  if (!failure_.empty()) return core::Error{core::ErrorCode::kInput, failure_, "", ""};
  program_.varying_s_ = std::max(program_.varying_s_, varying_s_);
  program_.recorded_s_ = std::max(program_.recorded_s_, static_cast<double>(trace.elapsed_ns) * 1e-9);
  program_.ranks_.push_back(std::move(rank_));
  return core::Done{};
}

core::Result<TraceProgram> TraceProgram::of(const std::vector<RankTrace>& traces) {
  TraceProgram program;
  std::map<std::string, uint16_t> labels;
  CommunicatorNumbers communicators;
  communicators[{{}, 0, false}] = 0;
  Builder builder(program, labels, communicators);
  for (const RankTrace& trace : traces) {
    if (auto added = builder.add(trace); !added) return added.error();
  }
  return program;
}

Op TraceProgram::next(int number, uint64_t& position) const {
  const Rank& rank = ranks_[static_cast<size_t>(number)];
  if (position < rank.row_begin || position >= rank.row_end) {
    const Body* body = &rank.bodies.back();
    if (position >= body->length) return Op{};
    uint64_t within = position;
    for (;;) {
      const auto after = std::upper_bound(body->entries.begin(), body->entries.end(), within,
                                          [](uint64_t at, const Entry& entry) { return at < entry.begin; });
      const Entry& entry = *std::prev(after);
      const uint64_t end = after == body->entries.end() ? body->length : after->begin;
      if (entry.count == 0) {
        rank.row_begin = position - (within - entry.begin);
        rank.row_end = rank.row_begin + (end - entry.begin);
        rank.row_first_op = entry.first_op;
        break;
      }
      body = &rank.bodies[entry.body];
      within = (within - entry.begin) % body->length;
    }
  }
  return rank.ops[rank.row_first_op + (position++ - rank.row_begin)];
}

uint64_t operations_of(const TraceEvent& e, const TraceTimes& before) {
  const uint64_t computation = before.total > 0 ? 1 : 0;
  switch (e.kind) {
    case EventKind::kSendrecv:
      return computation + (e.source >= 0 ? 1 : 0) + (e.peer >= 0 ? 1 : 0) + 1;
    case EventKind::kWait:
      return computation + std::max<uint64_t>(1, e.requests.size());
    case EventKind::kExchange: {
      const uint64_t parts = e.sent.size() + e.received.size();
      return computation + (parts > 0 ? parts + 1 : 0);
    }
    case EventKind::kCommunicatorMade:
      return computation + e.agreements;
    case EventKind::kCollectiveBegins:
    case EventKind::kNotReplayed:
      return computation;
    default:
      return computation + 1;
  }
}

}  // namespace scalediag::loggp
