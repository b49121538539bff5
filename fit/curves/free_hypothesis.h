// The hypothesis with a free exponent or rate (fit/numerics/free_form.h), of any form of Ding et al. 2018.
//
// It takes part where, fitted to the first k scales, it meets all larger ones within the noise, that of its own
// coefficients included, for every k from 3. With three unknowns it would else follow the noise of a series as short as
// usual ones are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fit/curves/hypotheses.h"
#include "fit/numerics/free_form.h"

namespace scalediag::fit {

// The form that takes part, fitted to all points; of several the one that misses least. It replaces the stand-in among
// `hypotheses` ([count][hypothesis], from `first` on). `noise`: of a value, relative. None: fewer than five points,
// which are two more than unknowns, or no form meets the scales.
std::optional<FreeFit> find_free_hypothesis(const ScaleTable& scales, std::span<const double> values,
                                            std::span<const double> log_values, double noise, size_t first,
                                            std::vector<FittedHypotheses>* hypotheses);

// A set of hypotheses: bit l is set where hypothesis l misses one of the first `known` points, which it was fitted to,
// by more than the noise. Where the free hypothesis takes part, which does not, they do not count.
uint32_t refuted_hypotheses(const FittedHypotheses& hypotheses, const ScaleTable& scales,
                            std::span<const double> log_values, size_t known, double noise);

}  // namespace scalediag::fit
