#include "loggp/simulator/rounds.h"

#include "loggp/simulator/simulator.h"

namespace scalediag::loggp {
namespace {

double TimeParts::*part_of(const Span& span) {
  switch (span.kind) {
    case SpanKind::kComputation:
      return is_device_wait(*span.op) ? &TimeParts::device_wait_s : &TimeParts::computation_s;
    case SpanKind::kTransfer: return &TimeParts::transfer_s;
    case SpanKind::kLateSender: return &TimeParts::late_sender_s;
    case SpanKind::kLateReceiver: return &TimeParts::late_receiver_s;
    case SpanKind::kLockWait: return &TimeParts::lock_wait_s;
    case SpanKind::kCollectiveWait: break;
  }
  return &TimeParts::collective_wait_s;
}

// Adds what every span is longer by where it stands for several.
class RoundsCounter : public Observer {
 public:
  explicit RoundsCounter(int ranks) : more_(static_cast<size_t>(ranks)) {}

  void on_span(const Span& span) override {
    if (span.op->stands_for <= 1) return;
    more_[span.rank].*part_of(span) += (span.end_s - span.begin_s) * (span.op->stands_for - 1.0);
  }

  void add_to(Simulation& simulation) const {
    if (more_.empty()) return;
    double sum_s = 0;
    for (size_t r = 0; r < more_.size(); ++r) {
      RankTimes& rank = simulation.ranks[r];
      for (double TimeParts::*const part :
           {&TimeParts::computation_s, &TimeParts::device_wait_s, &TimeParts::transfer_s, &TimeParts::late_sender_s,
            &TimeParts::late_receiver_s, &TimeParts::collective_wait_s, &TimeParts::lock_wait_s}) {
        const double more_s = more_[r].*part;
        rank.*part += more_s;
        rank.end_s += more_s;
        sum_s += more_s;
      }
    }
    simulation.total_s += sum_s / static_cast<double>(more_.size());
  }

 private:
  std::vector<TimeParts> more_;  // by rank
};

}  // namespace

Result<Simulation> simulate_rounds(const Program& program, const Network& network, SimulationOptions options) {
  RoundsCounter counter(program.ranks());
  options.observer = &counter;
  auto simulated = simulate(program, network, options);
  if (simulated) counter.add_to(simulated.value());
  return simulated;
}

}  // namespace scalediag::loggp
