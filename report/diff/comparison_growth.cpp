#include "report/diff/comparison_growth.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "fit/profile/profile_data.h"
#include "predict/predictor.h"
#include "report/diff/welch.h"
#include "report/scaling/scaling_verdict.h"

namespace scalediag::report {
namespace {

constexpr size_t kFewestScales = 3;

// The largest set of configurations that differ in their number of processes alone; of equal ones the first.
std::vector<const ComparedConfiguration*> longest_line(const std::vector<ComparedConfiguration>& configurations) {
  std::map<Point, std::vector<const ComparedConfiguration*>> lines;
  for (const ComparedConfiguration& c : configurations) lines[Point(c.at.begin() + 1, c.at.end())].push_back(&c);
  std::vector<const ComparedConfiguration*> longest;
  for (const auto& [others, line] : lines) {
    if (line.size() > longest.size()) longest = line;
  }
  return longest;
}

struct GrowthLine {
  std::vector<MeasuredScale> a, b;
  bool judged = false;
};

// The lines of kernels by name and module; functions of several files that share both are left out.
std::map<std::pair<std::string, std::string>, GrowthLine> kernel_lines(
    const std::vector<const ComparedConfiguration*>& configurations) {
  std::map<std::pair<std::string, std::string>, GrowthLine> lines;
  std::set<std::pair<std::string, std::string>> several;
  for (const ComparedConfiguration* c : configurations) {
    std::set<std::pair<std::string, std::string>> seen;
    const double np = process_count(c->at);
    for (const ComparedKernel& k : c->kernels) {
      const std::pair key(k.name, k.module);
      if (!seen.insert(key).second) several.insert(key);
      GrowthLine& line = lines[key];
      line.a.push_back({np, k.time.a, k.time.error_a});
      line.b.push_back({np, k.time.b, k.time.error_b});
      line.judged = line.judged || k.time.change != Change::kNotJudged;
    }
  }
  for (const auto& key : several) lines.erase(key);
  return lines;
}

// The p of both tails of the normal distribution, since the slopes' errors are partly known beforehand.
double chance_of(double standard_errors) { return std::erfc(std::max(0.0, standard_errors) / std::sqrt(2.0)); }

size_t positive(const std::vector<MeasuredScale>& scales) {
  return static_cast<size_t>(
      std::count_if(scales.begin(), scales.end(), [](const MeasuredScale& s) { return s.value > 0; }));
}

std::map<std::pair<std::string, std::string>, std::string> formulas_of(const core::Profile& profile) {
  std::map<std::pair<std::string, std::string>, std::string> formulas;
  auto data = fit::application_data(profile);
  if (!data) return formulas;
  const auto models = predict::Predictor::of(std::move(data).value(), {}, {}, {});
  if (!models) return formulas;
  for (const fit::KernelModel& k : models.value().model().kernels()) {
    const std::string module = k.data().kind == fit::KernelKind::kMpi ? "" : k.data().module;
    formulas[{k.data().name, module == profile.application ? "" : module}] = k.formula();
  }
  return formulas;
}

}  // namespace

GrowthComparison compare_growth(const std::vector<ComparedConfiguration>& configurations, double chance) {
  GrowthComparison comparison;
  const std::vector<const ComparedConfiguration*> line = longest_line(configurations);
  if (line.size() < kFewestScales) return comparison;
  comparison.judged = true;
  std::vector<double> p;
  for (const auto& [key, scales] : kernel_lines(line)) {
    if (!scales.judged || positive(scales.a) < kFewestScales || positive(scales.b) < kFewestScales) continue;
    const auto of_a = slope_of(scales.a), of_b = slope_of(scales.b);
    if (!of_a || !of_b) continue;
    GrowthChange g{.name = key.first,
                   .module = key.second,
                   .a = of_a->exponent,
                   .b = of_b->exponent,
                   .error_a = of_a->error,
                   .error_b = of_b->error,
                   .formula_a = "",
                   .formula_b = ""};
    const double error = std::hypot(g.error_a, g.error_b);
    p.push_back(chance_of((std::abs(g.b - g.a) - kSameGrowth) / error));
    // Both ends of the interval are tested: a change above kSameGrowth is as improbable as a wrong claim may be.
    g.same = chance_of((kSameGrowth - std::abs(g.b - g.a)) / error) < chance;
    comparison.kernels.push_back(std::move(g));
  }
  const std::vector<double> adjusted = holm_adjusted(p);
  for (size_t i = 0; i < p.size(); ++i) {
    comparison.kernels[i].p = adjusted[i];
    comparison.kernels[i].changed = adjusted[i] < chance;
  }
  std::stable_sort(comparison.kernels.begin(), comparison.kernels.end(),
                   [](const GrowthChange& x, const GrowthChange& y) { return x.p < y.p; });
  return comparison;
}

void add_formulas(const core::Profile& a, const core::Profile& b, std::vector<GrowthChange>& growth) {
  if (std::none_of(growth.begin(), growth.end(), [](const GrowthChange& g) { return g.changed; })) return;
  const auto of_a = formulas_of(a), of_b = formulas_of(b);
  const auto look_up = [](const auto& formulas, const core::Profile& profile, const core::Profile& other,
                          const GrowthChange& g) -> std::string {
    const bool executable = g.module == profile.application || g.module == other.application;
    const auto found = formulas.find({g.name, executable ? "" : g.module});
    return found == formulas.end() ? "" : found->second;
  };
  for (GrowthChange& g : growth) {
    if (!g.changed) continue;
    g.formula_a = look_up(of_a, a, b, g);
    g.formula_b = look_up(of_b, b, a, g);
  }
}

}  // namespace scalediag::report
