// The data that rules are applied to, of a profile or of a file in Extra-P's formats, and the values that they give.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/kernel_id.h"
#include "core/profile/profile.h"
#include "predict/predictor.h"
#include "report/findings/application_findings.h"
#include "report/rules/rule_kernels.h"
#include "report/rules/rule_value.h"

namespace scalediag::report {

class ApplicationRules {
 public:
  // `profile`, of which `data` were made, gives the names of kernels that were seen too rarely to be among them, and
  // what `show` prints; null: the data are call paths, those of a table where there is one.
  ApplicationRules(const core::Profile* profile, fit::ApplicationData data, fit::ApplicationOptions fitting,
                   FindingsOptions findings, predict::Evidence evidence = {}, std::optional<TableNames> table = {});

  const RuleDomain& domain() const { return domain_; }
  // The index among the data's kernels of the one that the rule names; of a call path's metrics the one that the rule
  // asks for, else its time. Errors (kUsage, with column and suggestion): none or several fit; it was seen too rarely
  // to be modelled; the call path has no such metric.
  core::Result<size_t> find_kernel(const Rule& rule) const;
  // Predicts all targets at once, in the order of domain().parameter_names. `measured_only`: every one of them is a
  // measured point and nothing will be asked that needs a model.
  core::Status predict(const std::vector<std::vector<double>>& targets, bool measured_only);
  // `kernel` is from find_kernel where the rule names one; `target` is an index into the predicted targets. Error
  // (kUsage): the data do not give the value.
  core::Result<RuleFact> fact(const Rule& rule, size_t kernel, size_t target) const;
  // `kernel` is from find_kernel.
  KernelPlace source_of(size_t kernel) const { return {data_.kernels[kernel].file, data_.kernels[kernel].line}; }
  const Trust& trust() const { return findings_.trust; }  // in what was predicted
  // Remarks about the targets as a whole.
  std::vector<std::string> notes() const;

 private:
  void add_seen(const core::Profile& profile);
  core::Result<size_t> find_series(const Rule& rule, const std::vector<size_t>& of_call_path) const;
  core::Error no_model(const Rule& rule, size_t kernel) const;
  // Whether the kernel was measured or is predicted there.
  bool is_known(size_t kernel, size_t target) const;
  // "1.2 ms" for a profile, whose kernels have times; the bare number for call paths, whose unit is not known.
  std::string value_text(double value) const;
  core::Result<RuleFact> trusting_memory(const Rule& rule, size_t kernel, size_t target) const;
  // Rules about the whole program where one call path of a table stands for it. Errors (kUsage): the table has no such
  // kernel, or the quantity is a part of the time that it does not tell.
  core::Result<RuleFact> of_whole_program(const Rule& rule, size_t target) const;
  RuleFact speedup_from(const Rule& rule, size_t target, const std::vector<double>& base, const RuleValue& there,
                        const RuleFact& here) const;
  bool is_measured(const std::vector<double>& at) const;
  std::optional<RuleValue> measured_total(const std::string& name, const std::vector<double>& at) const;
  std::optional<RuleValue> measured_time(size_t kernel, const std::vector<double>& at) const;
  RuleFact total(Quantity quantity, size_t target) const;
  RuleFact speedup(const Rule& rule, size_t target) const;
  RuleFact kernel_time(size_t kernel, size_t target) const;
  RuleFact slowest_time(size_t kernel, size_t target) const;
  void say_how_modelled(size_t kernel, size_t target, RuleFact& fact) const;
  RuleValue time_to_be_ranked(size_t kernel, size_t target) const;
  RuleFact share(size_t kernel, size_t target) const;
  RuleFact rank(size_t kernel, size_t target) const;
  core::Result<RuleFact> metric(const Rule& rule, size_t kernel, size_t target) const;
  core::Result<RuleFact> growth(const Rule& rule, size_t kernel, size_t target) const;
  core::Result<RuleFact> scales(const Rule& rule, size_t kernel, size_t target) const;
  std::optional<RuleFact> predicted_metric(size_t kernel, const std::string& metric, size_t target) const;
  std::optional<RuleFact> growth_of_kernel(size_t kernel, size_t target) const;
  std::optional<RuleFact> growth_of_total(Quantity quantity, size_t target) const;
  const KernelFinding* finding(size_t kernel, size_t target) const;
  const fit::KernelModel* model_of(size_t kernel) const;  // null where there is none
  // With the CPU clock the times in MPI are modelled, not measured (fit/application/application_data.h).
  bool cpu() const { return data_.clock == core::Clock::kCpu; }
  bool is_modelled(size_t kernel) const;
  // Communication is calculated on a network that was given: measurements on another one do not apply.
  bool on_given_network() const { return predictor_ && predictor_->model().on_given_network(); }
  bool is_exact_count(size_t kernel, const std::string& metric) const;
  double error_of_count(size_t kernel, const std::string& metric) const;
  // The mean over the runs of the values named `name` in shown_s_; empty where it was not measured.
  std::optional<double> shown(const std::string& name, const std::vector<double>& at) const;
  std::string shown_text(const std::string& name, const std::vector<double>& at) const;

  fit::ApplicationData data_;
  fit::ApplicationOptions fitting_;
  FindingsOptions options_;
  predict::Evidence evidence_;
  std::optional<TableNames> table_;
  RuleDomain domain_;
  std::vector<RuleKernel> kernels_;  // what rules may name
  // By kernels_, into data_.kernels: one, all metrics of a call path, or none of what was seen too rarely.
  std::vector<std::vector<size_t>> members_;
  std::vector<std::vector<double>> targets_;
  std::optional<predict::Predictor> predictor_;
  Findings findings_;
  std::set<core::KernelId> counts_by_time_;  // kernels whose counts are no exact ones: "counted_time_s"
  // Relative standard errors of counts, the largest of all runs.
  std::map<std::pair<core::KernelId, std::string>, double> count_errors_;
  // The values that `show` prints at a configuration, one a run: of totals by total_name, of MPI operations by their
  // name.
  std::map<std::pair<std::string, std::vector<double>>, std::vector<double>> shown_s_;
};

}  // namespace scalediag::report
