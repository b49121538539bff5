// The time of each MPI operation in a simulation, and the messages that its calls wait for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "loggp/analysis/waiting_causes.h"
#include "loggp/simulator/observer.h"

namespace scalediag::loggp {
struct Network;
}

namespace scalediag::predict {

// Messages that an operation's calls wait for. Times are of a rank in the mean, and parts of the operation's time but
// for the costs.
struct AwaitedMessages {
  double late_sender_s = 0;     // until they are sent
  double late_receiver_s = 0;   // until the receiver of an own one is there
  double count = 0, bytes = 0;  // received in all ranks
  double cost_s = 0;            // of all of them on the network, if nobody waited
  double cost_of_bytes_s = 0;   // the part of it that is their bytes'
  int latest_rank = -1;         // the sender that is waited for longest; -1: none is
  double latest_share = 0;      // of late_sender_s
  double waiting_s = 0;         // for any reason
};

class OperationTimes : public loggp::Observer {
 public:
  OperationTimes(const loggp::Program& program, const loggp::Network& network);
  void on_span(const loggp::Span& span) override;
  void on_arrival(const loggp::Arrival& arrival) override;

  // Seconds of a rank in the mean.
  double transfer_s() const { return transfer_s_; }
  // By operation: seconds of a rank in the mean.
  std::map<std::string, double> seconds() const;
  AwaitedMessages awaited(const std::string& operation) const;
  const loggp::WaitingCauses& causes() const { return waiting_.causes(); }

 private:
  struct OfOperation {
    double seconds = 0;
    AwaitedMessages awaited;
    std::unordered_map<uint32_t, double> late_by_sender_s;
  };
  // The rank's last span in MPI, which the arrival of a message ends, and how long that was waited for.
  struct Last {
    OfOperation* operation = nullptr;
    uint32_t event = 0;
    double late_s = 0;
  };

  const loggp::Program& program_;
  const loggp::Network& network_;
  std::map<std::string, OfOperation> operations_;
  std::vector<Last> last_;  // by rank
  double transfer_s_ = 0;
  loggp::WaitingObserver waiting_;
};

}  // namespace scalediag::predict
