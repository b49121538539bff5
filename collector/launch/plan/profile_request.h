// The request of a user to `scalediag profile`, as typed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "collector/launch/plan/pass_cost.h"
#include "collector/launch/plan/program_request.h"
#include "core/profile/run_summary.h"
#include "core/raw/node_format.h"
#include "core/raw/raw_format.h"

namespace scalediag::launch {

// Counting before a call takes 0.2 ms under valgrind, of which a rank may spend some half a minute.
constexpr int kCountedCalls = 200'000;

// Of a sample's stack: the stacks of most programs are shorter, and a copy costs a few microseconds.
constexpr size_t kStackBytes = 16 * 1024;

struct ProfileRequest : ProgramRequest {
  std::string np_list;  // empty: default_process_counts()
  std::string output;   // empty: <application>.scalediag
  std::optional<int> repeat;
  int max_repeat = 5;
  bool max_repeat_given = false;
  double target_cv = core::StabilityOptions{}.target_cv;
  double rate_hz = raw::kUsualRate_hz;
  std::string sampler = "auto";
  std::string clock = "auto";
  std::string scaling;             // "auto", "strong", "weak"; empty: as the experiment has it
  std::string counters = "auto";   // "auto", "papi", "simulated", "none"
  std::string events;              // names for PAPI, separated by commas; empty: the best available ones
  bool events_precise = false;     // each event is charged by its own overflows
  std::string simulate_ranks;      // LIST or "all"; empty: a few are chosen
  bool count_in_part = false;      // simulated counts are those of few rounds and ranks, where these stand for all
  std::optional<double> budget_s;  // of all runs but the first of each configuration; empty: usual_budget_s()
  std::optional<double> counting_budget_s;  // empty: what the runs leave of theirs, and at least one run of each
  std::string machine;      // a machine.json, or "none"; empty: that of this host, measured if it is not known
  bool no_network = false;  // this host's network is not measured
  bool no_replays = false;  // no rank is run again alone
  std::optional<double> timeout_s;
  std::string accept_status;  // LIST of exit statuses that count as success
  bool resolve_inlined = false;
  bool fresh = false;
  bool passes_output_on = true;  // the application's, to ours; false: into the folder only
  bool call_paths = false;
  size_t stack_bytes = kStackBytes;  // of a sample's stack that are copied, at most; with call paths
  // "auto", which is "host"; "host": calls of GPUs' libraries are counted; "activity": the device's time for launches
  // and copies as well; "none".
  std::string gpu = "auto";
  bool trace = false;               // every run's events are recorded, whatever that costs
  bool no_trace = true;             // else they are recorded where that costs little
  bool series = false;              // of computations, in the trace
  int count_calls = kCountedCalls;  // whose instructions are counted, with traces and simulated counters

  // With more ranks, those of a node share a raw file.
  int rank_files = raw::kUsualRankFiles;
  // A folder of each node, or "auto"; empty: ranks write into the experiment at once.
  std::string scratch;
};

}  // namespace scalediag::launch
