#include "report/diff/profile_comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/profile/run_summary.h"
#include "core/statistics.h"
#include "core/text/numbers.h"
#include "report/diff/comparison_growth.h"
#include "report/diff/comparison_kernels.h"
#include "report/diff/comparison_sides.h"
#include "report/diff/welch.h"

namespace scalediag::report {
namespace {

using core::Result;
using core::Run;

// A time cannot fall by more than all of it, whatever the distribution behind the intervals says.
constexpr double kAllOfIt = -1;

struct Pair {
  std::vector<const Run*> a, b;
};

std::vector<Pair> common_configurations(const core::Profile& a, const core::Profile& b) {
  std::vector<Pair> pairs;
  auto of_b = core::group_by_configuration(b, true);
  for (auto& runs : core::group_by_configuration(a, true)) {
    for (auto& other : of_b) {
      if (other.front()->np != runs.front()->np || other.front()->parameters != runs.front()->parameters) continue;
      pairs.push_back({std::move(runs), std::move(other)});
      break;
    }
    std::erase_if(of_b, [](const auto& group) { return group.empty(); });
  }
  return pairs;
}

Point point_of_run(const Run& run, const std::string& processes) {
  Point point = {{processes.empty() ? "np" : processes, run.np}};
  for (const auto& [name, value] : run.parameters) point.emplace_back(name, value);
  return point;
}

std::vector<double> values_of(const std::vector<const Run*>& runs, const std::function<double(const Run&)>& value) {
  std::vector<double> values;
  for (const Run* run : runs) values.push_back(value(*run));
  return values;
}

// A value to be judged when the p of all tests is known.
struct Judged {
  ComparedValue* value;
  Difference difference;
  double reference;  // the value that the tolerance is relative to
};

// The factor that all functions of a run share, about 1, for each run of both sides.
struct CommonFactors {
  std::vector<double> a, b;
};

// With fewer functions, a single one that changed would move the median itself.
constexpr size_t kFewestFunctions = 5;
constexpr double kFewestSamples = 50;  // a run

std::vector<double> divided(std::vector<double> values, const std::vector<double>& by) {
  for (size_t i = 0; i < values.size(); ++i) values[i] /= by[i];
  return values;
}

// `least_s`: functions below this time, in seconds, are left out.
std::optional<CommonFactors> common_factors(const KernelTable& table, double least_s) {
  std::vector<std::vector<double>> in_a, in_b;  // [run][function]: time / mean of both sides' means
  size_t functions = 0;
  for (const auto& [key, row] : table) {
    const double mean = (core::mean(row.a) + core::mean(row.b)) / 2;
    const auto positive = [](double value) { return value > 0; };
    const double runs = static_cast<double>(row.a.size() + row.b.size());
    if (row.kind != "function" || mean < least_s || row.samples < kFewestSamples * runs) continue;
    if (!std::all_of(row.a.begin(), row.a.end(), positive) || !std::all_of(row.b.begin(), row.b.end(), positive))
      continue;
    ++functions;
    in_a.resize(row.a.size());
    in_b.resize(row.b.size());
    for (size_t i = 0; i < row.a.size(); ++i) in_a[i].push_back(row.a[i] / mean);
    for (size_t i = 0; i < row.b.size(); ++i) in_b[i].push_back(row.b[i] / mean);
  }
  if (functions < kFewestFunctions) return std::nullopt;
  CommonFactors factors;
  for (const auto& run : in_a) factors.a.push_back(core::median(run));
  for (const auto& run : in_b) factors.b.push_back(core::median(run));
  return factors;
}

class ComparisonBuilder {
 public:
  ComparisonBuilder(const core::Profile& a, const core::Profile& b, const ComparisonOptions& options)
      : a_(a), b_(b), options_(options), keys_(a, b) {
    comparison_.tolerance = options.tolerance;
    comparison_.level = options.level;
    comparison_.a = side_of(a, options.path_a);
    comparison_.b = side_of(b, options.path_b);
  }

  Result<Comparison> build() {
    if (const core::Status comparable = check_sides(a_, b_, options_); !comparable) return comparable.error();
    const std::vector<Pair> pairs = common_configurations(a_, b_);
    cpu_ = pairs.front().a.front()->clock == core::Clock::kCpu;
    if (options_.processes.empty()) comparison_.clock = core::name_of(pairs.front().a.front()->clock);
    comparison_.in_seconds = options_.in_seconds;
    comparison_.has_totals = options_.has_totals;
    comparison_.configurations.reserve(pairs.size());  // judged_ points into it
    for (const Pair& pair : pairs) add_configuration(pair);
    decide(totals_);
    decide(kernels_);
    for (ComparedConfiguration& c : comparison_.configurations) sort_kernels(c);
    add_growth();
    comparison_.differences = side_differences(a_, b_, options_);
    for (const SideDifference& d : comparison_.differences) comparison_.notes.push_back(text_of(d));
    add_notes();
    return std::move(comparison_);
  }

 private:
  // `seconds_per_sample`: the seconds that a sample stands for; 0 where the value is not sampled.
  ComparedValue compare(const std::vector<double>& a, const std::vector<double>& b, double seconds_per_sample) const {
    ComparedValue value;
    value.a = core::mean(a);
    value.b = core::mean(b);
    value.error_a = relative_error(a, seconds_per_sample);
    value.error_b = relative_error(b, seconds_per_sample);
    if (!(value.a > 0)) return value;
    value.relative = value.b / value.a - 1;
    if (const auto d = difference(a, b, seconds_per_sample)) {
      value.low = std::max(kAllOfIt, d->low / value.a);
      value.high = d->high / value.a;
    }
    return value;
  }

  // A count of n samples has the variance n: n x (seconds a sample)^2 = value x seconds a sample.
  static double sampling_variance(const std::vector<double>& values, double seconds_per_sample) {
    return std::max(core::mean(values), seconds_per_sample) * seconds_per_sample;
  }

  static double relative_error(const std::vector<double>& values, double seconds_per_sample) {
    const double mean = core::mean(values), deviation = core::standard_deviation(values);
    const double variance = std::max(deviation * deviation, sampling_variance(values, seconds_per_sample));
    return mean > 0 ? std::sqrt(variance / static_cast<double>(values.size())) / mean : 0;
  }

  std::optional<Difference> difference(const std::vector<double>& a, const std::vector<double>& b,
                                       double seconds_per_sample) const {
    return welch_difference(a, b, sampling_variance(a, seconds_per_sample), sampling_variance(b, seconds_per_sample),
                            options_.tolerance * core::mean(a), options_.level);
  }

  void judge(ComparedValue& value, const std::vector<double>& a, const std::vector<double>& b,
             double seconds_per_sample, std::vector<Judged>& family) const {
    value.change = Change::kUnknown;
    if (const auto d = difference(a, b, seconds_per_sample)) family.push_back({&value, *d, value.a});
  }

  // Judges a kernel that one side has in each of its runs and the other in none. Times of few runs do not suffice;
  // samples do: if both sides had the kernel, the other side's runs would have about as many for each run, and of n
  // expected samples none is seen with the probability e^-n.
  void judge_existence(ComparedKernel& k, const KernelRow& row) {
    const std::vector<double>& there = k.in_a ? row.a : row.b;
    const std::vector<double>& missing = k.in_a ? row.b : row.a;
    const bool in_each = std::all_of(there.begin(), there.end(), [](double value) { return value > 0; });
    const double expected = row.samples * static_cast<double>(missing.size()) / static_cast<double>(there.size());
    // Calls of MPI are counted, not sampled.
    const double p = !in_each ? 1 : row.kind == "mpi" ? 0 : std::exp(-expected);
    constexpr double kAny = std::numeric_limits<double>::infinity();
    Difference d{k.time.b - k.time.a, 0, -kAny, kAny, p};
    const double seconds_per_sample = row.kind != "mpi" ? row.seconds_per_sample() : 0;
    if (const auto times = difference(row.a, row.b, seconds_per_sample)) d.p = std::min(d.p, times->p);
    k.time.change = Change::kUnknown;
    kernels_.push_back({&k.time, d, k.time.a});
  }

  void judge_against_others(ComparedValue& value, const KernelRow& row, double seconds_per_sample) {
    const std::vector<double> a = divided(row.a, factors_->a), b = divided(row.b, factors_->b);
    const double reference = core::mean(a);
    value.change = Change::kUnknown;
    value.against_others = core::mean(b) / reference - 1;
    const auto d = difference(a, b, seconds_per_sample);
    if (!d) return;
    value.others_low = std::max(kAllOfIt, d->low / reference);
    value.others_high = d->high / reference;
    kernels_.push_back({&value, *d, reference});
  }

  void add_configuration(const Pair& pair) {
    ComparedConfiguration& c = comparison_.configurations.emplace_back();
    c.at = point_of_run(*pair.a.front(), options_.processes);
    c.runs_a = pair.a.size();
    c.runs_b = pair.b.size();
    const auto part = [&](ComparedValue& to, core::OverRanks core::RunTimes::*time, bool judged) {
      const auto of = [time](const Run& run) { return (run.times.*time).mean; };
      const std::vector<double> a = values_of(pair.a, of), b = values_of(pair.b, of);
      to = compare(a, b, 0);
      if (judged) judge(to, a, b, 0, totals_);
    };
    part(c.total, &core::RunTimes::total_s, true);
    part(c.computation, &core::RunTimes::computation_s, true);
    part(c.communication, &core::RunTimes::communication_s, !cpu_);
    part(c.others, &core::RunTimes::others_s, true);
    const auto uses_gpu = [](const Run* run) { return run->times.gpu_s.sum > 0; };
    if (std::ranges::any_of(pair.a, uses_gpu) || std::ranges::any_of(pair.b, uses_gpu)) {
      part(c.gpu.emplace(), &core::RunTimes::gpu_s, true);
    }
    const KernelTable table = kernel_table(pair.a, pair.b, keys_);
    c.kernels.reserve(table.size());
    factors_ = common_factors(table, kShareThatIsJudged * std::max(c.total.a, c.total.b));
    if (factors_) note_common_factor(c);
    for (const auto& [key, row] : table) add_kernel(key, row, c);
  }

  // The time of the slowest rank, in seconds: work of one rank for which the others wait is little in the mean.
  static double slowest_s(const fit::RepeatsOverRanks& ranks) {
    return ranks.repeats.empty() ? 0 : core::mean(fit::slowest_rank({ranks}).time_s.front());
  }

  void add_kernel(const KernelKeys::Key& key, const KernelRow& row, ComparedConfiguration& c) {
    ComparedKernel& k = c.kernels.emplace_back();
    k.name = row.name;
    k.module = keys_.shown_module(key);
    k.file = std::get<2>(key);
    k.kind = row.kind;
    k.in_a = keys_.in_a(key);
    k.in_b = keys_.in_b(key);
    k.instructions = row.instructions.relative();
    k.calls = row.calls.relative();
    k.bytes = row.bytes.relative();
    const bool sampled = row.kind != "mpi" || cpu_;
    const double seconds_per_sample = sampled ? row.seconds_per_sample() : 0;
    k.time = compare(row.a, row.b, seconds_per_sample);
    const auto share = [](double part, double all) { return all > 0 ? part / all : 0; };
    k.share = std::max(share(std::max(k.time.a, slowest_s(row.ranks_a)), c.total.a),
                       share(std::max(k.time.b, slowest_s(row.ranks_b)), c.total.b));
    const bool says_something = row.kind != "mpi" || !cpu_;
    if (!says_something || k.share < kShareThatIsJudged) return;
    if (k.in_a != k.in_b) {
      judge_existence(k, row);
    } else if (factors_ && row.kind == "function" && k.time.a > 0) {
      judge_against_others(k.time, row, seconds_per_sample);
    } else {
      judge(k.time, row.a, row.b, seconds_per_sample, kernels_);
    }
  }

  void decide(std::vector<Judged>& family) const {
    std::vector<double> p;
    for (const Judged& judged : family) p.push_back(judged.difference.p);
    const std::vector<double> adjusted = holm_adjusted(p);
    for (size_t i = 0; i < family.size(); ++i) {
      ComparedValue& value = *family[i].value;
      value.p = adjusted[i];
      const double tolerance = options_.tolerance * family[i].reference;
      const Difference& d = family[i].difference;
      if (adjusted[i] < 1 - options_.level) {
        // Where most functions changed, the others seem to have changed the other way: their seconds have to agree.
        const double seconds = d.value > 0 ? value.b - value.a : value.a - value.b;
        if (seconds <= options_.tolerance * value.a) continue;
        value.change = d.value > 0 ? Change::kSlower : Change::kFaster;
      } else if (d.low >= -tolerance && d.high <= tolerance) {
        value.change = Change::kUnchanged;
      }
    }
  }

  static void sort_kernels(ComparedConfiguration& c) {
    std::stable_sort(c.kernels.begin(), c.kernels.end(), [](const ComparedKernel& x, const ComparedKernel& y) {
      const double dx = std::abs(x.time.b - x.time.a), dy = std::abs(y.time.b - y.time.a);
      return dx != dy ? dx > dy : x.name < y.name;
    });
  }

  void add_growth() {
    const GrowthComparison growth = compare_growth(comparison_.configurations, 1 - options_.level);
    comparison_.growth_judged = growth.judged;
    comparison_.growth = growth.kernels;
    if (options_.processes.empty()) add_formulas(a_, b_, comparison_.growth);
  }

  void add_notes() {
    std::vector<std::string>& notes = comparison_.notes;
    std::string single;
    for (const ComparedConfiguration& c : comparison_.configurations) {
      if (c.runs_a < 2 || c.runs_b < 2) single += (single.empty() ? "" : ", ") + text_of(c.at);
    }
    if (!single.empty()) {
      notes.push_back("one run on a side at " + single + ": nothing tells a change from chance there; measure repeats" +
                      (options_.processes.empty() ? " with `scalediag profile --repeat 5`" : ""));
    }
    if (cpu_) {
      notes.push_back("CPU clock: time in MPI is what ranks burn while they wait, so that it is not judged");
    }
    notes.insert(notes.end(), options_.notes.begin(), options_.notes.end());
    notes.insert(notes.end(), common_notes_.begin(), common_notes_.end());
    for (const ComparedConfiguration& c : comparison_.configurations) note_common_change(c, notes);
    const auto only = [&](const core::Profile& here, const core::Profile& there, const std::string& path) {
      const std::string names = configurations_only_in(here, there, options_.processes);
      if (!names.empty()) notes.push_back("only in " + path + ": " + names);
    };
    only(a_, b_, options_.path_a);
    only(b_, a_, options_.path_b);
  }

  void note_common_factor(const ComparedConfiguration& c) {
    const auto d = welch_difference(factors_->a, factors_->b, 0, 0, options_.tolerance, options_.level);
    if (!d || d->p > 1 - options_.level) return;
    const double percent_more = 100 * d->value / core::mean(factors_->a);
    common_notes_.push_back(text_of(c.at) + ": most functions took about " +
                            std::to_string(std::lround(std::abs(percent_more))) + " % " +
                            (percent_more > 0 ? "more" : "less") +
                            " time: rather the machine (frequency, other programs) or the compiler's options than a "
                            "function; each is compared with the others of its runs");
  }

  // Adds a note when all functions got slower by about the same factor, so that no single one is the cause.
  static void note_common_change(const ComparedConfiguration& c, std::vector<std::string>& notes) {
    double changed = 0;
    std::vector<double> factors;
    bool slower = false, faster = false;
    for (const ComparedKernel& k : c.kernels) {
      if (k.time.change != Change::kSlower && k.time.change != Change::kFaster) continue;
      if (!k.in_a || !k.in_b || k.kind == "mpi") continue;
      (k.time.change == Change::kSlower ? slower : faster) = true;
      changed += k.time.a;
      factors.push_back(k.time.relative.value_or(0));
    }
    constexpr double kMostOfComputation = 0.8;
    if (factors.size() < 3 || (slower && faster) || changed < kMostOfComputation * c.computation.a) return;
    const int middle = static_cast<int>(std::lround(100 * core::median(factors)));
    notes.push_back(text_of(c.at) + ": nearly all functions got " + (slower ? "slower" : "faster") + ", by about " +
                    std::to_string(std::abs(middle)) +
                    " %: rather the machine (frequency, other programs) or the compiler's options than a function");
  }

  const core::Profile& a_;
  const core::Profile& b_;
  const ComparisonOptions& options_;
  const KernelKeys keys_;
  bool cpu_ = false;
  Comparison comparison_;
  std::optional<CommonFactors> factors_;  // of the configuration that is being added
  std::vector<std::string> common_notes_;
  std::vector<Judged> totals_, kernels_;
};

}  // namespace

Result<Comparison> compare_profiles(const core::Profile& a, const core::Profile& b, const ComparisonOptions& options) {
  return ComparisonBuilder(a, b, options).build();
}

}  // namespace scalediag::report
