// The output of `scalediag machine` for people.
#pragma once

#include <string>

#include "core/experiment/machine.h"
#include "core/text/table.h"

namespace scalediag::report {

std::string machine_text(const core::Machine& machine, const core::TableStyle& style);

}  // namespace scalediag::report
