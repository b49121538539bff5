#include "report/findings/trust.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/profile/metric_names.h"
#include "core/profile/off_cpu.h"
#include "core/statistics.h"
#include "core/text/bounded.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/value_list.h"
#include "fit/profile/run_series.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

// The coefficient of variation of two repeats from which on their mean is not known.
constexpr double kNoisyRepeats = 0.2;
// Ranks that waited for a core for a larger part of the run.
constexpr double kMuchOffCpu = 0.2;
// A backtest that is off by this factor.
constexpr double kWorthless = 2;
// An efficiency of weak scaling from which on the base was slowed by more than runs differ.
constexpr double kSlowedBase = 1.15;
// A rank is off its core because of calls on files that take this part of a run. For runs without records of how
// long a rank slept.
constexpr double kFilesExplain = 0.05;

// Threads that run at once for each core of its hosts; 0: not known.
double threads_a_core(const core::Run& run, const core::Experiment* experiment) {
  if (experiment == nullptr || experiment->host.cores <= 0 || run.hosts.empty()) return 0;
  return static_cast<double>(run.np) * run.threads_max /
         (static_cast<double>(experiment->host.cores) * static_cast<double>(run.hosts.size()));
}

// The share of the run in which ranks waited for a core, where that is more than tolerable; else 0. A rank that sleeps,
// or waits for files, a device or another process, does that on a machine of its own as well.
double lost_cores(const core::Run& run) {
  const double run_s = run.times.total_s.mean;
  double lost_s = core::off_cpu_s(run);
  if (run.times.asleep_s) {
    lost_s -= run.times.asleep_s->mean;
  } else {
    double files_s = 0;
    for (const core::FileOperation& o : run.files) files_s += o.time_s.mean;
    if (files_s >= kFilesExplain * run_s) return 0;
  }
  return lost_s > core::kTolerableOffCpu * run_s ? lost_s / run_s : 0;
}

// The elapsed time of a process that neither its own work, nor that of the ranks on the same core, nor sleep explains,
// and all of it; of the repeat that has least of it.
struct UnexplainedTime {
  double rest_s = 0, wall_s = 0;
};

std::map<double, UnexplainedTime> unexplained_times(const core::Profile& profile, const core::Experiment* experiment) {
  std::map<double, UnexplainedTime> least;
  for (const core::Run& run : profile.runs) {
    const double threads = threads_a_core(run, experiment);
    if (!run.complete || run.emulated || run.threads_max > 1 || !(threads > 0)) continue;
    const double wall_s = run.times.wall_s.mean;
    const double asleep_s = run.times.asleep_s ? run.times.asleep_s->mean : 0;
    const double rest_s = wall_s - asleep_s - std::max(1.0, threads) * run.times.cpu_s.mean;
    const auto [known, is_new] = least.try_emplace(run.np, UnexplainedTime{rest_s, wall_s});
    if (!is_new && rest_s < known->second.rest_s) known->second = {rest_s, wall_s};
  }
  return least;
}

class Gate {
 public:
  explicit Gate(const TrustEvidence& evidence)
      : evidence_(evidence), data_(evidence.data), profile_(evidence.profile), experiment_(evidence.experiment) {}

  Trust trust() {
    if (data_.clock == core::Clock::kWall) {
      on_runs(Doubt::kSharedCores, [this](const core::Run& run) {
        const double threads = threads_a_core(run, experiment_);
        return threads > 1 ? threads : 0;
      });
    }
    if (profile_ != nullptr) {
      for (const auto& [at, share] : waits_for_cores(*profile_, experiment_)) add_run(Doubt::kOtherPrograms, share, at);
    }
    on_repeats();
    if (evidence_.above_ideal > kSlowedBase) {
      trust_.add({Doubt::kSlowBase, Grade::kRough, evidence_.above_ideal, {evidence_.base}});
    }
    on_devices();
    if (evidence_.is_beyond) on_target();
    on_lone_ranks();
    return std::move(trust_);
  }

 private:
  void on_runs(Doubt doubt, const std::function<double(const core::Run&)>& figure_of) {
    if (profile_ == nullptr) return;
    for (const core::Run& run : profile_->runs) {
      // Emulated runs have the times of a machine with a core for each rank.
      const double figure = run.complete && !run.emulated ? figure_of(run) : 0;
      if (figure > 0) add_run(doubt, figure, fit::configuration_of(*profile_, run));
    }
  }

  void on_repeats() {
    const auto run = data_.totals.find(metric::kRun);
    const fit::Series* const series = run != data_.totals.end() ? &run->second : evidence_.series;
    if (series == nullptr) return;
    for (const fit::Observation& o : series->observations) {
      if (is_noisy(o.values)) add_run(Doubt::kNoise, core::coefficient_of_variation(o.values), o.at);
    }
  }

  // Ranks that share a device wait for each other's kernels, which is no property of the program.
  void on_devices() {
    if (profile_ == nullptr) return;
    // The share of a run below which calls of GPUs hardly change it.
    constexpr double kLittle = 0.05;
    std::map<std::vector<double>, double> sharing;  // the most ranks a device
    bool matters = false;
    for (const core::Run& run : profile_->runs) {
      if (!run.complete || run.gpu_devices.empty()) continue;
      matters = matters || run.times.gpu_s.mean > kLittle * run.times.total_s.mean;
      double& most = sharing[fit::configuration_of(*profile_, run)];
      for (const core::GpuDevice& d : run.gpu_devices) most = std::max(most, static_cast<double>(d.ranks));
    }
    if (!matters || sharing.empty()) return;
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    const double least = std::min_element(sharing.begin(), sharing.end(), fewer)->second;
    for (const auto& [at, ranks] : sharing) {
      if (ranks > least)
        trust_.add({Doubt::kSharedDevices, Grade::kRough, ranks, {point_of(data_.parameter_names, at)}});
    }
  }

  // The first of several reasons for the same runs counts.
  void add_run(Doubt doubt, double figure, const std::vector<double>& at) {
    const Point point = point_of(data_.parameter_names, at);
    if (const auto known = trust_.doubt_at(point); known && *known != doubt) return;
    const std::vector<double> scales = data_.scales();
    const bool is_end = at[data_.processes] == scales.front() || at[data_.processes] == scales.back();
    // CPU time does not hold the waits, only what other programs take of caches and memory.
    const bool is_little =
        doubt == Doubt::kOtherPrograms && (figure <= kMuchOffCpu || data_.clock == core::Clock::kCpu);
    trust_.add({doubt, is_end && !is_little ? Grade::kNothing : Grade::kRough, figure, {point}});
  }

  void on_target() {
    if (!evidence_.missed) trust_.add({Doubt::kMissed});
    const double missed = evidence_.missed.value_or(0);
    if (std::abs(missed) > kFarOff) {
      const bool is_worthless =
          evidence_.missed_run && std::abs(std::log(std::max(1 + missed, 1e-9))) > std::log(kWorthless);
      trust_.add({Doubt::kMissed, is_worthless ? Grade::kNothing : Grade::kRough, missed, {evidence_.backtest_at}});
    }
    double low = 0, high = 0;
    for (const Estimate& computation : evidence_.computations) {
      low = low > 0 ? std::min(low, computation.value) : computation.value;
      high = std::max(high, computation.value);
    }
    if (!evidence_.waiting_is_told && data_.clock == core::Clock::kCpu && sends_messages()) {
      trust_.add({Doubt::kNoTrace});
    }
    if (low > 0 && high > (1 + kFarOff) * low) trust_.add({Doubt::kSourcesApart, Grade::kRough, high / low - 1});
    if (!evidence_.answer || core::spread_text(evidence_.answer->low, evidence_.answer->high).empty()) return;
    const Estimate& answer = *evidence_.answer;
    const bool tells_nothing = answer.low > 0 && fit::is_no_value(answer);
    trust_.add({Doubt::kWideInterval,
                tells_nothing ? Grade::kNothing : Grade::kRough,
                answer.low > 0 ? answer.high / answer.low : 0,
                {},
                answer});
  }

  bool sends_messages() const {
    return std::any_of(data_.kernels.begin(), data_.kernels.end(),
                       [](const fit::KernelData& kernel) { return kernel.kind == fit::KernelKind::kMpi; });
  }

  void on_lone_ranks() {
    if (profile_ == nullptr || data_.clock != core::Clock::kCpu || data_.lone_factor) return;
    const auto shared = [this](const core::Run& run) { return run.complete && threads_a_core(run, experiment_) > 1; };
    if (std::any_of(profile_->runs.begin(), profile_->runs.end(), shared)) trust_.add({Doubt::kNoLoneRank});
  }

  const TrustEvidence& evidence_;
  const fit::ApplicationData& data_;
  const core::Profile* const profile_;
  const core::Experiment* const experiment_;
  Trust trust_;
};

// "np=2,16"
std::string points_text(const std::vector<Point>& points) {
  std::set<double> processes;
  for (const Point& at : points) processes.insert(process_count(at));
  return points.front().front().first + "=" + core::list_of(processes);
}

bool is_of_runs(Doubt doubt) {
  return doubt == Doubt::kSharedCores || doubt == Doubt::kOtherPrograms || doubt == Doubt::kNoise;
}

}  // namespace

const char* name_of(Grade grade) {
  switch (grade) {
    case Grade::kSure: return "sure enough";
    case Grade::kRough: return "rough";
    case Grade::kNothing: break;
  }
  return "nothing can be concluded";
}

const char* name_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::kSharedCores: return "cores shared";
    case Doubt::kOtherPrograms: return "other programs";
    case Doubt::kNoise: return "noisy";
    case Doubt::kMissed: return "backtest";
    case Doubt::kSourcesApart: return "sources apart";
    case Doubt::kWideInterval: return "interval";
    case Doubt::kNoLoneRank: return "no lone rank";
    case Doubt::kSlowBase: return "slow base";
    case Doubt::kSharedDevices: return "GPUs shared";
    case Doubt::kNoTrace: break;
  }
  return "no trace";
}

bool is_noisy(const std::vector<double>& repeats) {
  const auto n = static_cast<double>(repeats.size());
  return n > 1 && core::coefficient_of_variation(repeats) > kNoisyRepeats * std::sqrt(n / 2);
}

std::string text_of(const TrustReason& reason) {
  const std::string at = reason.at.empty() ? "" : points_text(reason.at);
  const std::string percent = core::spaced_percent(std::abs(reason.figure), 0);
  const std::string up_to = reason.at.size() > 1 ? "up to " : "";
  switch (reason.doubt) {
    case Doubt::kSharedCores:
      return "ranks shared cores at " + at + ", " + up_to + core::to_text(std::round(10 * reason.figure) / 10) +
             " on each";
    case Doubt::kOtherPrograms: return "ranks waited for a core for " + up_to + percent + " of the run at " + at;
    case Doubt::kNoise: return "repeats at " + at + " vary by " + up_to + percent;
    case Doubt::kMissed:
      if (reason.at.empty()) return "too few scales were measured to check a prediction";
      return at + ", predicted from the smaller scales, came out " + percent +
             (reason.figure < 0 ? " too low" : " too high");
    case Doubt::kSourcesApart:
      return "two sources put computation " +
             (reason.figure > 1 ? "a factor of " + core::fixed(1 + reason.figure, 1) : percent) + " apart";
    case Doubt::kWideInterval:
      return reason.figure > 0 ? "the interval spans a factor of " + core::factor_text(printed_factor(reason.interval))
                               : "the interval reaches down to nothing";
    case Doubt::kSharedDevices:
      return up_to + core::to_text(reason.figure) + " ranks shared a GPU at " + at +
             ", fewer at other scales, and waited for each other's kernels";
    case Doubt::kNoLoneRank: return "ranks shared cores and none was measured with a core of its own";
    case Doubt::kSlowBase:
      return at + " seems to have been slowed: others have an efficiency of " + percent + " over it";
    case Doubt::kNoTrace: break;
  }
  return "waits for messages are estimated, not simulated";
}

std::string cure_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::kSharedCores: return "Measure with a core for each rank, or leave `--clock wall` out.";
    case Doubt::kOtherPrograms:
    case Doubt::kSlowBase: return "Measure on a machine that nothing else uses.";
    case Doubt::kNoise:
      return "Repeat them more often (`scalediag profile --repeat`), let the program run longer, or leave the machine "
             "to it.";
    case Doubt::kMissed:
    case Doubt::kSourcesApart:
    case Doubt::kWideInterval: return "Measure a larger scale; `scalediag improve` says which.";
    case Doubt::kSharedDevices:
      return "Measure with as many ranks a GPU at all scales as there are to be at the target.";
    case Doubt::kNoLoneRank: return "Ranks of the largest run can be replayed with a core each (`scalediag profile`).";
    case Doubt::kNoTrace: break;
  }
  return "Name the network (`--network`), on which traces are simulated (`scalediag profile --trace` keeps them).";
}

std::optional<Doubt> Trust::doubt_at(const Point& at) const {
  for (const TrustReason& reason : reasons) {
    if (is_of_runs(reason.doubt) && std::find(reason.at.begin(), reason.at.end(), at) != reason.at.end()) {
      return reason.doubt;
    }
  }
  return std::nullopt;
}

void Trust::add(const TrustReason& reason) {
  const auto same = [&](const TrustReason& known) { return known.doubt == reason.doubt; };
  const auto known = std::find_if(reasons.begin(), reasons.end(), same);
  if (known == reasons.end()) {
    reasons.push_back(reason);
  } else {
    known->grade = std::max(known->grade, reason.grade);
    if (std::abs(reason.figure) > std::abs(known->figure)) {
      known->figure = reason.figure;
      known->interval = reason.interval;
    }
    for (const Point& at : reason.at) {
      if (std::find(known->at.begin(), known->at.end(), at) == known->at.end()) known->at.push_back(at);
    }
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](const TrustReason& a, const TrustReason& b) {
    return a.grade != b.grade ? a.grade > b.grade : a.doubt < b.doubt;
  });
}

void Trust::add(const Trust& other) {
  for (const TrustReason& reason : other.reasons) add(reason);
}

double printed_factor(const Estimate& e) {
  const core::Bounded printed = core::bounded(e.value, e.low, e.high);
  const double factor = std::stod(printed.high) / std::stod(printed.low);
  const double unit = std::pow(10, std::floor(std::log10(factor)) - 1);
  return std::round(factor / unit) * unit;
}

std::vector<Point> shared_cores(const core::Profile& profile, const core::Experiment* experiment) {
  std::set<Point> points;
  for (const core::Run& run : profile.runs) {
    if (!run.complete || run.emulated || !(threads_a_core(run, experiment) > 1)) continue;
    points.insert(point_of(fit::parameters_of(profile), fit::configuration_of(profile, run)));
  }
  return {points.begin(), points.end()};
}

std::map<std::vector<double>, double> waits_for_cores(const core::Profile& profile,
                                                      const core::Experiment* experiment) {
  constexpr double kMuchUnexplained = 0.25;
  // Starting and ending ranks of eleven programs on two cores took up to 0.3 s, less at larger scales. Of short runs
  // two that overlap for a second look the same as a busy machine.
  constexpr double kMostStart_s = 3;
  std::map<std::vector<double>, double> shares;
  if (profile.runs.empty()) return shares;
  if (profile.runs.front().clock == core::Clock::kWall) {
    for (const core::Run& run : profile.runs) {
      const double lost = run.complete && !run.emulated ? lost_cores(run) : 0;
      if (!(lost > 0)) continue;
      double& most = shares[fit::configuration_of(profile, run)];
      most = std::max(most, lost);
    }
    return shares;
  }
  if (!profile.parameter_names.empty()) return shares;
  const std::map<double, UnexplainedTime> times = unexplained_times(profile, experiment);
  for (const auto& [np, time] : times) {
    double elsewhere_s = kMostStart_s;
    for (const auto& [other, its] : times) {
      if (other != np) elsewhere_s = std::max(elsewhere_s, its.rest_s);
    }
    const double share = (time.rest_s - elsewhere_s) / time.wall_s;
    if (times.size() > 1 && share > kMuchUnexplained) shares[{np}] = share;
  }
  return shares;
}

const std::vector<double>& base_of(const fit::ApplicationData& data, const core::Profile* profile,
                                   const core::Experiment* experiment) {
  std::set<double> slowed;
  if (profile != nullptr) {
    for (const auto& [at, share] : waits_for_cores(*profile, experiment)) slowed.insert(at.front());
  }
  const auto order = [&](const fit::ConfigurationPoint& c) {
    return std::pair(slowed.count(fit::process_count(c.at)), fit::process_count(c.at));
  };
  return std::min_element(data.configurations.begin(), data.configurations.end(),
                          [&](const auto& a, const auto& b) { return order(a) < order(b); })
      ->at;
}

Trust trust_by(const TrustEvidence& evidence) { return Gate(evidence).trust(); }

std::string weakened(const Trust& trust, const std::string& sentence, const std::string& question) {
  if (trust.grade() == Grade::kSure) return sentence;
  if (trust.tells_nothing()) {
    return "Cannot be told from these runs: " + question + ", because " + text_of(trust.reasons.front()) + ".";
  }
  std::string lower = sentence;
  if (!lower.empty()) lower.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(lower.front())));
  return "Rough: " + lower;
}

std::string text_of(const Trust& trust) {
  std::string text = name_of(trust.grade());
  for (size_t i = 0; i < trust.reasons.size(); ++i) {
    text += (i == 0 ? ", because " : ". Also, ") + text_of(trust.reasons[i]);
  }
  return text;
}

}  // namespace scalediag::report
