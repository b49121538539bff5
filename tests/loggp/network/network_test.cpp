#include "loggp/network/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "loggp/collectives/algorithm_choice.h"
#include "loggp/network/message_cost.h"
#include "loggp/network/network_json.h"
#include "loggp/simulator/simulator.h"
#include "tests/core/text_mutation.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

const std::string kByHand = R"({
  "schema": "scalediag-network/1",
  "other_node": {"L": 1e-6, "S_sync": 4096, "segments": [
    {"from": 0, "to": 1024, "o_s": 2e-7, "o_r": 3e-7, "O": 0, "g": 5e-7, "G": 1e-10},
    {"from": 1024, "to": null, "o_s": 2e-7, "o_r": 3e-7, "g": 5e-7, "G": 8e-11, "L": 2e-6}]},
  "same_node": {"L": 1e-7, "S_sync": null, "segments": [{"from": 0, "o_s": 0, "o_r": 0, "g": 0, "G": 2e-11}]},
  "placement": {"kind": "block", "ranks_per_node": 4},
  "topology": {"kind": "tree", "shape": [2, 2], "hop_latency": 1e-7},
  "algorithms": {"Allreduce": "ring"}
})";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string network_error(const std::string& text) {
  const auto network = parse_network(text, "n.json");
  return network ? "no error" : network.error().message;
}

TEST(Network, ReadsWhatAPersonWrote) {
  const auto read = parse_network(kByHand, "n.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Network& n = read.value();
  EXPECT_EQ(n.other_node.sync_bytes, 4096U);
  EXPECT_EQ(n.same_node.sync_bytes, kAnySize);
  ASSERT_EQ(n.other_node.segments.size(), 2U);
  EXPECT_DOUBLE_EQ(n.other_node.segment_of(1023).gap_s_per_byte, 1e-10);
  EXPECT_DOUBLE_EQ(n.other_node.segment_of(1024).gap_s_per_byte, 8e-11);
  EXPECT_DOUBLE_EQ(n.other_node.latency_of(n.other_node.segment_of(1024)), 2e-6);
  const CostModel costs(n);
  EXPECT_EQ(costs.link(0, 3), CostModel::kSameNode);
  EXPECT_EQ(costs.link(3, 4), CostModel::kOtherNode);
  ASSERT_EQ(n.algorithms.size(), 1U);
}

// All fields that a measurement writes, and placements as people write them.
const std::string kMeasured = R"({
  "schema": "scalediag-network/1", "name": "two racks", "library": "openmpi", "library_version": "4.1.4",
  "progress": "in-calls", "reduction": 1.5e-11, "copy": 2e-10, "placement": {"kind": "cyclic", "nodes": 3},
  "topology": {"kind": "torus", "shape": [4, 5], "hop_latency": 2e-7},
  "provenance": {"launcher": "mpirun -n {np} {command}"},
  "same_node": {"L": 1e-7, "segments": [{"o_s": 0, "o_r": 0, "g": 0, "G": 2e-11}]},
  "other_node": {"L": 1e-6, "S_sync": 64, "exchange": 1.75, "connect": 0.125, "notes": ["clamped"],
    "segments": [{"from": 0, "to": 65, "o_s": 1e-7, "o_r": 2e-7, "O": 3e-11, "g": 4e-7, "G": 5e-11, "residual": 0.01},
                 {"from": 65, "to": null, "o_s": 1e-7, "o_r": 2e-7, "g": 4e-7, "G": 5e-11, "handshake": 0.5}],
    "measured": [{"bytes": 8, "half_round_trip": [1e-6, 2e-6, 3e-6], "gap": [4e-7, 5e-7, 6e-7]}]}
})";

void expect_measured(const Network& n) {
  EXPECT_EQ(n.name, "two racks");
  EXPECT_EQ(n.library, "openmpi");
  EXPECT_EQ(n.library_version, "4.1.4");
  EXPECT_EQ(n.reduction_s_per_byte, 1.5e-11);
  EXPECT_EQ(n.copy_s_per_byte, 2e-10);
  EXPECT_EQ(n.progress, Progress::kInCalls);
  EXPECT_EQ(n.placement.kind, Placement::Kind::kCyclic);
  EXPECT_EQ(n.placement.nodes, 3);
  EXPECT_EQ(n.topology.kind, Topology::Kind::kTorus);
  EXPECT_EQ(n.topology.shape, (std::vector<int>{4, 5}));
  EXPECT_EQ(n.topology.hop_latency_s, 2e-7);
  ASSERT_EQ(n.provenance.size(), 1U);
  EXPECT_EQ(n.provenance[0].second, "mpirun -n {np} {command}");
  const LinkClass& link = n.other_node;
  EXPECT_EQ(link.latency_s, 1e-6);
  EXPECT_EQ(link.sync_bytes, 64U);
  EXPECT_EQ(link.exchange, 1.75);
  EXPECT_EQ(link.connect_s, 0.125);
  EXPECT_EQ(link.notes, std::vector<std::string>{"clamped"});
  ASSERT_EQ(link.segments.size(), 2U);
  EXPECT_EQ(link.segments[0].to_bytes, 65U);
  EXPECT_EQ(link.segments[0].send_overhead_s, 1e-7);
  EXPECT_EQ(link.segments[0].receive_overhead_s, 2e-7);
  EXPECT_EQ(link.segments[0].overhead_s_per_byte, 3e-11);
  EXPECT_EQ(link.segments[0].gap_s, 4e-7);
  EXPECT_EQ(link.segments[0].gap_s_per_byte, 5e-11);
  EXPECT_EQ(link.segments[0].residual, 0.01);
  EXPECT_EQ(link.segments[1].handshake, 0.5);
  ASSERT_EQ(link.samples.size(), 1U);
  EXPECT_EQ(link.samples[0].bytes, 8U);
  EXPECT_EQ(link.samples[0].half_round_trip_s[2], 3e-6);
  EXPECT_EQ(link.samples[0].gap_s[0], 4e-7);
}

TEST(Network, EveryFieldIsReadAndWritten) {
  const auto read = parse_network(kMeasured, "n.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  expect_measured(read.value());
  const auto again = parse_network(network_text(read.value()).value(), "again");
  ASSERT_TRUE(again.ok()) << again.error().message;
  expect_measured(again.value());
}

// One link class stands for both; fields that only the other one may have are not written for it.
TEST(Network, OneLinkClassComesBack) {
  const std::string text = R"({"schema": "scalediag-network/1", "other_node": {"L": 1, "S_sync": 64, "exchange": 2,
    "segments": [{"o_s": 0, "o_r": 0, "g": 0, "G": 0}]}})";
  const auto read = parse_network(text, "n.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(network_error(network_text(read.value()).value()), "no error");
}

TEST(Network, ComesBackUnchanged) {
  const auto first = parse_network(kByHand, "n.json");
  ASSERT_TRUE(first.ok());
  const auto text = network_text(first.value());
  ASSERT_TRUE(text.ok());
  const auto second = parse_network(text.value(), "again");
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(network_text(second.value()).value(), text.value());
}

TEST(Network, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(network_error(replaced(kByHand, "\"G\": 1e-10", "\"G\": -1e-10")),
            "n.json: other_node.segments[0].G: must be a number of at least 0 and at most 1e9");
  EXPECT_EQ(network_error(replaced(kByHand, "\"G\": 1e-10", "\"G\": \"fast\"")),
            "n.json: other_node.segments[0].G: expected a number, found string");
  EXPECT_EQ(network_error(replaced(kByHand, "\"o_r\": 3e-7, \"O\"", "\"or\": 3e-7, \"O\"")),
            "n.json: other_node.segments[0].or: there is no such field");
  EXPECT_EQ(network_error(replaced(kByHand, "\"from\": 1024", "\"from\": 1025")),
            "n.json: other_node.segments[1].from: must be 1024, where the one before it ends");
  EXPECT_EQ(network_error(replaced(kByHand, "\"to\": null", "\"to\": 5000")),
            "n.json: other_node.segments[1].to: must be null, so that every size has a segment");
  EXPECT_EQ(network_error(replaced(kByHand, "\"ranks_per_node\": 4", "\"ranks_per_node\": 0")),
            "n.json: placement.ranks_per_node: must be at least 1");
  EXPECT_EQ(network_error(replaced(kByHand, "\"S_sync\": 4096", "\"S_sync\": -1")),
            "n.json: other_node.S_sync: expected a number of bytes or null, found -1");
  EXPECT_EQ(network_error(replaced(kByHand, "\"tree\"", "\"bush\"")),
            "n.json: topology.kind: expected flat, torus or tree, found 'bush'");
  EXPECT_EQ(network_error(replaced(kByHand, "\"S_sync\": 4096", "\"S_sync\": 4096, \"exchange\": 0.5")),
            "n.json: other_node.exchange: must be at least 1 (sending and receiving go on at once) and at most 8");
  EXPECT_EQ(network_error(replaced(kByHand, "\"S_sync\": 4096", "\"S_sync\": 4096, \"connect\": -1")),
            "n.json: other_node.connect: must be a number of at least 0 and at most 1e9");
  EXPECT_EQ(network_error(replaced(kMeasured, "\"in-calls\"", "\"never\"")),
            "n.json: progress: expected always or in-calls, found 'never'");
  EXPECT_EQ(network_error(R"({"schema": "scalediag-network/1"})"),
            "n.json: other_node: is missing: a network has at least one link class");
}

// A forgotten parameter must not give a network on which it costs nothing.
TEST(Network, RefusesWhatWasForgotten) {
  EXPECT_EQ(network_error(replaced(kByHand, "\"L\": 1e-6, ", "")),
            "n.json: other_node.L: is missing: state it here or in every segment, 0 where it costs nothing");
  EXPECT_EQ(network_error(R"({"schema": "scalediag-network/1", "other_node": {"L": 1e-6, "segments": [{"G": 1e-9}]}})"),
            "n.json: other_node.segments[0].o_s: is missing: write 0 where it costs nothing");
  for (const std::string field : {"o_s", "o_r", "g", "G"}) {
    const std::string misspelt = replaced(kByHand, "\"" + field + "\": ", "\"residual\": ");
    EXPECT_EQ(network_error(misspelt),
              "n.json: other_node.segments[0]." + field + ": is missing: write 0 where it costs nothing");
  }
  EXPECT_EQ(network_error(R"({"schema": "scalediag-network/1", "same_node": {}})"),
            "n.json: same_node.L: is missing: state it here or in every segment, 0 where it costs nothing");
  // One for every segment is as good as one for all.
  EXPECT_EQ(network_error(replaced(replaced(kByHand, "\"L\": 1e-6, ", ""), "\"from\": 0, ", "\"L\": 1e-6, ")),
            "no error");
}

TEST(Network, RefusesWhatWouldHaveNoEffect) {
  EXPECT_EQ(network_error(replaced(kByHand, "\"ranks_per_node\": 4", "\"nodes\": 4")),
            "n.json: placement.nodes: has no effect with placement.kind block");
  EXPECT_EQ(network_error(replaced(kByHand, "\"kind\": \"block\"", "\"kind\": \"cyclic\", \"nodes\": 2")),
            "n.json: placement.ranks_per_node: has no effect with placement.kind cyclic");
  EXPECT_EQ(network_error(replaced(kByHand, "\"tree\"", "\"flat\"")),
            "n.json: topology: shape and hop_latency have no effect without kind torus or tree");
}

TEST(Network, TreeCountsSwitchesUpAndDown) {
  const Topology tree{Topology::Kind::kTree, {2, 2}, 1};
  EXPECT_EQ(tree.hops(0, 0), 0);
  EXPECT_EQ(tree.hops(0, 1), 1);  // one switch
  EXPECT_EQ(tree.hops(0, 3), 3);  // up, across the top, down
  EXPECT_EQ(tree.hops(0, 4), 5);
}

TEST(Network, TorusGoesTheShorterWayRound) {
  const Topology torus{Topology::Kind::kTorus, {4, 5}, 1};
  EXPECT_EQ(torus.hops(0, 4), 1);  // (0,0) to (0,4)
  EXPECT_EQ(torus.hops(0, 2), 2);
  EXPECT_EQ(torus.hops(0, 5 * 3 + 3), 3);  // (3,3): 1 + 2
}

TEST(Network, WhatIfsMultiply) {
  Network network = example_network();
  network.other_node.connect_s = 7;
  const Network n = scaled(network, {0.5, 2, 3, 4});
  EXPECT_DOUBLE_EQ(n.other_node.connect_s, 3.5);
  EXPECT_EQ(ideal(network).other_node.connect_s, 0);
  const Segment& s = n.other_node.segments[0];
  EXPECT_DOUBLE_EQ(n.other_node.latency_s, 50);
  EXPECT_DOUBLE_EQ(s.gap_s_per_byte, 0.125);
  EXPECT_DOUBLE_EQ(s.send_overhead_s, 6);
  EXPECT_DOUBLE_EQ(s.gap_s, 20);
}

// Any file is read or refused, and a network that was read can be simulated on.
TEST(Network, NoMutantBreaksTheReader) {
  std::mt19937 random(20180601);
  for (int i = 0; i < 20000; ++i) {
    const auto read = parse_network(core::mutate_text(kByHand, random), "n.json");
    if (!read.ok()) {
      EXPECT_NE(read.error().message.find("n.json"), std::string::npos) << read.error().message;
      continue;
    }
    ListProgram program(2);
    program.of(0) = {message(OpKind::kSend, 1, 9)};
    program.of(1) = {message(OpKind::kRecv, 0, 9)};
    const auto result = simulate(program, read.value());
    if (!AlgorithmChoice::of(read.value()).ok()) continue;  // names a library or an algorithm that there is not
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(std::isfinite(result.value().total_s) && result.value().total_s >= 0) << result.value().total_s;
  }
}

TEST(Network, EveryTruncationIsRefused) {
  for (size_t length = 0; length < kByHand.size(); ++length) {
    EXPECT_FALSE(parse_network(kByHand.substr(0, length), "n.json").ok()) << length;
  }
}

TEST(Network, NewerVersionIsRefused) {
  EXPECT_NE(network_error(replaced(kByHand, "scalediag-network/1", "scalediag-network/2")).find("2"),
            std::string::npos);
}

TEST(Network, ATopologyHasToHoldAllNodes) {
  Network network = example_network();
  network.topology.kind = Topology::Kind::kTorus;
  network.topology.shape = {2, 3};
  EXPECT_TRUE(check_size(network, "n", 6).ok());
  const auto small = check_size(network, "n", 7);
  ASSERT_FALSE(small.ok());
  EXPECT_EQ(small.error().message, "n: topology.shape holds 6 nodes, and rank 6 of 7 is on node 6, counted from 0");
  ListProgram seven(7);
  ASSERT_FALSE(simulate(seven, network).ok());
  EXPECT_EQ(simulate(seven, network).error().message.rfind("network: topology.shape", 0), 0U);
  network.placement.ranks_per_node = 2;
  EXPECT_TRUE(check_size(network, "n", 12).ok());
  network.topology.kind = Topology::Kind::kFlat;
  EXPECT_TRUE(check_size(network, "n", 100).ok());
}

TEST(NetworkJson, FingerprintsAreOfWhatMessagesCost) {
  const Network network = example_network();
  const std::string fingerprint = fingerprint_of(network).value();
  Network renamed = network;
  renamed.name = "another";
  renamed.other_node.notes = {"measured twice"};
  EXPECT_EQ(fingerprint_of(renamed).value(), fingerprint);
  Network slower = network;
  slower.other_node.latency_s *= 2;
  EXPECT_NE(fingerprint_of(slower).value(), fingerprint);
}

}  // namespace
}  // namespace scalediag::loggp
