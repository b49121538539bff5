// Findings of a profiled application, or of call paths in Extra-P's formats: these may contain one another, so that
// nothing is summed up, and the data show no causes.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "fit/application/application.h"
#include "report/findings/findings.h"
#include "report/findings/memory_findings.h"

namespace scalediag::report {

struct FindingsOptions {
  std::optional<Scaling> scaling;  // empty: to be recognised
  bool detailed = false;           // with the scaling curve and the evidence of each kernel
  double efficiency_bound = kEfficiencyBound;
  // Simulated communication at targets, by their number of processes; others have averaged costs.
  std::map<double, SimulatedCommunication> simulated = {};
  // Replayed computation at targets, the same way; others have what is predicted.
  std::map<double, ReplayedComputation> replayed = {};
  // Computation measured by points at targets, the same way.
  std::map<double, PointComputation> points = {};
  std::optional<NodeMemory> node = {};
  // Of data that are a region's: its name, and the kind of scaling of the whole program, which is the region's, too.
  std::string region = {};
  std::optional<ScalingKind> program_scaling = {};
};

// `model` of data with a measured point. `targets` in the order of the data's parameters. Precondition: at least one
// target, all values positive.
Findings application_findings(const fit::ApplicationModel& model, const std::vector<std::vector<double>>& targets,
                              const FindingsOptions& options = {});

}  // namespace scalediag::report
