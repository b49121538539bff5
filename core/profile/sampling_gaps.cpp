#include "core/profile/sampling_gaps.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "core/profile/kernel_id.h"
#include "core/profile/metric_names.h"
#include "core/profile/repeats/ended_runs.h"

namespace scalediag::core {
namespace {

constexpr double kShareThatMatters = 0.01;

struct Sampled {
  std::vector<double> samples;  // by configuration, over repeats
  std::vector<double> share;    // by configuration, of the run's time
};

double time_of(const Kernel& kernel) {
  const auto time = kernel.metrics.find(metric::kTime);
  return time == kernel.metrics.end() ? 0 : time->second.mean;
}

}  // namespace

bool has_enough_samples(const std::vector<double>& samples, const std::vector<std::vector<double>>& points) {
  const auto enough = [](double n) { return n >= kFewestSamples; };
  if (std::ranges::all_of(samples, enough)) return true;
  const size_t n = points.size(), n_parameters = points.front().size();
  if (n_parameters == 1) return n > 2 && enough(samples[n - 1]) && enough(samples[n - 2]);
  for (size_t p = 0; p < n_parameters; ++p) {
    std::set<double> measured, followed;
    for (size_t i = 0; i < n; ++i) {
      measured.insert(points[i][p]);
      if (enough(samples[i])) followed.insert(points[i][p]);
    }
    if (followed.size() < std::min<size_t>(measured.size(), 2)) return false;
    if (p == 0 && *followed.rbegin() != *measured.rbegin()) return false;
  }
  return true;
}

std::vector<SamplingGap> sampling_gaps(std::span<const Run> runs) {
  std::map<std::pair<int, std::map<std::string, double>>, std::vector<const Run*>> configurations;
  for (const Run& run : runs) configurations[{run.np, run.parameters}].push_back(&run);
  const size_t n = configurations.size();
  std::vector<SamplingGap> gaps;
  std::vector<std::vector<double>> points;
  std::vector<double> n_repeats;
  std::map<KernelId, Sampled> functions;
  for (auto& [at, repeats] : configurations) {
    leave_out_whole_runs(repeats);
    const size_t i = gaps.size();
    SamplingGap& gap = gaps.emplace_back();
    std::tie(gap.np, gap.parameters) = at;
    points.push_back({static_cast<double>(at.first)});
    for (const auto& parameter : at.second) points.back().push_back(parameter.second);
    n_repeats.push_back(static_cast<double>(repeats.size()));
    for (const Run* run : repeats) {
      const double run_s = run->times.total_s.mean - run->times.others_s.mean;
      for (const Kernel& kernel : run->kernels) {
        if (kernel.kind != KernelKind::kFunction || kernel.samples == 0 || !(run_s > 0)) continue;
        Sampled& sampled = functions[id_of(kernel)];
        sampled.samples.resize(n);
        sampled.share.resize(n);
        sampled.samples[i] += static_cast<double>(kernel.samples);
        sampled.share[i] += time_of(kernel) / run_s / n_repeats[i];
      }
    }
  }
  std::vector<std::vector<std::pair<double, std::string>>> undecided(n);
  for (const auto& [id, sampled] : functions) {
    if (has_enough_samples(sampled.samples, points)) continue;
    if (std::ranges::max(sampled.share) < kShareThatMatters) continue;
    for (size_t i = 0; i < n; ++i) {
      if (sampled.share[i] >= kShareThatMatters) {
        gaps[i].share += sampled.share[i];
        undecided[i].emplace_back(-sampled.share[i], id.name);
      }
      const bool is_needed = points.front().size() > 1 || n <= 2 || i + 2 >= n;
      if (!is_needed || sampled.samples[i] == 0 || sampled.samples[i] >= kFewestSamples) continue;
      const double each = sampled.samples[i] / n_repeats[i];
      const int more = static_cast<int>(std::ceil((kFewestSamples - sampled.samples[i]) / each));
      gaps[i].fewest_repeats = gaps[i].fewest_repeats == 0 ? more : std::min(gaps[i].fewest_repeats, more);
      gaps[i].repeats = std::max(gaps[i].repeats, more);
    }
  }
  for (size_t i = 0; i < n; ++i) {
    std::ranges::sort(undecided[i]);
    for (auto& function : undecided[i]) gaps[i].functions.push_back(std::move(function.second));
  }
  return gaps;
}

}  // namespace scalediag::core
