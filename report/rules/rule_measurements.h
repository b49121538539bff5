// Rules about series in one of Extra-P's formats: kernels are call paths, which may contain one another, so there is no
// total and no share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fit/curves/fit.h"
#include "fit/curves/model.h"
#include "fit/data/measurement_set.h"
#include "report/findings/application_findings.h"
#include "report/rules/rule_kernels.h"
#include "report/rules/rule_source.h"

namespace scalediag::report {

class MeasurementRules : public RuleSource {
 public:
  MeasurementRules(fit::MeasurementSet set, fit::FitOptions fitting, FindingsOptions findings);

  const RuleDomain& domain() const override { return domain_; }
  core::Result<size_t> find_kernel(const Rule& rule) const override;
  core::Status predict(const std::vector<std::vector<double>>& targets, bool measured_only) override;
  core::Result<RuleFact> fact(const Rule& rule, size_t kernel, size_t target) const override;

 private:
  // The kernel's series of `metric`; where that is empty, of the metric that is its time.
  std::optional<size_t> series_of(size_t kernel, const std::string& metric) const;
  RuleFact value(size_t series, size_t target) const;
  core::Result<RuleFact> rank(const Rule& rule, size_t series, size_t target) const;
  core::Result<RuleFact> growth(const Rule& rule, size_t series, size_t target) const;
  core::Result<RuleFact> scales(const Rule& rule, size_t series, size_t target) const;
  const KernelFinding* finding(size_t series, size_t target) const;

  fit::MeasurementSet set_;
  fit::FitOptions fitting_;
  FindingsOptions options_;
  RuleDomain domain_;
  std::vector<RuleKernel> kernels_;  // distinct call paths, in the order of the set
  std::vector<std::vector<double>> targets_;
  std::vector<core::Result<fit::Model>> models_;  // of set_.series; empty before predict()
  Findings findings_;
};

}  // namespace scalediag::report
