#include "report/diff/measured_sides.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/most_ranks.h"
#include "core/profile/metric_names.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "fit/data/runs/measured_run.h"

namespace scalediag::report {
namespace {

using core::Error;
using core::ErrorCode;
using At = std::vector<double>;
using Repeats = std::map<At, std::vector<double>>;  // by configuration

struct TimesOfSide {
  std::map<std::string, Repeats> kernels;  // by name
  Repeats totals;                          // of the whole program
  std::map<At, size_t> runs;               // the most repeats of any time
  std::optional<bool> is_cpu;              // whether the times that names alone stand for are CPU times
};

TimesOfSide times_of(const MeasuredSide& side) {
  TimesOfSide times;
  std::map<std::string, std::string> metric_of;  // of each call path, the one that its name alone stands for
  for (const fit::Series& series : side.set.series) {
    if (!fit::is_time_metric(series.metric)) continue;
    const bool is_whole = series.kernel == side.whole_program;
    const bool is_usual = series.metric == fit::kRunTime || series.metric == fit::kCpuTime ||
                          series.metric == metric::kTime || series.metric == fit::kDefaultMetric ||
                          (is_whole && (series.metric == fit::kTotalTime || series.metric == fit::kTotalCpuTime));
    const bool is_plain =
        is_usual && metric_of.try_emplace(series.kernel, series.metric).first->second == series.metric;
    if (is_plain) times.is_cpu = series.metric == fit::kCpuTime || series.metric == fit::kTotalCpuTime;
    Repeats& to = is_whole && is_plain ? times.totals
                                       : times.kernels[series.kernel + (is_plain ? "" : " (" + series.metric + ")")];
    for (const fit::Observation& o : series.observations) {
      std::vector<double>& values = to[o.at];
      values.insert(values.end(), o.values.begin(), o.values.end());
      times.runs[o.at] = std::max(times.runs[o.at], values.size());
    }
  }
  return times;
}

// Values of every repeat, or of none.
bool has_all(const TimesOfSide& times, const Repeats& of, const At& at) {
  const auto found = of.find(at);
  const auto runs = times.runs.find(at);
  return found != of.end() && runs != times.runs.end() && found->second.size() == runs->second;
}

core::OverRanks of_mean(double seconds) {
  core::OverRanks over;
  over.mean = over.min = over.max = over.sum = seconds;
  return over;
}

class SidesBuilder {
 public:
  SidesBuilder(const MeasuredSide& a, const MeasuredSide& b)
      : a_(a), b_(b), processes_(fit::processes_parameter(a.set.parameter_names)) {}

  core::Result<MeasuredSides> build() {
    const std::vector<std::string>& names = a_.set.parameter_names;
    if (names != b_.set.parameter_names) {
      const auto listed = [](const MeasuredSide& side) { return core::join(side.set.parameter_names); };
      return Error{ErrorCode::kInput,
                   a_.path + " has the parameters " + listed(a_) + ", " + b_.path + " has " + listed(b_),
                   "the same parameters by the same names, in one order, make them comparable", ""};
    }
    if (a_.in_seconds != b_.in_seconds) {
      const auto& [seconds, unknown] = a_.in_seconds ? std::tie(a_, b_) : std::tie(b_, a_);
      return Error{
          ErrorCode::kInput,
          "times of " + seconds.path + " are in seconds, and nothing says the unit of those of " + unknown.path,
          "the name of a table's column can say it: time (s), time (ms)", unknown.path};
    }
    const TimesOfSide of_a = times_of(a_), of_b = times_of(b_);
    for (const auto& [side, times] : {std::pair(&a_, &of_a), std::pair(&b_, &of_b)}) {
      if (const core::Status usable = check(*side, *times); !usable) return usable.error();
    }
    if (of_a.is_cpu && of_b.is_cpu && *of_a.is_cpu != *of_b.is_cpu) {
      const auto& [cpu, elapsed] = *of_a.is_cpu ? std::tie(a_, b_) : std::tie(b_, a_);
      return Error{ErrorCode::kInput, cpu.path + " has CPU times, " + elapsed.path + " elapsed times",
                   "what both sides measured alike is comparable", ""};
    }
    made_.processes = names[processes_];
    const auto has_totals = [](const TimesOfSide& times) {
      return std::all_of(times.runs.begin(), times.runs.end(),
                         [&times](const auto& runs) { return has_all(times, times.totals, runs.first); });
    };
    made_.has_totals = has_totals(of_a) && has_totals(of_b);
    made_.a = profile_of(of_a, of_b);
    made_.b = profile_of(of_b, of_a);
    if (!left_out_.empty()) {
      made_.notes.push_back("not compared where some repeats have no value of it: " +
                            core::join(std::vector<std::string>(left_out_.begin(), left_out_.end())));
    }
    made_.notes.push_back("only times are compared");
    return std::move(made_);
  }

 private:
  core::Status check(const MeasuredSide& side, const TimesOfSide& times) const {
    if (times.runs.empty()) {
      return Error{ErrorCode::kInput, side.path + " has no time to compare",
                   "a metric is a time where its name says so, as time or solve_s", side.path};
    }
    for (const auto& [at, runs] : times.runs) {
      const double np = at[processes_];
      if (np >= 1 && np <= core::kMostRanks && np == std::floor(np)) continue;
      return Error{ErrorCode::kInput,
                   side.path + ": " + side.set.parameter_names[processes_] + " is " + core::to_text(np) +
                       ", which is no number of processes",
                   "sides are compared at whole numbers of processes", side.path};
    }
    return core::Done{};
  }

  core::Profile profile_of(const TimesOfSide& own, const TimesOfSide& other) {
    core::Profile profile = {};
    for (const auto& [at, n_runs] : own.runs) {
      for (size_t repeat = 0; repeat < n_runs; ++repeat) profile.runs.push_back(run_of(own, other, at, repeat));
    }
    return profile;
  }

  core::Run run_of(const TimesOfSide& own, const TimesOfSide& other, const At& at, size_t repeat) {
    core::Run run;
    for (size_t p = 0; p < at.size(); ++p) {
      if (p != processes_) run.parameters[a_.set.parameter_names[p]] = at[p];
    }
    run.np = static_cast<int>(at[processes_]);
    run.repeat = static_cast<int>(repeat);
    run.complete = true;
    run.clock = core::Clock::kWall;
    double largest_s = 0;
    for (const auto& [name, repeats] : own.kernels) {
      const auto elsewhere = other.kernels.find(name);
      // A time that the other side lacks altogether is new or gone; one that it lacks here is not known.
      const bool comparable =
          has_all(own, repeats, at) &&
          (elsewhere == other.kernels.end() || other.runs.count(at) == 0 || has_all(other, elsewhere->second, at));
      if (!comparable) {
        left_out_.insert(name);
        continue;
      }
      core::Kernel& kernel = run.kernels.emplace_back();
      kernel.name = name;
      kernel.metrics[metric::kTime] = of_mean(repeats.at(at)[repeat]);
      largest_s = std::max(largest_s, repeats.at(at)[repeat]);
    }
    run.times.total_s = of_mean(made_.has_totals ? own.totals.at(at)[repeat] : largest_s);
    return run;
  }

  const MeasuredSide& a_;
  const MeasuredSide& b_;
  const size_t processes_;
  MeasuredSides made_;
  std::set<std::string> left_out_;
};

}  // namespace

core::Result<MeasuredSides> measured_sides(const MeasuredSide& a, const MeasuredSide& b) {
  return SidesBuilder(a, b).build();
}

}  // namespace scalediag::report
