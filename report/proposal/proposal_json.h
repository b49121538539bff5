// A scaling section as JSON (scalediag-proposal/1).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/result.h"
#include "report/proposal/proposal.h"

namespace scalediag::report {

core::Result<std::string> proposal_json(const Proposal& proposal);

// A table and its rows, as they stand in this and other documents.
nlohmann::ordered_json json_of(const ScalingTable& table);
// {"value", "low", "high", "level"}; low and high are null where nothing is known about the error.
nlohmann::ordered_json json_of(const Bounded& value);

}  // namespace scalediag::report
