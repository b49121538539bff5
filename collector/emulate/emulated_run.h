// One run of a program whose ranks tell their events while they run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/emulate/emulated_profile.h"
#include "collector/emulate/event_channel.h"
#include "collector/launch/notices.h"
#include "collector/launch/plan/program_request.h"
#include "core/result.h"

namespace scalediag::emulate {

struct EmulationRequest : launch::ProgramRequest {
  int np = 0;
  std::optional<double> timeout_s;
  // Without an event of any rank, all of which have begun; empty: 300 s, or 10 s where they only poll.
  std::optional<double> patience_s;
  bool output_to_stderr = false;
  stream::Demands demands;
  std::string output;     // an experiment folder for a profile of the run; empty: none is made
  bool traced = true;     // with its trace
  std::string emulation;  // Experiment::emulation of that folder
};

// Takes what ranks tell; called by one thread, which is not the caller's.
class EventConsumer {
 public:
  virtual ~EventConsumer() = default;
  // `channel` is where questions are answered.
  virtual void begin(EventChannel& channel) = 0;
  virtual Status take(uint32_t rank, std::string_view bytes) = 0;
  // After all that there was at one time. Also called with no rank, when nothing more has come for a while.
  virtual Status go_on(const std::vector<uint32_t>& with_more) = 0;
  // Whether a rank waits for an answer.
  virtual bool is_asked() const = 0;
  // Why nothing happens, for the error when the run is given up.
  virtual std::string state() const = 0;
};

struct EmulatedRun {
  double elapsed_s = 0;
  int exit_status = 0;                     // the program's own, to be passed on
  std::string failure, hint;               // the reason why the run did not end as it should; empty: it did
  std::vector<core::EmulatedSleep> sleep;  // by rank
  std::unique_ptr<EmulatedProfile>
      profile;                 // of a run that ended as it should, to be finished; null: none was asked for
  uint64_t unknown_times = 0;  // that the program asked for in vain, of all ranks
  uint64_t decided_here = 0;   // results that depended on this machine's order of messages, of all ranks
};

// Errors: as of prepare_profile() and EmulatedProfile::begin(); the consumer's own; the program told nothing
// (kEnvironment). When it returns no process of the run is left, and no shared memory.
Result<EmulatedRun> run_emulated(const EmulationRequest& request, EventConsumer& consumer, launch::Notices& notices);

}  // namespace scalediag::emulate
