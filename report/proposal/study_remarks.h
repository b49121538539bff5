// Reservations about an experiment that the section of a proposal says itself: what its runs do not show, and the
// command whose runs would.
#pragma once

#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "report/proposal/study.h"

namespace scalediag::report {

// `study` with its findings, provenance and tables.
std::vector<std::string> remarks_of(const Study& study, const core::Profile& profile,
                                    const core::Experiment* experiment);

// The first sentence of each of the first kMostRemarks, for a terminal.
constexpr size_t kMostRemarks = 3;
std::vector<std::string> briefly(const std::vector<std::string>& remarks);

}  // namespace scalediag::report
