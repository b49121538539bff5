// The output of `scalediag machine` for people.
#pragma once

#include <string>

#include "cli/table.h"
#include "core/machine.h"

namespace scalediag::cli {

std::string machine_text(const core::Machine& machine, const TableStyle& style);

}  // namespace scalediag::cli
