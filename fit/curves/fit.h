// Models from series: along which parameters to fit, and which series learn from each other.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/curves/curve_fit.h"
#include "fit/curves/model.h"
#include "fit/data/observations.h"

namespace scalediag::fit {

// Index of the first of np, p, P, processes, ranks, nodes, cores, gpus among the names; none: none of them is.
std::optional<size_t> named_processes(const std::vector<std::string>& names);

struct FitOptions {
  // The parameter that is the number of processes; empty: named_processes(), else the first parameter.
  std::string processes;
  // The parameter that is the problem size D. Where it was measured at one value only, other sizes are estimated by
  // their work per process, D/P; where it was measured at several, models are over D/P and D. Empty: none.
  std::string size;
  // The share of true values that intervals are to hold; above 0, below 1.
  double level = 0.9;
  // The relative error that values may have without being further from the truth than their kind allows: a hypothesis
  // that meets all of them up to it is taken to be their source.
  double accuracy = 1e-5;
  ModelSet models = ModelSet::kEnsemble;
  unsigned threads = 0;  // at most so many; 0: as many as there are cores. Models do not depend on it.
};

// Fits one series. Errors: (kInput) no parameter; no observation with a usable value; only one configuration. (kUsage)
// a parameter that the options name and the series does not have.
Result<Model> fit(const Series& series, const FitOptions& options = {});

// Fits the series of one program together: those of equal metric and parameters learn from each other which hypotheses
// predict well and how large errors are. Returns the models in the order of `series`. Deterministic.
std::vector<Result<Model>> fit_all(std::span<const Series> series, const FitOptions& options = {});
std::vector<Result<Model>> fit_all(std::span<const Series* const> series, const FitOptions& options = {});

}  // namespace scalediag::fit
