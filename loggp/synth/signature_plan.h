// What the synthetic signature (loggp/probe/synthetic_signature.c) executes: which ranks are measured when, and what
// black holes answer.
//
// Panadero et al. (IEEE TPDS 29(3), 2018, section 4): two ranges of ranks are measured at a time. Messages between
// measured ranks are real ones. Each measured rank that exchanges messages with others has a black hole (Eq. 5), a
// process that stands for all of them. An immediate answer would hide that a rank waits for those before it in a
// pipeline. So a black hole's message is sent as long after the latest message from the measured rank that it can
// depend on as a simulation says, and where there is none, as long after the beginning.
//
// Every message of a phase has to be measured: sent and received by ranks that are measured together. Ranks that begin
// a phase later than others, as in a pipeline, begin as much later as in the simulation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/synth/simulated_messages.h"
#include "loggp/synth/stepped_program.h"

namespace scalediag::loggp {

struct SignatureResources {
  int processes = 4;
  // The nodes of ranks, as the network's placement has them.
  Placement placement;
};

// Of a process that acts for a rank.
struct RankAction {
  enum class Kind : uint8_t { kCompute, kSend, kReceive, kWait, kMark } kind = Kind::kCompute;
  int process = 0;  // the other side
  int tag = 0;
  uint32_t request = 0;
  uint64_t bytes = 0;
  double seconds = 0;              // kCompute
  std::vector<uint32_t> requests;  // kWait
};

// Of a black hole, with the measured rank's process.
struct HoleAction {
  bool is_send = false;
  int tag = 0;
  uint64_t bytes = 0;
  int anchor = -1;     // the number of the action, a receive, that it follows; -1: the common beginning
  double seconds = 0;  // after that
};

struct MeasuredRank {
  int rank = 0;
  int hole = -1;       // its black hole's process; -1: none
  double begin_s = 0;  // after the common beginning
  uint32_t n_requests = 0;
  std::vector<RankAction> actions;
  std::vector<HoleAction> hole_actions;  // in the order of time
};

// A phase with some ranks measured. Processes from 0 on act for the ranks, those that follow are black holes.
struct SignatureRun {
  size_t window = 0;
  double base_s = 0;  // the simulation's time at the common beginning
  std::vector<MeasuredRank> ranks;
};

class SignaturePlanner {
 public:
  // Both outlive it.
  SignaturePlanner(const SteppedProgram& stepped, const SimulatedMessages& simulated);

  // The ranks that are measured together, one list after another. `group` of each rank: messages of one place of the
  // program between ranks of the same two groups are alike, and one of them is measured. Ranges have as many ranks as a
  // quarter of the processes, whole nodes where these fit. All ranks at once if there are processes for them.
  // Precondition: at least 4 processes, or one a rank.
  std::vector<std::vector<int>> measured_together(const std::vector<int>& group,
                                                  const SignatureResources& resources) const;

  // A phase with these ranks measured.
  SignatureRun run(size_t window, const std::vector<int>& ranks) const;

 private:
  // A side of a message that is in a window, or whose other side is.
  struct Happening {
    enum class Kind : uint8_t { kReceivePosted, kReceived, kSent } kind = Kind::kSent;
    uint32_t rank = 0, op = 0;
    uint32_t message = 0;
    double at_s = 0;
  };
  class Run;

  bool is_in(size_t window, uint32_t rank, uint32_t op) const {
    return op >= stepped_.windows[window].begin[rank] && op < stepped_.windows[window].end[rank];
  }

  const SteppedProgram& stepped_;
  const SimulatedMessages& simulated_;
  std::vector<std::vector<Happening>> happenings_;  // by window, in the order of time
};

// The text that the program reads:
//   scalediag-synth-plan 1 processes N runs N
//   run NUMBER TIMES N_PARTS         TIMES: 2 for straight parts, which have no round before the measured one: they are
//                                    executed twice, and measured the second time; else 1
//   part PROCESS BYTES, and so many bytes of text:
//     rank|hole BEGIN_S N_ACTIONS N_REQUESTS N_WAITED, and a line an action:
//     c SECONDS   s PROCESS TAG BYTES REQUEST   r PROCESS TAG BYTES REQUEST   w N REQUEST...   m
//   of a black hole: s|r PROCESS TAG BYTES ANCHOR SECONDS
std::string plan_text(const std::vector<SignatureRun>& runs, const std::vector<PhaseWindow>& windows, int processes);

}  // namespace scalediag::loggp
