// A recording held against the place where it is replayed: what differs there and is only said, as another library or
// processor does, and what would make it another computation.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"

namespace scalediag::replay {

struct Place {
  core::Experiment experiment;
  std::string mpi_version;                   // "4.1.4"; empty: not known
  std::string build;                         // as build_of() says
  bool uses_openmp = false;                  // by the libraries that the program needs; known of the replay only
  bool names_program = false;                // --program
  std::set<std::string> set_variables = {};  // by --env
  std::string folder_with_inputs = {};       // another one, which has the recorded files; empty: none is known
  // Where a recorded file, by its absolute path, is looked for.
  std::function<std::string(const std::string&)> path_here = [](const std::string& path) { return path; };
};

struct Refusal {
  std::string reason;                // "/home/a/in has another content"
  std::vector<std::string> options;  // of `scalediag replay` that mend it
  std::string unset;                 // a variable that must not be set
  std::string mend;                  // where no option does: one sentence without its end
};

struct PlaceComparison {
  std::vector<std::string> said;  // "the processor was A and is now B"
  std::vector<Refusal> refused;
};

// Arguments are the recording's and cannot differ; families of MPI are compared before (open_recording()).
PlaceComparison compare_places(const Place& recorded, const Place& here);

// The first version in what MPI_Get_library_version or a launcher's --version says: "4.1.4"; empty: there is none.
std::string mpi_version_in(const std::string& text);

}  // namespace scalediag::replay
