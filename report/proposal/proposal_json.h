// A scaling section as JSON (scalediag-proposal/1).
#pragma once

#include <string>

#include "core/result.h"
#include "report/proposal/proposal.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {

core::Result<std::string> proposal_json(const Proposal& proposal);

// The result of job_choices().
Json choices_json(const ScalingTable& table, double bound);

}  // namespace scalediag::report
