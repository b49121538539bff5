// The compiler and the options that a program was built with, as its debug information says (gcc and gfortran with -g).
#pragma once

#include <string>

namespace scalediag::replay {

// In the recording's folder: what build_of() says of the recorded program.
constexpr char kBuildFile[] = "/build.txt";

// "GNU C17 12.2.0 -mtune=generic -march=x86-64 -O2 -g": of the first part of the program that was optimised, or else of
// the first one. Empty: it is not known.
std::string build_of(const std::string& program);

// "-O3 in place of -O2": the words that only one of two builds has. Empty: there are none, or one is not known.
std::string build_difference(const std::string& recorded, const std::string& now);

}  // namespace scalediag::replay
