// Small programs that the tests of the simulator run.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "loggp/simulator/simulator.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {

// Messages of 9 bytes unless said otherwise: b = 8, G b = 2, O b = 1. With example_network():
//   the sender's CPU is busy for o_s + O b = 3, the receiver's for o_r + O b = 4
//   one way, both sides ready: o_s + L + G b + o_r + O b = 2 + 100 + 2 + 4 = 108
constexpr uint64_t kMessageBytes = 9;

inline Simulation run(const Program& program, const Network& network, const SimulationOptions& options = {}) {
  auto result = simulate(program, network, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? result.value() : Simulation{};
}

inline std::string simulator_error(const Program& program, const Network& network) {
  auto result = simulate(program, network);
  return result.ok() ? "no error" : result.error().message;
}

inline Op send(int to, uint64_t bytes = kMessageBytes, int tag = 0) { return message(OpKind::kSend, to, bytes, tag); }
inline Op recv(int from, uint64_t bytes = kMessageBytes, int tag = 0) {
  return message(OpKind::kRecv, from, bytes, tag);
}

}  // namespace scalediag::loggp
