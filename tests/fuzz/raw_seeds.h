// Raw files to start from, small ones with every kind of chunk in every situation that the reader tells apart.
#pragma once

#include <string>
#include <vector>

namespace scalediag::fuzz {

std::vector<std::string> raw_seeds();

// Recomputes the checksums of the chunks that can still be found, so that a change of a payload gets past them.
// `bytes` is in the byte order of this machine.
void mend_checksums(std::string& bytes);

}  // namespace scalediag::fuzz
