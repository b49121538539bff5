// The emulation of a program: the operations that its ranks tell, simulated while they run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "loggp/emulation/call_times.h"
#include "loggp/emulation/told_program.h"
#include "loggp/network/network.h"
#include "loggp/simulator/live_simulation.h"

namespace scalediag::loggp {

struct EmulationOptions {
  double compute_factor = 1;
  bool times_calls = false;  // and regions
  // Operations are kept for the critical path as long as there are at most that many events.
  uint64_t most_kept_events = uint64_t{1} << 26;
};

class Emulation {
 public:
  // `network` outlives it. Errors: as of check_simulation().
  static Result<std::unique_ptr<Emulation>> begin(int ranks, const Network& network, const EmulationOptions& options,
                                                  LiveSimulation::Answer answer);

  // As of ToldProgram::take().
  Status take(uint32_t rank, std::string_view bytes) { return program_.take(static_cast<int>(rank), bytes); }
  // Simulates what is known. As of LiveSimulation::go_on().
  Status go_on(const std::vector<uint32_t>& with_more, const std::vector<bool>& is_idle = {});
  // The times of calls so far. Precondition: EmulationOptions::times_calls.
  const CallTimes& call_times() const { return *call_times_; }
  const LiveSimulation& simulation() const { return *simulation_; }
  // After the last operation. Errors: as of simulate().
  Result<Simulation> end();

  // The states of the ranks that have not ended, for an error.
  std::string state() const;

  // Whether all operations were kept, so that program() can be simulated again.
  bool keeps_all() const { return keeps_all_; }
  const ToldProgram& program() const { return program_; }
  ToldProgram take_program() { return std::move(program_); }

 private:
  // A rank that ended MPI without MPI_Finalize.
  std::optional<int> left_early() const;
  Emulation(int ranks, const EmulationOptions& options) : options_(options), program_(ranks) {}

  EmulationOptions options_;
  ToldProgram program_;
  std::optional<CallTimes> call_times_;
  std::optional<LiveSimulation> simulation_;
  bool keeps_all_ = true;
};

}  // namespace scalediag::loggp
