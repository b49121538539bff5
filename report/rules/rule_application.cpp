#include "report/rules/rule_application.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/profile/metric_names.h"
#include "core/statistics.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/suggestion.h"
#include "fit/data/measurement_set.h"
#include "fit/profile/run_series.h"
#include "report/findings/memory_contention.h"
#include "report/rules/rule_application_parts.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

using core::Error;
using core::Result;

std::string place_of(const std::string& file, int line) {
  if (file.empty()) return "";
  const std::string name = file.substr(file.rfind('/') + 1);
  return line > 0 ? name + ":" + std::to_string(line) : name;
}

bool is_counter(const std::string& metric) {
  const auto& counted = core::kCounterMetrics;
  return std::find(std::begin(counted), std::end(counted), metric) != std::end(counted);
}

}  // namespace

ApplicationRules::ApplicationRules(const core::Profile* profile, fit::ApplicationData data,
                                   fit::ApplicationOptions fitting, FindingsOptions findings,
                                   predict::Evidence evidence, std::optional<TableNames> table)
    : data_(std::move(data)),
      fitting_(std::move(fitting)),
      options_(std::move(findings)),
      evidence_(std::move(evidence)),
      table_(std::move(table)) {
  domain_.parameter_names = data_.parameter_names;
  domain_.processes = data_.processes;
  domain_.whole_processes = data_.has_totals();
  for (const fit::ConfigurationPoint& c : data_.configurations) domain_.points.push_back(c.at);
  std::map<std::string, size_t> call_paths;
  for (size_t i = 0; i < data_.kernels.size(); ++i) {
    const fit::KernelData& k = data_.kernels[i];
    if (k.kind == fit::KernelKind::kCallPath) {
      const auto [known, is_new] = call_paths.emplace(k.name, kernels_.size());
      if (!is_new) {
        members_[known->second].push_back(i);
        continue;
      }
    }
    kernels_.push_back({k.name, k.module, place_of(k.file, k.line)});
    members_.push_back({i});
  }
  if (profile != nullptr) add_seen(*profile);
}

void ApplicationRules::add_seen(const core::Profile& profile) {
  std::set<core::KernelId> known;
  for (const fit::KernelData& k : data_.kernels) known.insert(core::id_of(k));
  for (const core::Run& run : profile.runs) {
    if (!run.complete) continue;
    for (const core::Kernel& k : run.kernels) {
      if (k.metrics.count("counted_time_s") != 0) counts_by_time_.insert(core::id_of(k));
      for (const auto& [metric, error] : k.count_errors) {
        const core::OverRanks* count = fit::find_metric(k, metric);
        if (count == nullptr || !(count->sum > 0)) continue;
        double& most = count_errors_[{core::id_of(k), metric}];
        most = std::max(most, error / count->sum);
      }
      if (!known.insert(core::id_of(k)).second) continue;
      kernels_.push_back({k.name, k.module, place_of(k.file, k.line)});
      members_.emplace_back();
    }
    const std::vector<double> at = fit::configuration_of(profile, run);
    shown_s_[{total_name(Quantity::kTotal), at}].push_back(run.times.total_s.mean);
    shown_s_[{total_name(Quantity::kRun), at}].push_back(run.times.total_s.mean - run.times.others_s.mean);
    shown_s_[{total_name(Quantity::kCommunication), at}].push_back(run.times.communication_s.mean);
    for (const core::MpiOperation& o : run.operations) shown_s_[{o.operation, at}].push_back(o.time_s.mean);
  }
}

Result<size_t> ApplicationRules::find_kernel(const Rule& rule) const {
  const Result<size_t> found = find_rule_kernel(rule, kernels_);
  if (!found) return found;
  const std::vector<size_t>& members = members_[found.value()];
  if (members.empty()) {
    return rule_error(rule, rule.kernel_column,
                      "kernel '" + kernels_[found.value()].name + "' was seen in too few samples to be judged",
                      "measure longer runs, or with a higher `scalediag profile --rate`");
  }
  const bool is_call_path = data_.kernels[members.front()].kind == fit::KernelKind::kCallPath;
  return is_call_path ? find_series(rule, members) : members.front();
}

Result<size_t> ApplicationRules::find_series(const Rule& rule, const std::vector<size_t>& of_call_path) const {
  std::vector<size_t> times;
  std::vector<std::string> metrics;
  for (const size_t i : of_call_path) {
    const fit::KernelData& series = data_.kernels[i];
    const std::string& metric = series.metric;
    if (rule.metric == metric) return i;
    if (rule.metric.empty() && (metric == "time" || metric == metric::kTime || metric == fit::kDefaultMetric)) return i;
    if (series.is_time) times.push_back(i);
    metrics.push_back(metric);
  }
  if (rule.metric.empty() && times.size() == 1) return times.front();
  // A call path with one metric means that one, whatever its name.
  if (rule.metric.empty() && of_call_path.size() == 1) return of_call_path.front();
  const std::string question = core::did_you_mean(rule.metric, metrics);
  return rule_error(
      rule, std::max<size_t>(1, rule.metric_column),
      rule.metric.empty() ? "no metric of the kernel is called time" : "the kernel has no metric '" + rule.metric + "'",
      question + (question.empty() ? "" : " ") + "it has: " + core::join(metrics));
}

core::Error ApplicationRules::no_model(const Rule& rule, size_t kernel) const {
  const std::string failure = predictor_ ? predictor_->model().kernels()[kernel].failure() : "";
  return rule_error(rule, rule.kernel_column, "the kernel has no model" + (failure.empty() ? "" : ": " + failure), "");
}

bool ApplicationRules::is_known(size_t kernel, size_t target) const {
  return measured_time(kernel, targets_[target]) || finding(kernel, target) != nullptr;
}

std::string ApplicationRules::value_text(double value) const {
  return data_.has_totals() || (table_ && table_->in_seconds) ? core::time_text(value) : core::four_digits(value);
}

core::Status ApplicationRules::predict(const std::vector<std::vector<double>>& targets, bool measured_only) {
  targets_ = targets;
  // Call paths may lack configurations that others have.
  const bool is_simulated = evidence_.traces != nullptr && evidence_.network;
  const bool is_measured = measured_only && data_.has_totals() && fitting_.network == nullptr && !is_simulated;
  if (is_measured || targets.empty()) return core::Done{};
  std::vector<predict::Target> wanted;
  for (const std::vector<double>& at : targets_) wanted.push_back(predict::Target::of(data_, at));
  auto predictor = predict::Predictor::of(data_, fitting_, evidence_, wanted);
  if (!predictor) return predictor.error();
  predictor_ = std::move(predictor).value();
  findings_ = application_findings(*predictor_, wanted, options_);
  return core::Done{};
}

bool ApplicationRules::is_measured(const std::vector<double>& at) const {
  return std::find(domain_.points.begin(), domain_.points.end(), at) != domain_.points.end();
}

std::optional<RuleValue> ApplicationRules::measured_total(const std::string& name,
                                                          const std::vector<double>& at) const {
  const auto series = data_.totals.find(name);
  return series == data_.totals.end() ? std::nullopt : observed(series->second, at, 0, false);
}

std::optional<RuleValue> ApplicationRules::measured_time(size_t kernel, const std::vector<double>& at) const {
  const fit::KernelData& data = data_.kernels[kernel];
  return observed(data.main_series(), at, sampling_error_of(data), false);
}

const KernelFinding* ApplicationRules::finding(size_t kernel, size_t target) const {
  if (!predictor_) return nullptr;
  for (const KernelFinding& f : findings_.targets[target].kernels) {
    if (f.id == kernel) return &f;
  }
  return nullptr;
}

const fit::KernelModel* ApplicationRules::model_of(size_t kernel) const {
  if (!predictor_) return nullptr;
  const fit::KernelModel& model = predictor_->model().kernels()[kernel];
  return model.failure().empty() ? &model : nullptr;
}

bool ApplicationRules::is_modelled(size_t kernel) const { return cpu() && is_mpi(data_.kernels[kernel]); }

// Whether a count is exact. Calls and bytes are counted at every call, but for runs that were ended early. Other
// counters are exact where a simulation counted each instruction: those of hardware are charged to the functions that
// samples fall into.
bool ApplicationRules::is_exact_count(size_t kernel, const std::string& metric) const {
  const fit::KernelData& k = data_.kernels[kernel];
  if (const fit::Series* series = k.find(metric); series != nullptr && series->is_estimate) return false;
  if (metric == metric::kCalls || metric == metric::kBytes) return true;
  const bool by_time = counts_by_time_.count(core::id_of(k)) != 0;
  return is_counter(metric) && data_.counters == "simulated" && !by_time;
}

// Relative. Without one of its own a count is as uncertain as the samples that it was charged by.
double ApplicationRules::error_of_count(size_t kernel, const std::string& metric) const {
  if (!is_counter(metric) || is_exact_count(kernel, metric)) return 0;
  const fit::KernelData& k = data_.kernels[kernel];
  const auto known = count_errors_.find({core::id_of(k), metric});
  return known == count_errors_.end() ? sampling_error_of(k) : known->second;
}

std::optional<double> ApplicationRules::shown(const std::string& name, const std::vector<double>& at) const {
  const auto found = shown_s_.find({name, at});
  return found == shown_s_.end() ? std::nullopt : std::optional(core::mean(found->second));
}

std::string ApplicationRules::shown_text(const std::string& name, const std::vector<double>& at) const {
  const auto time = shown(name, at);
  const char* what = name == total_name(Quantity::kRun) ? " as total less others" : "";
  return time ? "; `scalediag show` prints " + core::time_text(*time) + what : "";
}

RuleFact ApplicationRules::total(Quantity quantity, size_t target) const {
  const std::vector<double>& at = targets_[target];
  const bool has_mpi = quantity != Quantity::kComputation && quantity != Quantity::kOthers;
  const bool is_simulated = predictor_ && predictor_->measured(at) != nullptr;
  const bool is_elsewhere = has_mpi && (on_given_network() || is_simulated);
  const auto value = is_elsewhere ? std::nullopt : measured_total(total_name(quantity), at);
  RuleFact fact;
  if (value) {
    fact.value = *value;
    fact.origin = cpu() && has_mpi ? Origin::kModelled : Origin::kMeasured;
    if (fact.origin == Origin::kMeasured) return fact;
    fact.evidence = how_modelled(quantity) + shown_text(total_name(quantity), at);
    if (quantity == Quantity::kTotal || quantity == Quantity::kRun) return fact;
    fact.value.low = fact.value.high = std::nullopt;
    fact.error_unknown = kNotMeasured;
    return fact;
  }
  if (const auto estimate = predicted_total(findings_.targets[target], quantity)) fact.value = rule_value(*estimate);
  if (is_simulated) {
    fact.origin = Origin::kModelled;
    fact.evidence =
        "computation as measured, MPI and waiting by simulation of the trace" + shown_text(total_name(quantity), at);
    return fact;
  }
  fact.evidence = std::string(cpu() ? "CPU time per rank, " : "") + "put together from all kernels and MPI operations";
  return fact;
}

RuleFact ApplicationRules::speedup(const Rule& rule, size_t target) const {
  std::vector<double> base = targets_[target];
  if (base.front() >= data_.scales().front()) {
    base.front() = fit::process_count(base_of(data_, options_.profile, options_.experiment));
  }
  const RuleFact here = total(Quantity::kRun, target);
  RuleValue there;
  const bool is_simulated = predictor_ && predictor_->measured(base) != nullptr;
  if (const auto measured = measured_total("run_s", base); measured && !on_given_network() && !is_simulated) {
    there = *measured;
  }
  const bool predicted_base = !(there.value > 0);
  if (predictor_ && !there.low) {
    // Where the base was not measured, or by one run only, the model gives the interval in which runs lie.
    const Estimate modelled = predictor_->at(base).run.estimate;
    if (predicted_base) there.value = modelled.value;
    const double factor = modelled.value > 0 ? there.value / modelled.value : 0;
    there.low = factor * modelled.low;
    there.high = factor * modelled.high;
  }
  RuleFact fact = speedup_from(rule, target, base, there, here);
  fact.origin = is_measured(base) ? here.origin : Origin::kPredicted;
  fact.evidence = "run of " + core::time_text(there.value) + (cpu() ? " CPU time per rank at " : " at ") +
                  text_of(point_of(data_.parameter_names, base)) + (predicted_base ? " (predicted), " : ", ") +
                  core::time_text(here.value.value) + " here" + fact.evidence;
  if (fact.origin == Origin::kModelled) fact.evidence += "; " + here.evidence;
  return fact;
}

// Marks the time of an operation at a measured scale as modelled, which it is with the CPU clock.
void ApplicationRules::say_how_modelled(size_t kernel, size_t target, RuleFact& fact) const {
  fact.origin = Origin::kModelled;
  fact.value.low = fact.value.high = std::nullopt;
  fact.error_unknown = kNotMeasured;
  fact.evidence = how_modelled(Quantity::kCommunication) + shown_text(data_.kernels[kernel].name, targets_[target]);
}

RuleFact ApplicationRules::kernel_time(size_t kernel, size_t target) const {
  const fit::KernelModel* model = model_of(kernel);
  const bool elsewhere = model != nullptr && model->on_given_network();
  RuleFact fact;
  if (const auto value = measured_time(kernel, targets_[target]); value && !elsewhere) {
    fact.value = *value;
    fact.origin = Origin::kMeasured;
    if (is_modelled(kernel)) say_how_modelled(kernel, target, fact);
    return fact;
  }
  if (const KernelFinding* f = finding(kernel, target)) {
    fact.value = rule_value(f->estimate);
    fact.formula = f->formula;
  }
  return fact;
}

// The slowest rank's time of an MPI operation is the mean rank's, unless one rank makes many more messages. Call paths
// do not tell ranks apart.
RuleFact ApplicationRules::slowest_time(size_t kernel, size_t target) const {
  const fit::KernelData& data = data_.kernels[kernel];
  const bool has_slowest = data.find(metric::kCritical) != nullptr && (!is_mpi(data) || data.slowest_rank);
  if (!has_slowest) return kernel_time(kernel, target);
  const fit::KernelModel* model = model_of(kernel);
  const bool elsewhere = model != nullptr && model->on_given_network();
  RuleFact fact;
  const auto value = observed(data.critical_series(), targets_[target], sampling_error_of(data), false);
  if (value && !elsewhere) {
    fact.value = *value;
    fact.origin = Origin::kMeasured;
    if (is_modelled(kernel)) say_how_modelled(kernel, target, fact);
    return fact;
  }
  if (model == nullptr) return kernel_time(kernel, target);
  const bool is_mean = !(model->critical_value(targets_[target]) > model->time_value(targets_[target]));
  fact.value = rule_value(model->critical_s(targets_[target]));
  fact.formula = is_mean ? model->formula() : model->critical_formula();
  return fact;
}

// The time with an interval that suffices for an order of kernels. A time that is modelled where it was measured lies
// between that of its shortest calls, of a middling run at most, and the measured time of the mean rank.
RuleValue ApplicationRules::time_to_be_ranked(size_t kernel, size_t target) const {
  const RuleFact fact = slowest_time(kernel, target);
  const fit::KernelData& data = data_.kernels[kernel];
  RuleValue value = fact.value;
  if (fact.origin != Origin::kModelled) return value;
  const double took = data.slowest_rank ? value.value : shown(data.name, targets_[target]).value_or(value.value);
  value.low = std::min(value.value, took);
  value.high = std::max(value.value * data.cost_uncertainty, took);
  return value;
}

// The share of the slowest rank's time in the run: work of one rank for which the others wait is little in the mean,
// but all of that time is the run's. For the interval the rest of the run is held, since the kernel is part of both. A
// kernel on devices, which overlaps the run, has its share in what devices do.
RuleFact ApplicationRules::share(size_t kernel, size_t target) const {
  RuleFact fact = slowest_time(kernel, target);
  const RuleValue time = fact.value;
  RuleFact of_all = total(Quantity::kRun, target);
  if (data_.kernels[kernel].kind == fit::KernelKind::kDevice) {
    of_all.value.value = 0;
    for (size_t k = 0; k < data_.kernels.size(); ++k) {
      if (data_.kernels[k].kind == fit::KernelKind::kDevice) of_all.value.value += slowest_time(k, target).value.value;
    }
  }
  // A part of the run takes no longer than the run, whose parts are of the mean rank.
  const double all = std::max(of_all.value.value, time.value);
  fact.origin = std::max(fact.origin, of_all.origin);
  const double rest = std::max(0.0, all - time.value);
  const auto share_of = [rest](double t) { return t + rest > 0 ? t / (t + rest) : 0; };
  fact.value.value = all > 0 ? time.value / all : 0;
  if (time.low) fact.value.low = std::min(fact.value.value, share_of(*time.low));
  if (time.high) fact.value.high = std::max(fact.value.value, share_of(*time.high));
  fact.evidence = core::time_text(time.value) + " of " + core::time_text(all);
  if (fact.origin == Origin::kModelled) fact.evidence += "; " + of_all.evidence;
  return fact;
}

RuleFact ApplicationRules::rank(size_t kernel, size_t target) const {
  const std::string& metric = data_.kernels[kernel].metric;
  std::vector<RuleValue> times;
  std::vector<const std::string*> names;
  size_t own = 0;
  RuleFact fact = slowest_time(kernel, target);
  for (size_t i = 0; i < data_.kernels.size(); ++i) {
    if (data_.kernels[i].metric != metric || !is_known(i, target)) continue;
    if (i == kernel) own = times.size();
    times.push_back(time_to_be_ranked(i, target));
    names.push_back(&data_.kernels[i].name);
    fact.origin = std::max(fact.origin, slowest_time(i, target).origin);
  }
  fact.value = rank_of(times, own);
  fact.error_unknown = RuleFact().error_unknown;
  fact.evidence = value_text(times[own].value) + (data_.has_totals() ? "" : " of " + metric);
  if (is_unchecked(findings_, target)) leave_rank_open(times.size(), fact);
  // The kernels next to it in the order show how narrowly the rank is missed.
  std::optional<size_t> before, after;
  for (size_t i = 0; i < times.size(); ++i) {
    if (i == own) continue;
    const bool above = times[i].value > times[own].value || (times[i].value == times[own].value && i < own);
    if (above && (!before || times[i].value < times[*before].value)) before = i;
    if (!above && (!after || times[i].value > times[*after].value)) after = i;
  }
  if (before) fact.evidence += "; before it " + *names[*before] + " with " + value_text(times[*before].value);
  if (after) fact.evidence += "; after it " + *names[*after] + " with " + value_text(times[*after].value);
  if (fact.origin == Origin::kModelled) fact.evidence += "; " + how_modelled(Quantity::kCommunication);
  return fact;
}

std::optional<RuleFact> ApplicationRules::predicted_metric(size_t kernel, const std::string& metric,
                                                           size_t target) const {
  const fit::KernelModel* k = model_of(kernel);
  if (k == nullptr) return std::nullopt;
  const auto estimate = k->metric(metric, targets_[target]);
  if (!estimate) return std::nullopt;
  RuleFact fact;
  fact.value = rule_value(*estimate);
  if (const fit::Model* model = k->model(metric)) fact.formula = model->formula();
  return fact;
}

Result<RuleFact> ApplicationRules::metric(const Rule& rule, size_t kernel, size_t target) const {
  const fit::KernelData& data = data_.kernels[kernel];
  const fit::Series* series = data.find(rule.metric);
  if (rule.metric == data.metric) return kernel_time(kernel, target);
  if (series != nullptr && rule.metric == metric::kCritical) {
    return slowest_time(kernel, target);
  } else if (series != nullptr) {
    const double known_error = error_of_count(kernel, rule.metric);
    if (const auto value = observed(*series, targets_[target], known_error, is_exact_count(kernel, rule.metric))) {
      RuleFact fact;
      fact.value = *value;
      fact.origin = Origin::kMeasured;
      return fact;
    }
    if (const auto fact = predicted_metric(kernel, rule.metric, target)) return *fact;
  }
  std::vector<std::string> names;
  for (const auto& [name, unused] : data.series) names.push_back(name);
  const std::string question = series != nullptr ? "" : core::did_you_mean(rule.metric, names);
  const std::string what = series != nullptr ? "' has no model of '" : "' has no metric '";
  return rule_error(rule, rule.metric_column, "kernel '" + data.name + what + rule.metric + "'",
                    question + (question.empty() ? "" : " ") + "it has: " + core::join(names));
}

std::vector<std::string> ApplicationRules::notes() const {
  const std::string note = data_.has_totals() ? contention_note(data_, targets_) : "";
  return note.empty() ? std::vector<std::string>{} : std::vector{note};
}

// A time of another problem has no interval where memory contention shows: the rule is uncertain.
Result<RuleFact> ApplicationRules::fact(const Rule& rule, size_t kernel, size_t target) const {
  Result<RuleFact> fact = trusting_memory(rule, kernel, target);
  const bool is_count = rule.quantity == Quantity::kKernelMetric && !rule.metric.ends_with("_s");
  if (!fact || is_count || !is_other_problem(data_, targets_[target]) || contention_of(data_).functions == 0)
    return fact;
  fact.value().value.low = fact.value().value.high = std::nullopt;
  fact.value().scales = std::nullopt;
  fact.value().error_unknown = "memory contention in what was measured";
  return fact;
}

Result<RuleFact> ApplicationRules::trusting_memory(const Rule& rule, size_t kernel, size_t target) const {
  if (table_ && !table_->in_seconds && dimension_of(rule) == Dimension::kTime) {
    return rule_error(rule, 1, "the table does not say the unit of its times", "--columns 'time=COLUMN[ms]' says it");
  }
  if (!data_.has_totals() && (rule.kernel.empty() || rule.quantity == Quantity::kKernelShare)) {
    if (table_ && !table_->whole_program.empty() && rule.quantity != Quantity::kKernelShare)
      return of_whole_program(rule, target);
    return rule_error(rule, 1, "call paths may contain one another, so there is no total",
                      "rules about this input: kernel('NAME').time, .rank, .metric; growth and scales of a kernel");
  }
  const bool asks_waiting =
      rule.quantity == Quantity::kWaiting || (rule.quantity == Quantity::kGrowth && rule.grows == Quantity::kWaiting);
  if (asks_waiting && data_.clock == core::Clock::kWall) {
    return rule_error(rule, 1, "with the wall clock waiting is part of communication", "ask for communication");
  }
  const bool asks_gpu =
      rule.quantity == Quantity::kGpu || (rule.quantity == Quantity::kGrowth && rule.grows == Quantity::kGpu);
  if (asks_gpu && data_.has_totals() && data_.totals.count(metric::kGpu) == 0) {
    return rule_error(rule, 1, "no call of a GPU's library was seen", "docs/gpu.md tells what is seen");
  }
  const bool needs_value = rule.quantity == Quantity::kKernelTime || rule.quantity == Quantity::kKernelRank ||
                           (rule.quantity == Quantity::kKernelMetric && rule.metric == data_.kernels[kernel].metric);
  if (needs_value && !is_known(kernel, target)) return no_model(rule, kernel);
  switch (rule.quantity) {
    case Quantity::kSpeedup:
    case Quantity::kEfficiency: return speedup(rule, target);
    case Quantity::kKernelTime: return kernel_time(kernel, target);
    case Quantity::kKernelShare: return share(kernel, target);
    case Quantity::kKernelRank: return rank(kernel, target);
    case Quantity::kKernelMetric: return metric(rule, kernel, target);
    case Quantity::kGrowth: return growth(rule, kernel, target);
    case Quantity::kScales: return scales(rule, kernel, target);
    default: return total(rule.quantity, target);
  }
}

}  // namespace scalediag::report
