// The settings that `scalediag-rank` passes to the library, through the environment.
#pragma once

#include <cstdint>
#include <string>

#include "collector/inject/gpu/gpu_calls.h"
#include "core/raw/node_format.h"
#include "core/raw/raw_format.h"

namespace scalediag::inject {

enum class SamplerChoice { kAuto, kCpus, kPerf, kTimer, kNone };

struct Settings {
  std::string directory;  // of the run; empty: the library stays passive
  std::string stamp;      // of the run, for its files; empty: none
  double rate_hz = raw::kUsualRate_hz;
  SamplerChoice sampler = SamplerChoice::kAuto;
  std::string events = {};       // to count with PAPI, separated by commas; empty: none
  uint64_t overflow_period = 0;  // of the first hardware event; 0: not chosen
  bool trace = false;            // record every communication event
  bool trace_series = false;     // and every computation between them
  size_t stack_bytes = 0;        // of a sample's stack, at most; 0: no call paths
  bool parallel_regions = true;  // of OpenMP are recorded
  gpu::Mode gpu = gpu::Mode::kHost;
  std::string emulation = {};      // the memory through which events are told; empty: they are not
  std::string emulation_key = {};  // for ranks of other hosts, which prove with it that they belong to the emulation
  int most_rank_files = raw::kUsualRankFiles;  // with more ranks in MPI_COMM_WORLD those of a node share a file
  std::string rounds = {};                     // raw::RoundsRequest, after which the program is ended; empty: it is not
  std::string scratch = {};  // a folder on the node, from which ranks write to that file at their end; empty: none
};

// Reads SCALEDIAG_DIRECTORY, SCALEDIAG_STAMP, SCALEDIAG_RATE_HZ, SCALEDIAG_SAMPLER, SCALEDIAG_EVENTS, SCALEDIAG_PERIOD,
// SCALEDIAG_CALL_PATHS, SCALEDIAG_ROUNDS, SCALEDIAG_TRACE, SCALEDIAG_GPU, SCALEDIAG_RANK_FILES, SCALEDIAG_SCRATCH,
// SCALEDIAG_EMULATION and SCALEDIAG_OPENMP, which users set.
Settings read_settings();

// Gives LD_PRELOAD back the value the user had set and removes our variables, so that programs which the
// application starts are not loaded with us and see the environment they would have seen.
void restore_environment();

}  // namespace scalediag::inject
