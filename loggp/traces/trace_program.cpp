#include "loggp/traces/trace_program.h"

#include <algorithm>
#include <utility>

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// Groups beside those of requests, which are below trace::kMostRequests.
constexpr uint32_t kOwnGroup = 0xFFFFFF00;       // of operations that are waited for in the same event
constexpr uint32_t kDetachedGroup = 0xFFFFFF01;  // no kWait names it
static_assert(kDetachedGroup < kLargestGroup && trace::kMostRequests < kOwnGroup);

// Builds the operations of one rank.
class Builder {
 public:
  Builder(const RankTrace& trace, ExchangePeers peers, LabelNumbers& labels,
          const std::function<uint32_t(uint32_t, bool)>& communicator)
      : trace_(trace), peers_(peers), labels_(labels), communicator_(communicator) {}

  Result<TraceOperations> build();

 private:
  void body(const std::vector<TraceStep>& steps);
  void event(const TraceStep& step);
  void add(const Op& op) {
    made_.operations.add(op);
    ++n_before_;
  }
  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = "rank " + std::to_string(trace_.rank) + what;
  }

  const RankTrace& trace_;
  const ExchangePeers peers_;
  LabelNumbers& labels_;
  const std::function<uint32_t(uint32_t, bool)>& communicator_;
  TraceOperations made_;
  std::vector<Op> event_;  // operations of the present event
  uint64_t n_before_ = 0;  // the number of operations before, repetitions counted, for the place of a failure
  std::string failure_;
};

void Builder::event(const TraceStep& step) {
  const TraceEvent& e = trace_.events[step.event];
  const TraceTimes& before = step.before;
  if (before.total > 0) {
    Op op = compute(before.mean_s());
    op.stands_for = e.stands_for;
    if (e.kind == EventKind::kDeviceWait) {
      op.peer = kOnDevice;
      op.label = labels_.number(trace_.routines[e.routine]);
    }
    if (before.n > 1 && !step.computations_s.empty()) {
      made_.operations.add_computations(step.computations_s, op);
      ++n_before_;
    } else {
      add(op);
    }
  }
  if (before.n > 1 && step.computations_s.empty()) {
    made_.varying_s +=
        static_cast<double>(before.n) * std::min(static_cast<double>(before.deviation) * 1e-9, before.mean_s());
  }
  if (e.kind == EventKind::kNotReplayed) {
    return fail(", event " + std::to_string(n_before_) + " (" + trace_.routines[e.routine] + "): " + text_of(e.reason) +
                " cannot be simulated");
  }
  event_.clear();
  append_operations(trace_, e, peers_, labels_.number(trace_.routines[e.routine]),
                    communicator_(e.communicator, e.kind == EventKind::kExchange), event_);
  for (const Op& op : event_) add(op);
}

void Builder::body(const std::vector<TraceStep>& steps) {
  for (const TraceStep& step : steps) {
    if (step.count == 0) {
      event(step);
      continue;
    }
    const uint64_t before = n_before_;
    made_.operations.begin_loop(step.count);
    body(step.body);
    made_.operations.end_loop();
    n_before_ = before + step.count * (n_before_ - before);
  }
}

Result<TraceOperations> Builder::build() {
  if (!trace_.incomplete.empty()) {
    return Error{ErrorCode::kInput, trace_.incomplete, "record the program again, until it ends by itself"};
  }
  body(trace_.steps);
  if (trace_.tail_ns > 0) add(compute(static_cast<double>(trace_.tail_ns) * 1e-9));
  if (made_.operations.too_many()) fail(" has more operations than can be counted");
  if (!failure_.empty()) return Error{ErrorCode::kInput, failure_};
  return std::move(made_);
}

}  // namespace

void append_operations(const RankTrace& trace, const TraceEvent& e, ExchangePeers peers, uint16_t label,
                       uint32_t communicator, std::vector<Op>& to) {
  Op op;
  op.label = label;
  op.communicator = communicator;
  op.peer = e.peer;
  op.tag = e.tag;
  op.bytes = e.bytes;
  op.group = e.request;
  op.stands_for = e.stands_for;
  switch (e.kind) {
    case EventKind::kSend: op.kind = OpKind::kSend; break;
    case EventKind::kRecv: op.kind = OpKind::kRecv; break;
    case EventKind::kIsend: op.kind = OpKind::kIsend; break;
    case EventKind::kIrecv: op.kind = OpKind::kIrecv; break;
    case EventKind::kRemote: op.kind = OpKind::kRemote; break;
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
      if (e.source >= 0) to.push_back(receive);
      op.kind = OpKind::kIsend;
      if (e.peer >= 0) to.push_back(op);
      op.kind = OpKind::kWait;
      break;
    }
    case EventKind::kWait:
      op.kind = OpKind::kWait;
      op.group = kAllGroups;
      for (size_t i = 0; i < e.requests.size(); ++i) {
        op.group = e.requests[i];
        if (i + 1 < e.requests.size()) to.push_back(op);
      }
      break;
    case EventKind::kCollective:
      op.kind = OpKind::kCollective;
      op.tag = 0;
      op.collective = e.collective;
      op.peer = has_root(op.collective) ? e.root : 0;
      if (is_gpu_communication(trace.routines[e.routine])) op.tag = kAsGpusChoose;
      break;
    case EventKind::kCommunicatorMade:
      op.kind = OpKind::kCollective;
      op.collective = Collective::kAllreduce;
      op.tag = 0;
      // Open MPI agrees by nonblocking collectives, which go along trees: other pairs than those of its Allreduce make
      // connections.
      if (e.agreements > 1) set_own_algorithm(op, Algorithm::kReduceBcast);
      op.peer = 0;
      op.bytes = 8;
      for (uint32_t i = 1; i < e.agreements; ++i) to.push_back(op);
      break;
    case EventKind::kExchange: op.group = kOwnGroup; return append_exchange(trace, e, peers, op, to);
    case EventKind::kCollectiveBegins:
    case EventKind::kDeviceBegins:
    case EventKind::kDeviceWait:
    case EventKind::kNotReplayed: return;
  }
  to.push_back(op);
}

uint16_t LabelNumbers::number(const std::string& label) {
  constexpr size_t kMostLabels = 0xFFFF;
  if (labels_.size() >= kMostLabels) return 0;
  const auto [at, is_new] = numbers_.try_emplace(label, static_cast<uint16_t>(labels_.size()));
  if (is_new) labels_.push_back(label);
  return at->second;
}

uint32_t RunCommunicators::number(const TraceCommunicator& communicator, bool for_exchanges,
                                  std::vector<std::vector<int>>& members) {
  const auto [at, is_new] = numbers_.try_emplace({communicator.members, communicator.ordinal, for_exchanges},
                                                 static_cast<uint32_t>(members.size()));
  if (is_new) members.push_back(communicator.members);
  return at->second;
}

Result<TraceOperations> rank_operations(const RankTrace& trace, ExchangePeers peers, LabelNumbers& labels,
                                        const std::function<uint32_t(uint32_t, bool)>& communicator) {
  return Builder(trace, peers, labels, communicator).build();
}

std::string TraceProgram::deadlock_hint(bool a_send_waits) const {
  if (!a_send_waits) return Program::deadlock_hint(a_send_waits);
  return "the program ended when it was recorded: it relies on sends that do not wait for their receives, and the "
         "network's S_sync may be too small (where a receiver only has to be inside MPI, `scalediag network` finds a "
         "smaller one): raise S_sync in network.json";
}

Result<TraceProgram> TraceProgram::of(const std::vector<RankTrace>& traces) {
  TraceProgram program;
  RunCommunicators communicators;
  for (const RankTrace& trace : traces) {
    auto made =
        rank_operations(trace, ExchangePeers::kRanks, program.labels_, [&](uint32_t number, bool for_exchanges) {
          return communicators.number(trace.communicators[number], for_exchanges, program.communicators_);
        });
    if (!made) return made.error();
    program.varying_s_ = std::max(program.varying_s_, made.value().varying_s);
    program.recorded_s_ = std::max(program.recorded_s_, static_cast<double>(trace.elapsed_ns) * 1e-9);
    program.ranks_.push_back(std::move(made.value().operations));
  }
  return program;
}

TraceProgram TraceProgram::side_by_side(int copies, double bytes) const {
  TraceProgram all = *this;
  all.copies_ = copies;
  all.bytes_ = bytes;
  all.recorded_s_ = 0;
  const size_t n = ranks_.size();
  const auto moved = [&](std::vector<int> members, int copy) {
    for (int& member : members) member += copy * static_cast<int>(n);
    return members;
  };
  for (int copy = 0; copy < copies; ++copy) {
    std::vector<uint32_t>& numbers = all.communicators_of_copies_.emplace_back();
    for (size_t c = 0; c < communicators_.size(); ++c) {
      const std::vector<int>& members = communicators_[c];
      const bool is_of_all = members.empty() || members.size() == n;
      numbers.push_back(static_cast<uint32_t>(copy == 0 || is_of_all ? c : all.communicators_.size()));
      if (copy == 0 || members.empty()) continue;
      const std::vector<int> others = moved(members, copy);
      if (is_of_all) {
        all.communicators_[c].insert(all.communicators_[c].end(), others.begin(), others.end());
      } else {
        all.communicators_.push_back(others);
      }
    }
  }
  return all;
}

Op TraceProgram::of_copy(Op op, size_t copy) const {
  if (op.kind == OpKind::kCompute || op.kind == OpKind::kWait) return op;
  op.communicator = communicators_of_copies_[copy][op.communicator];
  if (op.kind == OpKind::kCollective) return op;
  op.peer += static_cast<int>(copy * ranks_.size());
  if (op.bytes > 0) op.bytes = std::max<uint64_t>(1, static_cast<uint64_t>(bytes_ * static_cast<double>(op.bytes)));
  return op;
}

uint64_t operations_of(const RankTrace& trace, const TraceEvent& event, const TraceTimes& before) {
  std::vector<Op> operations;
  append_operations(trace, event, ExchangePeers::kRanks, 0, 0, operations);
  return operations.size() + (before.total > 0 ? 1 : 0);
}

}  // namespace scalediag::loggp
