#include "loggp/simulator/rounds.h"

#include "loggp/simulator/simulator.h"

namespace scalediag::loggp {
namespace {

// Adds what every span is longer by where it stands for several.
class RoundsCounter : public Observer {
 public:
  explicit RoundsCounter(int ranks) : more_(static_cast<size_t>(ranks)) {}

  void on_span(const Span& span) override {
    if (span.op->stands_for <= 1) return;
    const bool is_device = span.kind == SpanKind::kComputation && is_device_wait(*span.op);
    more_[span.rank].*(is_device ? &TimeParts::device_wait_s : part_of(span.kind)) +=
        (span.end_s - span.begin_s) * (span.op->stands_for - 1.0);
  }

  void add_to(Simulation& simulation) const {
    if (more_.empty()) return;
    double sum_s = 0;
    for (size_t r = 0; r < more_.size(); ++r) {
      RankTimes& rank = simulation.ranks[r];
      for (const auto part : kTimeParts) {
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
