// The first reading of a run's raw files: the file of each rank, missing or damaged files, and the shortest call of
// every class of calls, relative to which the time that ranks were blocked is measured. A few bytes a rank are kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "collector/merge/core_demand.h"
#include "collector/merge/main_loop.h"
#include "collector/merge/raw/raw_streams.h"
#include "collector/merge/symbols/run_modules.h"
#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::merge {

// Calls of one operation, by name, on communicators of one size, with one bin of message sizes.
using ClassKey = std::tuple<std::string, uint32_t, uint32_t>;

struct RunScan {
  std::vector<std::string> files;        // paths, as raw_files_in() orders them
  std::vector<StreamId> stream_of_rank;  // none: no usable record
  std::map<ClassKey, double> shortest_call_s;
  bool complete = false;
  std::string reason;             // the reason why it is not complete
  int left_without_finalize = 0;  // ranks that left by exit or the end of main and had not called MPI_Finalize
  int ended_unseen = 0;           // ranks of which neither MPI_Finalize nor MPI_Abort nor exit was seen
  bool each_alone = false;        // more ranks were asked for, and every process is alone in its MPI_COMM_WORLD
  std::vector<std::string> warnings;
  int threads = 1;                         // the largest number busy at once in a rank
  int ranks_on_a_host = 0;                 // the largest number
  uint32_t online_cpus = 0;                // the smallest number of any host, 0 when unknown
  std::string host;                        // of the lowest rank
  std::optional<TooFewCpus> too_few_cpus;  // of the host with the largest shortage
  RunModules modules;                      // of the ranks that are used
  MainLoop main_loop;                      // of them
  std::optional<raw::Rounds> rounds;       // where all of them ended after these, and were extended to the whole run
};

// The first of the reasons where RunScan::each_alone, of a run of `np` ranks.
std::string each_alone_text(int np);

// Run folders that cannot be read or hold no raw file give a run that is not complete; so do raw files of another run.
// Error: a raw file of a newer version.
Result<RunScan> scan_run(const core::ExperimentFolder& folder, const core::RunEntry& entry);

}  // namespace scalediag::merge
