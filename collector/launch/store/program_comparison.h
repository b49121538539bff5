// The comparison of two experiments' programs and inputs, where measurements of one are used for the other.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/plan/program_request.h"
#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::launch {

struct ProgramRun {
  std::string name;  // of the folder or the command that it is of, for errors
  core::Experiment experiment;
  core::Configuration configuration;  // arguments with parameters that it does not have are not compared
};

struct ProgramComparison {
  std::string other_program;    // a sentence; empty: the programs have the same name, whatever started them
  std::string other_arguments;  // the same
  std::vector<std::string>
      doubts;  // sentences: another build, another content of an input file, another standard input
};

// Files are compared where both runs have them, by their paths below the working directory. Other paths to the same
// file are no other arguments.
ProgramComparison compare_programs(const ProgramRun& a, const ProgramRun& b);

// The command's program, its build and the input files that its arguments name, as they are now. Errors: as of
// inspect_executable() and plan_of(). Precondition: the command is not empty.
Result<ProgramRun> program_to_run(const ProgramRequest& request, int np);

}  // namespace scalediag::launch
