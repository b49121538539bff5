#include "report/findings/known/known_target.h"

#include <algorithm>
#include <array>

#include "core/text/quantities.h"
#include "fit/application/interval_sum.h"

namespace scalediag::report {
namespace {

Estimate with_error(double value, const SimulatedCommunication& simulated, double level) {
  return fit::widened({value, value, value, level}, simulated.relative_error);
}

void sum_up(fit::Prediction& p) {
  const double level = p.run_s.level;
  p.run_s = fit::sum_of(
      std::array{p.computation_s, p.openmp_waiting_s, p.communication_s, p.waiting_s, p.unattributed_s}, level);
  p.total_s = fit::sum_of(std::array{p.run_s, p.others_s}, level);
}

void multiply(Estimate& e, double factor) {
  e.value *= factor;
  e.low *= factor;
  e.high *= factor;
}

void multiply(KernelFinding& f, double factor, const std::string& why) {
  multiply(f.estimate, factor);
  if (f.slowest) multiply(*f.slowest, factor);
  f.formula_weight = 0;
  f.formula_note = "the value is " + core::fixed(factor, 3) + " times what is predicted, " + why;
}

}  // namespace

void put_points(const PointComputation& points, fit::Prediction& p) {
  p.computation_s = point_estimate(points, p.computation_s);
  multiply(p.slowest_computation_s, points.factor());
  multiply(p.waiting_s, points.factor());
  sum_up(p);
}

void put_replayed(const ReplayedComputation& replayed, fit::Prediction& p) {
  p.computation_s = replayed_estimate(replayed.mean_s, p.run_s.level);
  multiply(p.slowest_computation_s, replayed.factor());
  multiply(p.waiting_s, replayed.factor());
  p.slowest_computation_s.high = std::max(p.slowest_computation_s.high, replayed.most_s);
  p.waiting_s.high = std::max(p.waiting_s.high, replayed.most_s - replayed.mean_s);
  sum_up(p);
}

void put_simulated(const SimulatedCommunication& simulated, fit::Prediction& p) {
  p.communication_s = with_error(simulated.communication_s, simulated, p.run_s.level);
  p.waiting_s = with_error(simulated.waiting_s, simulated, p.run_s.level);
  sum_up(p);
}

void put_replayed(const ReplayedComputation& replayed, KernelFinding& f) {
  multiply(f, replayed.factor(), "as replayed");
}

void put_points(const PointComputation& points, KernelFinding& f) {
  multiply(f, points.factor(), "as measurable points have it");
}

void put_simulated(const SimulatedCommunication& simulated, KernelFinding& f) {
  const auto found = simulated.operation_s.find(f.name);
  f.estimate = with_error(found == simulated.operation_s.end() ? 0 : found->second, simulated, f.estimate.level);
  f.slowest.reset();
  f.slowest_rank.clear();
  f.formula.clear();
  f.formula_weight = 0;
  f.formula_note = "the value is simulated, and contains waiting for other ranks";
  f.cost.clear();
  f.scales.reset();
  f.exponent.reset();
  f.stops_at.reset();
  f.cause = Cause::kNone;
  f.evidence.clear();
  f.work_exponent.reset();
}

std::vector<std::string> known_texts(const TargetFindings& target) {
  std::vector<std::string> texts;
  const auto add = [&](const auto& known) {
    if (known) texts.push_back(text_of(target.at) + ": " + text_of(*known));
  };
  add(target.replayed);
  add(target.points);
  add(target.simulated);
  return texts;
}

}  // namespace scalediag::report
