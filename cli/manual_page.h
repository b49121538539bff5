// The manual page scalediag(1), in the roff of man(7).
#pragma once

#include <string>

#include "cli/options/option_table.h"

namespace scalediag::cli {

// `version` as "0.1.0", `date` as "2026-01-31".
std::string manual_page(const OptionTable& table, const std::string& version, const std::string& date);

}  // namespace scalediag::cli
