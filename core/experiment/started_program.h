// The program that an experiment is of, where another one starts it: a script, env, taskset.
#pragma once

#include <string>

#include "core/experiment/experiment.h"

namespace scalediag::core {

// Experiment::program where processes of the file `ran` called MPI_Init. Empty: `executable`, the file that was
// started, is the program itself. It is also where `ran` is its interpreter, and where `ran` is Python, whose name says
// less than the script's. An empty `ran` is not known.
std::string program_behind(const std::string& executable, const std::string& ran);

// The file name of the program: of `program`, or where that is empty of `executable`.
std::string program_name(const std::string& executable, const std::string& program);
inline std::string program_name(const Experiment& experiment) {
  return program_name(experiment.executable, experiment.program);
}

}  // namespace scalediag::core
