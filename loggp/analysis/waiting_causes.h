// Why ranks wait in a simulation.
//
//   pipeline       waiting that goes on from rank to rank, as in a wavefront: a rank waits for a message whose sender
//                  waited for a third rank since it sent the last one, by more than the rank itself did meanwhile. Both
//                  waits are the pipeline's
//   late sender    a rank waits for a message whose sender did something else, and no other rank waits for that
//   late receiver  a large message waits for its receiver
//   lock held      another rank holds the lock of a window's memory
//   collective     a late sender or receiver inside a collective, for ranks that come to it later
//
// Where the sender of a message inside a collective waited for messages from rank to rank meanwhile, the collective
// waits for a pipeline, too. Two ranks alone are no pipeline.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "loggp/simulator/observer.h"

namespace scalediag::loggp {

// Seconds, sum over ranks.
struct WaitingCauses {
  double late_sender_s = 0;
  double late_receiver_s = 0;
  double collective_s = 0;
  double pipeline_s = 0;
  double lock_s = 0;  // another rank held the lock of a window's memory

  double sum_s() const;
  void multiply(double factor);
};
constexpr double WaitingCauses::*kCausesOfWaiting[] = {&WaitingCauses::late_sender_s, &WaitingCauses::late_receiver_s,
                                                       &WaitingCauses::collective_s, &WaitingCauses::pipeline_s,
                                                       &WaitingCauses::lock_s};

class WaitingObserver : public Observer {
 public:
  explicit WaitingObserver(int ranks) : of_rank_(static_cast<size_t>(ranks)) {}
  void on_span(const Span& span) override;
  void on_arrival(const Arrival& arrival) override;
  const WaitingCauses& causes() const { return causes_; }

 private:
  // For a message from rank to rank.
  struct Wait {
    double begin_s = 0, end_s = 0;
    uint32_t from = 0;
    bool is_pipeline = false;
  };
  // The last waits of a rank: what lies further back is no reason to wait now.
  static constexpr size_t kKept = 32;
  struct OfRank {
    std::array<Wait, kKept> waits;
    size_t next = 0;  // the oldest one
    Wait last;        // the wait whose message has not arrived yet
    uint32_t event = 0;
    SpanKind kind = SpanKind::kComputation;  // kLateSender, kCollectiveWait; else: nothing is waited for
  };
  bool is_passed_on(const Arrival& arrival, const Wait& wait);

  std::vector<OfRank> of_rank_;
  std::unordered_map<uint64_t, double> last_received_s_;  // by sender and receiver
  WaitingCauses causes_;
};

}  // namespace scalediag::loggp
