// What ranks of an emulation tell, as any bytes: the reader's answer is an error or a simulation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalediag::tests {

// Emulates three ranks. The first byte says which ranks begin as they should (a bit each); then come pieces: the rank, a
// number of bytes, these bytes. Whatever is missing at the end is left out.
void emulate_told_bytes(std::string_view input);

// Inputs of that form from which to start: a ring, collectives on a communicator, questions and regions.
std::vector<std::string> told_seeds();

}  // namespace scalediag::tests
