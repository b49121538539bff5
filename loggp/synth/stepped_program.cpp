#include "loggp/synth/stepped_program.h"

#include <algorithm>
#include <optional>

#include "loggp/simulator/communicators.h"
#include "loggp/simulator/transport.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::loggp {
namespace {

// The events of one rank by number, without going through all that are before them.
class EventsByNumber {
 public:
  explicit EventsByNumber(const std::vector<TraceStep>& steps) { fill(steps); }

  // Calls visit(step, occurrence) for the events of [begin, end).
  template <class Visit> void each(uint64_t begin, uint64_t end, const Visit& visit) const {
    each(begin, end, 0, visit);
  }

 private:
  struct Node {
    const TraceStep* step = nullptr;
    uint64_t begin = 0;  // in the list that it belongs to
    uint64_t events = 1;
    std::vector<EventsByNumber> body;  // of a loop: one
  };

  void fill(const std::vector<TraceStep>& steps) {
    for (const TraceStep& step : steps) {
      Node node;
      node.step = &step;
      node.begin = events_;
      if (step.count > 0) {
        node.body.emplace_back(step.body);
        node.events = step.count * node.body.front().events_;
      }
      events_ += node.events;
      nodes_.push_back(std::move(node));
    }
  }

  template <class Visit> void each(uint64_t begin, uint64_t end, uint64_t round, const Visit& visit) const {
    auto at = std::upper_bound(nodes_.begin(), nodes_.end(), begin,
                               [](uint64_t n, const Node& node) { return n < node.begin + node.events; });
    for (; at != nodes_.end() && at->begin < end; ++at) {
      if (at->step->count == 0) {
        visit(*at->step, round);
        continue;
      }
      const EventsByNumber& body = at->body.front();
      if (body.events_ == 0) continue;
      const uint64_t from = std::max(begin, at->begin) - at->begin;
      const uint64_t to = std::min(end - at->begin, at->events);
      for (uint64_t i = from / body.events_; i * body.events_ < to; ++i) {
        const uint64_t first = i * body.events_;
        body.each(from > first ? from - first : 0, std::min(to - first, body.events_), round * at->step->count + i,
                  visit);
      }
    }
  }

  std::vector<Node> nodes_;
  uint64_t events_ = 0;
};

class StepBuilder {
 public:
  StepBuilder(const std::vector<RankTrace>& run, const AlgorithmChoice& algorithms, const Network& network, int warm_up)
      : run_(run), algorithms_(algorithms), network_(network), warm_up_(static_cast<uint64_t>(std::max(1, warm_up))) {
    made_.program = ListProgram(static_cast<int>(run.size()));
    for (const RankTrace& trace : run) {
      events_.emplace_back(trace.steps);
      std::vector<uint32_t> numbers;
      for (const TraceCommunicator& c : trace.communicators) {
        numbers.push_back(communicators_.number(c, false, members_));
      }
      numbers_.push_back(std::move(numbers));
    }
    index_.emplace(members_, static_cast<int>(run.size()));
  }

  core::Result<SteppedProgram> build(const std::vector<ProgramPart>& parts) {
    std::vector<uint64_t> begin(run_.size());
    add(parts, begin, 1, true);
    add_tails();
    if (failure_) return *failure_;
    return std::move(made_);
  }

 private:
  std::vector<uint32_t> positions() const {
    std::vector<uint32_t> positions;
    for (size_t r = 0; r < run_.size(); ++r) {
      positions.push_back(static_cast<uint32_t>(made_.program.of(static_cast<int>(r)).size()));
    }
    return positions;
  }

  // What is computed after the last event belongs to the last part, or is one.
  void add_tails() {
    const std::vector<uint32_t> before = positions();
    for (size_t r = 0; r < run_.size(); ++r) {
      if (run_[r].tail_ns > 0) add_op(r, compute(static_cast<double>(run_[r].tail_ns) * 1e-9));
    }
    if (positions() == before) return;
    if (made_.windows.empty() || made_.windows.back().weight != 1) {
      made_.windows.push_back({"computation after the last event", 1, before, before, {}});
    }
    made_.windows.back().end = positions();
  }

  // `begin`: the first event of the parts, by rank; moves it behind them.
  void add(const std::vector<ProgramPart>& parts, std::vector<uint64_t>& begin, double weight, bool is_measured) {
    for (const ProgramPart& part : parts) {
      if (failure_) return;
      PhaseWindow window{
          part.routines_text(), weight * static_cast<double>(part.is_whole ? 1 : part.rounds), positions(), {}, {}};
      window.measured = window.begin;
      const uint64_t rounds = part.is_whole ? part.rounds : std::min(part.rounds, warm_up_ + 1);
      for (uint64_t i = 0; i < rounds && !failure_; ++i) {
        const bool is_last = i + 1 == rounds;
        if (is_last && !part.is_whole) window.measured = positions();
        std::vector<uint64_t> first = begin;
        for (size_t r = 0; r < first.size(); ++r) first[r] += i * part.events[r];
        if (part.is_divided) {
          add(part.body, first, window.weight, is_measured && is_last);
        } else {
          add_events(first, part.events);
        }
      }
      window.end = positions();
      if (is_measured && !part.is_divided && window.end != window.begin) made_.windows.push_back(std::move(window));
      for (size_t r = 0; r < begin.size(); ++r) begin[r] += part.rounds * part.events[r];
    }
  }

  void add_events(const std::vector<uint64_t>& first, const std::vector<uint64_t>& n) {
    for (size_t r = 0; r < run_.size() && !failure_; ++r) {
      events_[r].each(first[r], first[r] + n[r],
                      [&](const TraceStep& step, uint64_t round) { add_event(r, step, round); });
    }
  }

  void add_event(size_t r, const TraceStep& step, uint64_t round) {
    const RankTrace& trace = run_[r];
    const TraceEvent& e = trace.events[step.event];
    if (const bool is_recorded = round < step.computations_s.size(); is_recorded || step.before.total > 0) {
      Op op = compute(is_recorded ? static_cast<double>(step.computations_s[round]) : step.before.mean_s());
      if (e.kind == trace::EventKind::kDeviceWait) op.peer = kOnDevice;
      add_op(r, op);
    }
    if (e.kind == trace::EventKind::kRemote) {
      return fail("rank " + std::to_string(r) + " (" + trace.routines[e.routine] +
                  "): one-sided communication cannot be executed without the program");
    }
    if (e.kind == trace::EventKind::kNotReplayed) {
      return fail("rank " + std::to_string(r) + " (" + trace.routines[e.routine] + "): " + text_of(e.reason) +
                  " cannot be executed without the program");
    }
    ops_.clear();
    uint32_t communicator = numbers_[r][e.communicator];
    // Messages of an exchange must not match the application's.
    if (e.kind == trace::EventKind::kExchange) communicator |= kCollectiveContext;
    append_operations(trace, e, ExchangePeers::kRanks, 0, communicator, ops_);
    for (const Op& op : ops_) {
      if (op.kind == OpKind::kCollective) {
        add_steps(r, op);
      } else {
        add_op(r, op);
      }
    }
  }

  void add_steps(size_t r, const Op& op) {
    const uint32_t size = index_->size(op.communicator);
    const uint32_t rank = index_->rank_in(op.communicator, static_cast<uint32_t>(r));
    if (rank == CommunicatorIndex::kNotIn || (has_root(op.collective) && static_cast<uint32_t>(op.peer) >= size)) {
      return fail("rank " + std::to_string(r) +
                  ": a collective of a communicator that the rank, or its root, is not in");
    }
    const uint32_t root = has_root(op.collective) ? static_cast<uint32_t>(op.peer) : 0;
    const Algorithm algorithm = own_algorithm(op, size).value_or(algorithms_.choose(op.collective, size, op.bytes));
    const CollectiveCall call{op.collective, algorithm, size, root, op.bytes};
    uint32_t state = 0;
    Step step;
    while (next_step(call, rank, state, step)) {
      Op made;
      made.group = kCollectiveGroup + step.lane;
      made.tag = static_cast<int32_t>(op.collective);
      made.communicator = op.communicator | kCollectiveContext;
      made.bytes = step.bytes;
      switch (step.kind) {
        case Step::Kind::kCopy:
          if (network_.copy_s_per_byte == 0) continue;
          made = compute(network_.copy_s_per_byte * static_cast<double>(step.bytes));
          break;
        case Step::Kind::kReduce:
          made = compute(network_.reduction_s_per_byte * static_cast<double>(step.bytes));
          break;
        case Step::Kind::kWait: made.kind = OpKind::kWait; break;
        case Step::Kind::kSend:
        case Step::Kind::kReceive:
          made.kind = step.kind == Step::Kind::kSend ? OpKind::kIsend : OpKind::kIrecv;
          made.peer = static_cast<int32_t>(index_->world_rank(op.communicator, step.peer));
          break;
      }
      add_op(r, made);
    }
  }

  // Blocking messages become nonblocking ones and waiting for them.
  void add_op(size_t r, Op op) {
    std::vector<Op>& ops = made_.program.of(static_cast<int>(r));
    const bool blocks = op.kind == OpKind::kSend || op.kind == OpKind::kRecv;
    if (blocks) {
      op.kind = op.kind == OpKind::kSend ? OpKind::kIsend : OpKind::kIrecv;
      op.group = kBlockingGroup;
    }
    ops.push_back(op);
    if (blocks) ops.push_back(wait_for(kBlockingGroup));
    if ((n_ops_ += blocks ? 2 : 1) > kMostSteppedOps) {
      fail("a round of each phase has more than " + std::to_string(kMostSteppedOps) + " operations of all ranks");
    }
  }

  void fail(const std::string& what) {
    if (!failure_) failure_ = core::Error{core::ErrorCode::kInput, what, "", ""};
  }

  const std::vector<RankTrace>& run_;
  const AlgorithmChoice& algorithms_;
  const Network& network_;
  const uint64_t warm_up_;
  SteppedProgram made_;
  std::vector<EventsByNumber> events_;
  RunCommunicators communicators_;
  std::vector<std::vector<int>> members_ = {{}};  // of communicators, by number
  std::vector<std::vector<uint32_t>> numbers_;    // by rank and number in its trace
  std::optional<CommunicatorIndex> index_;
  std::vector<Op> ops_;
  uint64_t n_ops_ = 0;
  std::optional<core::Error> failure_;
};

}  // namespace

core::Result<SteppedProgram> stepped_program(const std::vector<RankTrace>& run, const std::vector<ProgramPart>& parts,
                                             const AlgorithmChoice& algorithms, const Network& network, int warm_up) {
  for (const RankTrace& trace : run) {
    if (trace.incomplete.empty()) continue;
    return core::Error{core::ErrorCode::kInput, trace.incomplete, "record the program again, until it ends by itself",
                       ""};
  }
  return StepBuilder(run, algorithms, network, warm_up).build(parts);
}

}  // namespace scalediag::loggp
