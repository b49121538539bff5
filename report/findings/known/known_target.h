// Puts simulated and replayed values, and those of measurable points, of a target in place of the predicted ones.
#pragma once

#include <string>
#include <vector>

#include "fit/application/application_model.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// The mean is the replayed one. The rank that computes longest, and waiting for it, stay in proportion to the mean as
// predicted, since the longest of many single replays is longest by chance; the intervals reach to it.
void put_replayed(const ReplayedComputation& replayed, fit::Prediction& prediction);
void put_simulated(const SimulatedCommunication& simulated, fit::Prediction& prediction);
// The mean is the points'; what depends on it stays in proportion.
void put_points(const PointComputation& points, fit::Prediction& prediction);

// A function in proportion to what was replayed, or to what points have; its formula gives what would be predicted.
void put_replayed(const ReplayedComputation& replayed, KernelFinding& function);
void put_points(const PointComputation& points, KernelFinding& function);
// Averaged costs of an operation, and whether it scales by them, say nothing of what was simulated.
void put_simulated(const SimulatedCommunication& simulated, KernelFinding& operation);

// A sentence for each part of a target that is not predicted: where its computation, communication and waiting are
// from.
std::vector<std::string> known_texts(const TargetFindings& target);

}  // namespace scalediag::report
