// The ranks of a run that stand for others, for `scalediag groups` and for recording only these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/network/network.h"
#include "loggp/representatives/computation_vector.h"
#include "loggp/representatives/representatives.h"

namespace scalediag::cli {

// In a recording: a line for each set of ranks that one stands for, by which `record` chose ranks.
constexpr const char* kGroupsFile = "groups.txt";
// The beginning of a line of it that is a warning.
constexpr const char* kGroupsWarning = "warning: ";

struct RepresentativesSource {
  std::string path;         // an experiment folder, or one with traces
  int np = 0;               // number of ranks, recorded or larger than all recorded ones; 0: the only one
  std::string computation;  // "replay:DIR": computations are those of replayed ranks; empty: the recorded ones
  loggp::SetChoice choice = {};
};

struct RepresentedRun {
  std::string program;
  bool is_scaled = false;  // the groups are those of smaller runs, scaled
  loggp::Representatives representatives;
  size_t repeats = 1;  // of the run, or fewest of the replayed ranks, that computations are medians of
};

// Warns of ranks that communicate alike at the largest recorded number of ranks, and compute otherwise, where groups
// are scaled. Errors: as of find_trace_folder(), loggp::model_of_run(), read_scaled_traces(), read_replayed() and
// loggp::representatives_of(); (kInput) a similarity is asked for, and of no group the computations of all ranks are
// known in their order.
Result<RepresentedRun> read_representatives(const RepresentativesSource& source);

// Warns of sets whose ranks are farther apart than loggp::kUnlike beyond noise, and of those of which that is not
// known; says so of sets that noise alone takes as far apart. Returns the first of these warnings; empty: there is
// none.
std::string tell_apart(const RepresentedRun& run);

// Warns of ranks whose computations are unlike those that they are given, as above.
void tell_stand_ins(const std::vector<loggp::StandIn>& stand_ins);

// Warns of ranks that communicate alike at the largest number of ranks recorded in `path`, and compute otherwise, where
// groups are scaled and nothing is known of what their ranks compute.
void check_largest_run(const std::string& path);

// For each of `np` ranks the replayed one whose computations it is given (loggp::replayed_for()), by the traces of
// `path`. Warns of those that are unlike. Errors: as above but for similarity; a group of which no rank was replayed
// (kInput).
Result<std::vector<loggp::StandIn>> read_stand_ins(const std::string& path, int np,
                                                   const loggp::ReplayedRanks& replayed);

// The vectors in the DIR of "replay:DIR"; none where `computation` is empty. Errors: it is something else (kUsage); as
// of loggp::read_replayed_ranks().
Result<loggp::ReplayedRanks> read_replayed(const std::string& computation);
// Checks that the ranks replayed in it (nothing is checked where it is empty) are of the program and the arguments
// whose traces are in `folder`, as program_of_traces() takes them. Error (kInput): they are not. Warns of other doubts.
Status check_replayed_program(const std::string& name, const std::string& folder, int np,
                              const std::string& computation);
// Warns where the nodes of the ranks recorded in `folder` (`record --node`) are not those of the network: they share
// their memory with other ranks there.
void tell_other_nodes(const std::string& folder, const loggp::Network& network);
// This DIR; empty where `computation` is something else.
std::string replayed_folder(const std::string& computation);

}  // namespace scalediag::cli
