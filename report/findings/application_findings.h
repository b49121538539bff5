// Findings of a profiled application, or of call paths in Extra-P's formats: these may contain one another, so that
// nothing is summed up, and the data show no causes.
#pragma once

#include <optional>
#include <vector>

#include "predict/predictor.h"
#include "report/findings/findings.h"
#include "report/findings/memory_findings.h"

namespace scalediag::report {

struct FindingsOptions {
  std::optional<Scaling> scaling;  // empty: to be recognised
  bool detailed = false;           // with the evidence of each kernel
  double efficiency_bound = kEfficiencyBound;
  std::optional<NodeMemory> node = {};
  // Of data that are a region's: its name, and the kind of scaling of the whole program, which is the region's, too.
  std::string region = {};
  std::optional<ScalingKind> program_scaling = {};
  // For trust_of(), the same.
  const core::Profile* profile = nullptr;
  const core::Experiment* experiment = nullptr;
};

// `predictor` of data with a measured point. Precondition: at least one target, all values positive.
Findings application_findings(const predict::Predictor& predictor, const std::vector<predict::Target>& targets,
                              const FindingsOptions& options = {});
// The same where nothing but the model is known; targets in the order of the data's parameters.
Findings application_findings(const fit::ApplicationModel& model, const std::vector<std::vector<double>>& targets,
                              const FindingsOptions& options = {});

}  // namespace scalediag::report
