#include "loggp/network/network.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/text/numbers.h"

namespace scalediag::loggp {
namespace {

int torus_distance(int a, int b, const std::vector<int>& shape) {
  int hops = 0;
  for (size_t i = shape.size(); i-- > 0;) {
    const int size = shape[i];
    const int apart = std::abs(a % size - b % size);
    hops += std::min(apart, size - apart);
    a /= size;
    b /= size;
  }
  return hops;
}

// The switches on the way up to the first one that both nodes are below, and down again: 2 levels - 1.
int tree_distance(int a, int b, const std::vector<int>& shape) {
  int level = 1;
  for (const int children : shape) {
    a /= children;
    b /= children;
    if (a == b) break;
    ++level;
  }
  return 2 * level - 1;
}

void scale(LinkClass& link, const NetworkFactors& factors) {
  link.latency_s *= factors.latency;
  link.connect_s *= factors.latency;
  for (Segment& segment : link.segments) {
    if (segment.latency_s) *segment.latency_s *= factors.latency;
    segment.gap_s_per_byte /= factors.bandwidth;
    segment.send_overhead_s *= factors.overhead;
    segment.receive_overhead_s *= factors.overhead;
    segment.overhead_s_per_byte *= factors.overhead;
    segment.gap_s *= factors.gap;
  }
}

// The largest parameter, in seconds or seconds per byte: sums of smaller ones stay finite.
constexpr double kLargest = 1e9;

// Keeps the first error, as "field: message".
class Checker {
 public:
  void not_negative(const std::string& field, double value) {
    if (!(value >= 0 && value <= kLargest)) fail(field, "must be a number of at least 0 and at most 1e9");
  }
  void positive(const std::string& field, double value) {
    if (!std::isfinite(value) || value <= 0) fail(field, "must be above 0");
  }
  void fail(const std::string& field, const std::string& what) {
    if (failure_.empty()) failure_ = field + ": " + what;
  }
  const std::string& failure() const { return failure_; }

 private:
  std::string failure_;
};

void check_link(Checker& check, const std::string& name, const LinkClass& link) {
  check.not_negative(name + ".L", link.latency_s);
  if (!(link.exchange >= 1 && link.exchange <= kLargestExchange)) {
    check.fail(name + ".exchange", "must be at least 1 (sending and receiving go on at once) and at most " +
                                       core::four_digits(kLargestExchange));
  }
  check.not_negative(name + ".connect", link.connect_s);
  if (link.segments.empty()) check.fail(name + ".segments", "must hold at least one segment");
  uint64_t next = 0;
  for (size_t i = 0; i < link.segments.size(); ++i) {
    const Segment& s = link.segments[i];
    const std::string at = name + ".segments[" + std::to_string(i) + "].";
    if (s.from_bytes != next) {
      check.fail(at + "from", "must be " + std::to_string(next) +
                                  (i == 0 ? ", so that every size has a segment" : ", where the one before it ends"));
    }
    if (s.to_bytes <= s.from_bytes) check.fail(at + "to", "must be above from");
    next = s.to_bytes;
    check.not_negative(at + "o_s", s.send_overhead_s);
    check.not_negative(at + "o_r", s.receive_overhead_s);
    check.not_negative(at + "O", s.overhead_s_per_byte);
    check.not_negative(at + "g", s.gap_s);
    check.not_negative(at + "G", s.gap_s_per_byte);
    if (s.latency_s) check.not_negative(at + "L", *s.latency_s);
    check.not_negative(at + "handshake", s.handshake);
    check.not_negative(at + "residual", s.residual);
  }
  if (!link.segments.empty() && next != kAnySize) {
    check.fail(name + ".segments[" + std::to_string(link.segments.size() - 1) + "].to",
               "must be null, so that every size has a segment");
  }
}

}  // namespace

const Segment& LinkClass::segment_of(uint64_t bytes) const {
  size_t i = 0;
  while (i + 1 < segments.size() && bytes >= segments[i].to_bytes) ++i;
  return segments[i];
}

int Placement::node_of(int rank) const {
  switch (kind) {
    case Kind::kBlock: return rank / ranks_per_node;
    case Kind::kCyclic: return rank % nodes;
    case Kind::kList: return list[static_cast<size_t>(rank) % list.size()];
  }
  return rank;
}

int Topology::hops(int from_node, int to_node) const {
  if (from_node == to_node) return 0;
  switch (kind) {
    case Kind::kFlat: return 1;
    case Kind::kTorus: return torus_distance(from_node, to_node, shape);
    case Kind::kTree: return tree_distance(from_node, to_node, shape);
  }
  return 1;
}

double Network::extra_latency_s(int from, int to) const {
  if (topology.hop_latency_s == 0) return 0;
  return std::max(0, topology.hops(placement.node_of(from), placement.node_of(to)) - 1) * topology.hop_latency_s;
}

Network uniform_network(const Segment& parameters, double latency_s, uint64_t sync_bytes) {
  Network network;
  network.other_node.latency_s = latency_s;
  network.other_node.sync_bytes = sync_bytes;
  network.other_node.segments = {parameters};
  network.same_node = network.other_node;
  return network;
}

Network scaled(Network network, const NetworkFactors& factors) {
  scale(network.same_node, factors);
  scale(network.other_node, factors);
  network.topology.hop_latency_s *= factors.latency;
  return network;
}

Network ideal(Network network) {
  for (LinkClass* link : {&network.same_node, &network.other_node}) {
    link->latency_s = 0;
    link->sync_bytes = kAnySize;
    link->exchange = 1;
    link->connect_s = 0;
    link->segments = {Segment{}};
  }
  network.topology.hop_latency_s = 0;
  network.reduction_s_per_byte = 0;
  network.copy_s_per_byte = 0;
  return network;
}

Status validate(const Network& network, const std::string& file) {
  Checker check;
  check_link(check, "same_node", network.same_node);
  check_link(check, "other_node", network.other_node);
  const Placement& placement = network.placement;
  if (placement.kind == Placement::Kind::kBlock && placement.ranks_per_node < 1) {
    check.fail("placement.ranks_per_node", "must be at least 1");
  }
  if (placement.kind == Placement::Kind::kCyclic && placement.nodes < 1) {
    check.fail("placement.nodes", "must be at least 1");
  }
  if (placement.kind == Placement::Kind::kList) {
    if (placement.list.empty()) check.fail("placement.list", "must name at least one node");
    for (size_t i = 0; i < placement.list.size(); ++i) {
      if (placement.list[i] < 0) check.fail("placement.list[" + std::to_string(i) + "]", "must be at least 0");
    }
  }
  if (network.topology.kind != Topology::Kind::kFlat && network.topology.shape.empty()) {
    check.fail("topology.shape", "must hold at least one number");
  }
  for (size_t i = 0; i < network.topology.shape.size(); ++i) {
    check.positive("topology.shape[" + std::to_string(i) + "]", network.topology.shape[i]);
  }
  check.not_negative("topology.hop_latency", network.topology.hop_latency_s);
  check.not_negative("reduction", network.reduction_s_per_byte);
  check.not_negative("copy", network.copy_s_per_byte);
  if (check.failure().empty()) return Done{};
  return Error{ErrorCode::kInput, file + ": " + check.failure(),
               "`scalediag network -o FILE` measures a network; docs/network.md describes every field", file};
}

Status check_size(const Network& network, const std::string& file, int ranks) {
  if (network.topology.kind == Topology::Kind::kFlat) return Done{};
  double nodes = 1;  // a double, since the product may exceed any integer
  for (const int size : network.topology.shape) nodes *= size;
  for (int r = 0; r < ranks; ++r) {
    const int node = network.placement.node_of(r);
    if (node < nodes) continue;
    return Error{ErrorCode::kInput,
                 file + ": topology.shape holds " + core::four_digits(nodes) + " nodes, and rank " + std::to_string(r) +
                     " of " + std::to_string(ranks) + " is on node " + std::to_string(node) + ", counted from 0",
                 "make the shape larger, or place more ranks on a node", file};
  }
  return Done{};
}

}  // namespace scalediag::loggp
