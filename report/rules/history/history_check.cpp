#include "report/rules/history/history_check.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/statistics.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "report/diff/comparison.h"
#include "report/rules/history/history_baseline.h"
#include "report/rules/rule_application_parts.h"
#include "report/rules/rule_kernels.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

using core::Result;

// A name that no other kernel has: functions of two files may share theirs.
std::string key_of(const fit::KernelData& kernel) { return kernel.name + '\n' + kernel.module; }

bool is_judged_kind(const fit::ApplicationData& data, const fit::KernelData& kernel) {
  if (kernel.kind == fit::KernelKind::kWaiting) return false;
  const bool is_mpi_of_cpu_clock = data.clock == core::Clock::kCpu && kernel.kind == fit::KernelKind::kMpi;
  return kernel.is_time && !is_mpi_of_cpu_clock;
}

void add_runs(RunTimes& times, const std::string& name, const fit::Series& series, const std::vector<double>& at) {
  for (const fit::Observation& o : series.observations) {
    if (o.at == at) times[name] = o.values;
  }
}

RunTimes kernel_times(const fit::ApplicationData& data, const std::vector<double>& at) {
  RunTimes times;
  for (const fit::KernelData& kernel : data.kernels) {
    if (is_judged_kind(data, kernel)) add_runs(times, key_of(kernel), kernel.main_series(), at);
  }
  return times;
}

class HistoryChecker {
 public:
  HistoryChecker(const Rule& rule, const HistoryInput& input) : rule_(rule), input_(input) {}

  Result<RuleVerdict> check() {
    if (core::Status found = find_points(); !found) return found.error();
    if (core::Status found = find_kernels(); !found) return found.error();
    for (const std::vector<double>& at : points_) judge_at(at);
    if (!worst_) {
      return rule_error(rule_, 1,
                        "fewer than " + std::to_string(kFewestExperiments) + " of " +
                            core::counted(input_.earlier.size(), "earlier experiment") + " have it",
                        "measure more into the folder of --history; each is an experiment folder, a profile.json or a "
                        "table");
    }
    return verdict();
  }

 private:
  core::Status find_points() {
    for (const fit::ConfigurationPoint& point : input_.now.configurations) {
      const auto fits = [&](const RuleTarget& target) {
        const auto& names = input_.now.parameter_names;
        const auto name = std::find(names.begin(), names.end(), target.parameter);
        return name != names.end() && point.at[static_cast<size_t>(name - names.begin())] == target.value;
      };
      if (std::all_of(rule_.at.begin(), rule_.at.end(), fits)) points_.push_back(point.at);
    }
    if (!points_.empty()) return core::Done{};
    const auto text = [this](const fit::ConfigurationPoint& point) {
      return text_of(point_of(input_.now.parameter_names, point.at));
    };
    return rule_error(rule_, rule_.at.empty() ? 1 : rule_.at.front().column, "no run was measured there",
                      "a history is of measured runs: " + core::join(input_.now.configurations, ", ", text));
  }

  core::Status find_kernels() {
    if (rule_.kernel.empty()) return core::Done{};
    std::vector<RuleKernel> names;
    std::vector<const fit::KernelData*> kernels;
    for (const fit::KernelData& kernel : input_.now.kernels) {
      if (!is_judged_kind(input_.now, kernel)) continue;
      names.push_back({kernel.name, kernel.module, ""});
      kernels.push_back(&kernel);
      if (rule_.kernel == kEveryKernel && kernel.largest_share >= least_share()) chosen_.insert(key_of(kernel));
    }
    if (rule_.kernel == kEveryKernel) return core::Done{};
    const Result<size_t> found = find_rule_kernel(rule_, names);
    if (!found) return found.error();
    chosen_.insert(key_of(*kernels[found.value()]));
    place_ = {kernels[found.value()]->file, kernels[found.value()]->line};
    return core::Done{};
  }

  // Call paths have no shares, since they may contain one another.
  double least_share() const { return input_.now.has_totals() ? kShareThatIsJudged : 0; }

  // The kernels by which noise of the machine is judged. Call paths may contain one another.
  std::vector<std::string> others() const {
    std::vector<std::string> names;
    if (!input_.now.has_totals()) return names;
    for (const fit::KernelData& kernel : input_.now.kernels) {
      const bool is_function = kernel.kind == fit::KernelKind::kFunction;
      if (is_function && kernel.largest_share >= kShareThatIsJudged) names.push_back(key_of(kernel));
    }
    return names;
  }

  void judge_at(const std::vector<double>& at) {
    std::vector<RunTimes> earlier;
    if (rule_.kernel.empty()) {
      for (const fit::ApplicationData& data : input_.earlier) earlier.push_back(total_times(data, at));
      return judge(kTotalKey, total_times(input_.now, at), earlier, {}, at);
    }
    for (const fit::ApplicationData& data : input_.earlier) earlier.push_back(kernel_times(data, at));
    const RunTimes now = kernel_times(input_.now, at);
    for (const std::string& kernel : chosen_) judge(kernel, now, earlier, others(), at);
  }

  RunTimes total_times(const fit::ApplicationData& data, const std::vector<double>& at) const {
    RunTimes times;
    if (const auto total = data.totals.find(total_name(rule_.quantity)); total != data.totals.end()) {
      add_runs(times, kTotalKey, total->second, at);
    }
    for (const fit::KernelData& kernel : data.kernels) {
      const bool is_whole = !data.has_totals() && kernel.is_time && kernel.name == input_.whole_program;
      if (is_whole) add_runs(times, kTotalKey, kernel.main_series(), at);
    }
    return times;
  }

  void judge(const std::string& kernel, const RunTimes& now, const std::vector<RunTimes>& earlier,
             const std::vector<std::string>& others, const std::vector<double>& at) {
    const size_t tests = points_.size() * std::max<size_t>(1, chosen_.size());
    const auto compared = compare_with_history(kernel, now, earlier, others, *rule_.history, tests);
    if (!compared) {
      ++not_judged_;
      return;
    }
    ++judged_;
    const auto excess = [](const HistoryComparison& c) { return (1 + c.change) / (1 + c.allowed); };
    if (compared->slower) slower_.push_back(name_of_key(kernel) + place_text(at) + change_text(*compared));
    const bool is_worse = !worst_ || compared->slower > worst_->slower ||
                          (compared->slower == worst_->slower && excess(*compared) > excess(*worst_));
    if (!is_worse) return;
    worst_ = compared;
    worst_kernel_ = kernel;
    worst_at_ = at;
  }

  static std::string name_of_key(const std::string& key) { return key.substr(0, key.find('\n')); }
  std::string place_text(const std::vector<double>& at) const {
    return " at " + text_of(point_of(input_.now.parameter_names, at));
  }
  static std::string change_text(const HistoryComparison& c) {
    return " by " + core::spaced_percent(c.change) + ", where " + core::spaced_percent(c.allowed) +
           " is within the noise and the tolerance";
  }

  RuleVerdict verdict() const {
    RuleVerdict verdict{rule_, point_of(input_.now.parameter_names, worst_at_), {}, false, false, false, false, place_};
    verdict.rule.limit = worst_->limit;
    RuleFact& fact = verdict.fact;
    fact.value = {worst_->value, worst_->value, worst_->value};
    fact.origin = Origin::kMeasured;
    const bool one = judged_ == 1;
    if (!slower_.empty()) {
      fact.evidence = "slower: " + core::join(slower_, "; ") + ". ";
    } else {
      fact.evidence = std::string(one ? "" : "closest to its limit: " + name_of_key(worst_kernel_) + ", ") +
                      (worst_->change < 0 ? "faster" : "slower") + " by " +
                      core::spaced_percent(std::abs(worst_->change)) + " where " +
                      core::spaced_percent(worst_->allowed) + " more is within the noise and the tolerance. ";
    }
    fact.evidence += core::counted(worst_->experiments, "earlier experiment") + ": median " +
                     core::time_text(worst_->median) + ", spread " + core::spaced_percent(worst_->spread) +
                     (worst_->against_others ? ", against the other functions of the same runs" : "");
    if (!one) fact.evidence += "; " + std::to_string(judged_) + " comparisons";
    if (not_judged_ > 0) fact.evidence += "; " + std::to_string(not_judged_) + " without enough earlier runs";
    verdict.holds = verdict.passed = slower_.empty();
    verdict.certain = true;
    if (rule_.kernel == kEveryKernel && !slower_.empty()) {
      for (const fit::KernelData& kernel : input_.now.kernels) {
        if (key_of(kernel) == worst_kernel_) verdict.place = {kernel.file, kernel.line};
      }
    }
    return verdict;
  }

  static constexpr const char* kTotalKey = "the whole program";
  const Rule& rule_;
  const HistoryInput& input_;
  std::vector<std::vector<double>> points_;
  std::set<std::string> chosen_;
  KernelPlace place_;
  size_t judged_ = 0, not_judged_ = 0;
  std::vector<std::string> slower_;
  std::optional<HistoryComparison> worst_;
  std::string worst_kernel_;
  std::vector<double> worst_at_;
};

}  // namespace

Result<RuleVerdict> check_against_history(const Rule& rule, const HistoryInput& input) {
  return HistoryChecker(rule, input).check();
}

}  // namespace scalediag::report
