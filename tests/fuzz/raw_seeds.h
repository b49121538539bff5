// Small raw files for the start, with every kind of chunk in every situation that the reader distinguishes.
#pragma once

#include <string>
#include <vector>

namespace scalediag::fuzz {

std::vector<std::string> raw_seeds();

// Recomputes the checksums of the chunks that can still be found, so that a change of a payload is not refused for
// them. `bytes` is in the byte order of this machine.
void mend_checksums(std::string& bytes);

}  // namespace scalediag::fuzz
