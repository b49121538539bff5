#include "loggp/simulator/live_simulation.h"

#include <algorithm>
#include <utility>

#include "loggp/simulator/engine.h"
#include "loggp/simulator/simulator.h"

namespace scalediag::loggp {

bool Simulator::ask(uint32_t r, const Op& op) {
  SimulatedRank& me = ranks_[r];
  if (!answer_ || me.answered) {
    me.answered = false;
    leave_reading_call(r);
    return true;
  }
  if (op.group == static_cast<uint32_t>(Question::kTime)) {
    SimulatedAnswer answer;
    answer.clock_s = me.clock_s;
    answer_(r, answer);
    return true;
  }
  enter_reading_call(r);
  me.asks = true;
  asking_.push_back(r);
  return false;
}

// Of the messages that rank r asks for, the one that arrives first; messages of a rank match in the order in which it
// sends them.
Simulator::Candidate Simulator::first_message(uint32_t r) {
  uint64_t position = ranks_[r].position;
  const Op op = program_.next(static_cast<int>(r), position);
  const TransferPool& pool = transport_.pool();
  candidates_.clear();
  ranks_[r].messages.each(pool, [&](uint32_t i) {
    const Transfer& t = pool[i];
    const uint32_t sender = t.kind == Transfer::Kind::kSend ? t.owner : t.peer;
    if (t.communicator != op.communicator || (op.peer >= 0 && sender != static_cast<uint32_t>(op.peer))) return;
    // Messages of neighbourhood collectives are not the application's.
    const bool is_any = op.group == static_cast<uint32_t>(Question::kMatchAnyTag) && t.tag >= 0;
    if (t.tag != op.tag && !is_any) return;
    candidates_.push_back({t.known_s, sender, t.tag, t.unmatched.event});
  });
  std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
    return a.sender != b.sender ? a.sender < b.sender : a.event < b.event;
  });
  Candidate first;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const bool is_next = i == 0 || candidates_[i - 1].sender != candidates_[i].sender;
    if (is_next && candidates_[i].arrives_s < first.arrives_s) first = candidates_[i];
  }
  return first;
}

Simulator::Asked Simulator::first_asked() {
  Asked first;
  for (size_t i = 0; i < asking_.size(); ++i) {
    const Candidate message = first_message(asking_[i]);
    const double at_s = std::max(message.arrives_s, ranks_[asking_[i]].clock_s);
    if (at_s < first.at_s) first = {at_s, i, message};
  }
  return first;
}

// False: an earlier message may still come.
bool Simulator::answer(const Asked& first, const std::vector<bool>& is_idle) {
  if (first.at_s == kNever) return false;
  // The time before which nothing is sent that is not known yet.
  double all_s = transport_.none_passes() ? kNever : transport_.next_s();
  double busy_s = all_s;
  for (uint32_t r = 0; r < ranks_.size(); ++r) {
    if (!ranks_[r].starved) continue;
    all_s = std::min(all_s, ranks_[r].clock_s);
    if (r >= is_idle.size() || !is_idle[r]) busy_s = std::min(busy_s, ranks_[r].clock_s);
  }
  if (busy_s + shortest_latency_s_ < first.message.arrives_s) return false;
  ++n_matches_;
  if (all_s + shortest_latency_s_ < first.message.arrives_s) ++n_early_matches_;
  const uint32_t r = asking_[first.place];
  asking_.erase(asking_.begin() + static_cast<std::ptrdiff_t>(first.place));
  ranks_[r].asks = false;
  ranks_[r].answered = true;
  answer_(r, {ranks_[r].clock_s, true, first.message.sender, first.message.tag});
  advance(r);
  run_ready();
  return true;
}

double Simulator::starved_until_s() const {
  double until_s = kNever;
  for (const SimulatedRank& rank : ranks_) {
    if (rank.starved) until_s = std::min(until_s, rank.clock_s);
  }
  return until_s;
}

Status Simulator::go_on(const std::vector<uint32_t>& with_more, const std::vector<bool>& is_idle) {
  communicators_.extend();
  for (const uint32_t r : with_more) {
    if (!ranks_[r].starved || failure_) continue;
    ranks_[r].starved = false;
    advance(r);
    run_ready();
  }
  // What happens first comes first: a step of a message, or a rank goes on with the message that it has asked for.
  while (!failure_) {
    const Asked first = first_asked();
    if (!transport_.none_passes() && transport_.next_s() <= std::min(starved_until_s(), first.at_s)) {
      pass_next();
    } else if (!answer(first, is_idle)) {
      break;
    }
  }
  // Nothing happens any more where no rank's next operation is unknown.
  const auto waits = [](const SimulatedRank& rank) { return !rank.done; };
  if (!failure_ && starved_until_s() == kNever && transport_.none_passes() && std::ranges::any_of(ranks_, waits)) {
    failure_ = deadlock();
  }
  if (failure_) return *failure_;
  return Done{};
}

namespace {

double shortest_latency_s(const Network& network) {
  double shortest_s = kNever;
  for (const LinkClass* link : {&network.same_node, &network.other_node}) {
    for (const Segment& segment : link->segments) shortest_s = std::min(shortest_s, link->latency_of(segment));
  }
  return shortest_s < kNever ? shortest_s : 0;
}

}  // namespace

struct LiveSimulation::Parts {
  SimulationOptions options;
  Simulator simulator;

  Parts(const Program& program, const Network& network, AlgorithmChoice choice, const SimulationOptions& how)
      : options(how), simulator(program, network, std::move(choice), options) {}
};

LiveSimulation::LiveSimulation(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
LiveSimulation::LiveSimulation(LiveSimulation&&) noexcept = default;
LiveSimulation& LiveSimulation::operator=(LiveSimulation&&) noexcept = default;
LiveSimulation::~LiveSimulation() = default;

Result<LiveSimulation> LiveSimulation::begin(const Program& program, const Network& network,
                                             const SimulationOptions& options, Answer answer) {
  TRY(check_simulation(network, program.ranks(), options));
  auto choice = TRY(AlgorithmChoice::of(network));
  auto parts = std::make_unique<Parts>(program, network, std::move(choice), options);
  parts->simulator.answer_with(std::move(answer), shortest_latency_s(network));
  parts->simulator.begin();
  return LiveSimulation(std::move(parts));
}

Status LiveSimulation::go_on(const std::vector<uint32_t>& with_more, const std::vector<bool>& is_idle) {
  return parts_->simulator.go_on(with_more, is_idle);
}
bool LiveSimulation::is_asked() const { return parts_->simulator.is_asked(); }
uint64_t LiveSimulation::n_matches() const { return parts_->simulator.n_matches(); }
uint64_t LiveSimulation::n_early_matches() const { return parts_->simulator.n_early_matches(); }
uint64_t LiveSimulation::position(uint32_t rank) const { return parts_->simulator.position(rank); }
std::string LiveSimulation::describe(uint32_t rank) const { return parts_->simulator.describe(rank); }
Result<Simulation> LiveSimulation::end() { return parts_->simulator.end(); }

}  // namespace scalediag::loggp
