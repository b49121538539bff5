// Merges the raw files of ranks into a core::Profile. One rank's file is in memory at a time, and the memory for
// results grows with the number of kernels, not of ranks.
#pragma once

#include <vector>

#include "collector/merge/clock_choice.h"
#include "collector/merge/main_loop.h"
#include "collector/merge/merge_options.h"
#include "collector/merge/symbols/run_modules.h"
#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "core/result.h"

namespace scalediag::merge {

class SymbolCache;  // symbolizer.h; one ELF module is opened once for all runs

// The end of an unusable run, according to its raw files.
struct RunEnd {
  int left_without_finalize = 0;  // ranks that left by exit or the end of main and had not called MPI_Finalize
  int ended_unseen = 0;           // ranks of which neither MPI_Finalize nor MPI_Abort nor exit was seen
  bool each_alone = false;        // every process found itself alone in MPI_COMM_WORLD where more were asked for
  bool after_rounds = false;      // the run is usable: all ranks ended after the same round, as was asked for
};
// Error: a file of a newer version.
Result<RunEnd> look_at_end(const core::ExperimentFolder& folder, const core::RunEntry& entry);

// The site of MPI at which rounds of the run's main loop are counted. Error: as above.
Result<LoopSite> main_loop_site_of(const core::ExperimentFolder& folder, const core::RunEntry& entry);

// Merges runs/<id>/*.raw. A rank that is missing, unfinished or damaged does not fail the merge: the run comes back
// with complete = false and a reason that names the rank and the file, and with what could be read; so does a run
// whose folder is gone or holds no raw file. `use` and `modules`, if given, are filled where there is no error.
// Error: a file of a newer version (names both versions).
Result<core::Run> merge_run(const core::ExperimentFolder& folder, const core::RunEntry& entry,
                            const MergeOptions& options, SymbolCache& symbols, CoreUse* use = nullptr,
                            RunModules* modules = nullptr);

// The kernels of chosen ranks of a run, each rank by itself, in the order of `ranks`, for a comparison with counts of
// these ranks alone. "time_s" is in `options.clock`. Empty for a rank without a usable record. Error: a file of a newer
// version.
Result<std::vector<std::vector<core::Kernel>>> kernels_of_ranks(const core::ExperimentFolder& folder,
                                                                const core::RunEntry& entry,
                                                                const std::vector<int>& ranks,
                                                                const MergeOptions& options, SymbolCache& symbols);

// Merges every run whose state is complete into a profile, with one clock for all of them. Error (kInput): a file of a
// newer version; runs of different builds, see run_modules.h.
Result<core::Profile> merge_experiment(const core::ExperimentFolder& folder, const core::Experiment& experiment,
                                       bool resolve_inlined);

}  // namespace scalediag::merge
