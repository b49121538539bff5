// The machine that `emulate` is to tell the time of: the places of ranks, and its processor.
#pragma once

#include <string>

#include "collector/launch/notices.h"
#include "core/result.h"
#include "loggp/network/network.h"

namespace scalediag::cli {

// "block:4", "cyclic:8", or a list of nodes. Error (kUsage): it is none of them.
core::Result<loggp::Placement> parse_map(const std::string& text);

// The factor of computation on the processor of this file of `scalediag machine`: how many times as long as here an
// instruction takes that waits for nothing. This machine is measured where it is not known. `notices` is told what the
// factor is made of. Errors: the file cannot be read, or lacks what is needed (kInput); as of measure_this_machine().
core::Result<double> cpu_factor_of(const std::string& machine_file, launch::Notices& notices);

}  // namespace scalediag::cli
