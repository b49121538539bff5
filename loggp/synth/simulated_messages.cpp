#include "loggp/synth/simulated_messages.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "loggp/simulator/simulator.h"

namespace scalediag::loggp {
namespace {

// From, to, tag, communicator: messages with the same ones meet their receives in order.
using MessageKey = std::tuple<uint32_t, uint32_t, int32_t, uint32_t>;

struct MessageSides {
  std::vector<uint32_t> sends, receives;  // operations
  std::vector<Arrival> arrivals;
};

class MessageRecorder : public Observer {
 public:
  MessageRecorder(const ListProgram& program, std::vector<std::vector<double>>& end_s) : end_s_(end_s) {
    for (int r = 0; r < program.ranks(); ++r) end_s_.emplace_back(program.of(r).size() + 1, 0.0);
  }
  void on_span(const Span& span) override { end_s_[span.rank][span.event + 1] = span.end_s; }
  void on_arrival(const Arrival& arrival) override {
    sides_[{arrival.from, arrival.to, arrival.tag, arrival.communicator}].arrivals.push_back(arrival);
  }
  std::map<MessageKey, MessageSides>& sides() { return sides_; }

 private:
  std::vector<std::vector<double>>& end_s_;  // one further, so that they are beginnings of the next operation
  std::map<MessageKey, MessageSides> sides_;
};

}  // namespace

core::Result<SimulatedMessages> simulate_messages(const ListProgram& program, const Network& network) {
  SimulatedMessages made;
  MessageRecorder recorder(program, made.begin_s);
  SimulationOptions options;
  options.observer = &recorder;
  if (const auto simulated = simulate(program, network, options); !simulated) return simulated.error();
  for (std::vector<double>& of_rank : made.begin_s) {
    for (size_t i = 1; i < of_rank.size(); ++i) of_rank[i] = std::max(of_rank[i], of_rank[i - 1]);
  }
  for (int r = 0; r < program.ranks(); ++r) {
    const std::vector<Op>& ops = program.of(r);
    for (uint32_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      const auto own = static_cast<uint32_t>(r);
      const auto peer = static_cast<uint32_t>(op.peer);
      if (op.kind == OpKind::kIsend) {
        recorder.sides()[{own, peer, op.tag, op.communicator}].sends.push_back(i);
      } else if (op.kind == OpKind::kIrecv) {
        recorder.sides()[{peer, own, op.tag, op.communicator}].receives.push_back(i);
      }
    }
  }
  for (auto& [key, sides] : recorder.sides()) {
    const auto [from, to, tag, communicator] = key;
    if (sides.arrivals.size() != sides.sends.size() || sides.receives.size() != sides.sends.size()) {
      return core::Error{core::ErrorCode::kInput,
                         "rank " + std::to_string(to) + " receives messages of rank " + std::to_string(from) +
                             ", tag " + std::to_string(tag) + ", and does not wait for them",
                         "record the program again, until it ends by itself", ""};
    }
    std::stable_sort(sides.arrivals.begin(), sides.arrivals.end(),
                     [](const Arrival& a, const Arrival& b) { return a.posted_s < b.posted_s; });
    for (size_t i = 0; i < sides.sends.size(); ++i) {
      const Arrival& a = sides.arrivals[i];
      const uint64_t bytes = program.of(static_cast<int>(from))[sides.sends[i]].bytes;
      made.messages.push_back(
          {from, to, sides.sends[i], sides.receives[i], a.event, bytes, a.posted_s, a.arrived_s, a.received_s});
    }
  }
  std::stable_sort(made.messages.begin(), made.messages.end(), [](const auto& a, const auto& b) {
    return std::tie(a.from, a.send_op) < std::tie(b.from, b.send_op);
  });
  return made;
}

}  // namespace scalediag::loggp
