// A network in the LogGP family of models. network_json.h has the file that holds one.
//
// A message of s bytes counts b = max(s, 1) - 1 bytes after the first. Its sender's CPU is busy for o_s + O b, its
// bytes leave one after another, G apart, and the next message leaves g after the last of them; the first byte needs L
// (and the hops' latency) to the receiver, whose CPU is busy for o_r + O b once the last byte is there. Messages above
// S_sync are sent only after the receiver has agreed. message_cost.h puts this into equations.
//
// LogP: Culler et al. 1993; G: Alexandrov et al. 1997; O: Hoefler et al. 2010; S: Ino et al. 2001.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::loggp {

constexpr uint64_t kAnySize = std::numeric_limits<uint64_t>::max();

// Parameters for messages of from_bytes <= size < to_bytes.
struct Segment {
  uint64_t from_bytes = 0;
  uint64_t to_bytes = kAnySize;
  double send_overhead_s = 0;            // o_s
  double receive_overhead_s = 0;         // o_r
  double overhead_s_per_byte = 0;        // O
  double gap_s = 0;                      // g
  double gap_s_per_byte = 0;             // G
  std::optional<double> latency_s = {};  // L where it differs from the link class's
  double handshake = 1;  // above S_sync: how much of the control messages' time the message takes longer
  double residual = 0;   // of the fit: root mean square of the relative deviations; 0 if stated by hand
};

// The values measured at one message size, kept beside the parameters so that a fit can be judged and repeated.
struct SizeSample {
  uint64_t bytes = 0;
  double half_round_trip_s[3] = {0, 0, 0};  // 10 %, 50 % and 90 % quantile
  double gap_s[3] = {0, 0, 0};              // per message of a burst
};

// The limit of LinkClass::exchange: a larger value has another cause than exchange. network.schema.json has it too.
constexpr double kLargestExchange = 8;

struct LinkClass {
  double latency_s = 0;            // L
  uint64_t sync_bytes = kAnySize;  // S_sync: the largest message that does not wait for its receiver; kAnySize: all
  double exchange = 1;   // the factor by which a byte above S_sync leaves a rank more slowly while the rank receives
                         // such a message
  double connect_s = 0;  // seconds by which the first message between two ranks leaves later, since a connection is
                         // made for it
  std::vector<Segment> segments;    // contiguous, from 0 to kAnySize
  std::vector<SizeSample> samples;  // empty if stated by hand
  std::vector<std::string> notes;   // parameters that were clamped or could not be measured

  // Precondition: validated.
  const Segment& segment_of(uint64_t bytes) const;
  double latency_of(const Segment& segment) const { return segment.latency_s.value_or(latency_s); }
};

// The assignment of ranks to nodes.
struct Placement {
  enum class Kind { kBlock, kCyclic, kList } kind = Kind::kBlock;
  int ranks_per_node = 1;  // kBlock: node = rank / ranks_per_node
  int nodes = 0;           // kCyclic: node = rank % nodes
  std::vector<int> list;   // kList: node = list[rank % its length]

  int node_of(int rank) const;
};

// The number of switches between two nodes. Every hop after the first adds hop_latency_s to L.
struct Topology {
  enum class Kind { kFlat, kTorus, kTree } kind = Kind::kFlat;
  std::vector<int>
      shape;  // kTorus: its dimensions, the last varies fastest; kTree: children a switch, from the nodes up
  double hop_latency_s = 0;

  // 1 between nodes of a flat network; the Manhattan distance on a torus; switches passed in a tree. 0 from a node to
  // itself. Nodes beyond a torus' size are taken modulo it; nodes beyond a tree meet at one more switch above it.
  int hops(int from_node, int to_node) const;
};

// The moments at which a rank answers the handshakes of large messages: at once, or in calls that wait
// (message_cost.h).
enum class Progress { kAlways, kInCalls };

struct Network {
  std::string name;
  LinkClass same_node;
  LinkClass other_node;
  Placement placement;
  Topology topology;
  Progress progress = Progress::kAlways;
  double reduction_s_per_byte = 0;  // CPU time to combine a byte of two operands in a reduction
  double copy_s_per_byte = 0;       // CPU time to copy a byte of a block that no cache holds
  std::string library = "openmpi";  // the library whose tables choose the collectives' algorithms
  std::string library_version;      // empty: the newest table there is
  std::vector<std::pair<std::string, std::string>> algorithms;  // collective, and the algorithm that is always taken
  std::vector<std::pair<std::string, std::string>> provenance;  // the circumstances of the measurement; names and texts

  // L plus the latency of the hops after the first, in seconds.
  double extra_latency_s(int from, int to) const;
};

// A network with one link class and one segment, for tests and for networks that a few numbers describe.
Network uniform_network(const Segment& parameters, double latency_s, uint64_t sync_bytes = kAnySize);

// Factors for the parameters: latency 0.5 halves L, the hops' latency and the time to make a connection; bandwidth 2
// halves G; overhead 2 doubles o_s, o_r and O; gap 2 doubles g.
struct NetworkFactors {
  double latency = 1;
  double bandwidth = 1;
  double overhead = 1;
  double gap = 1;
};
Network scaled(Network network, const NetworkFactors& factors);

// The network that costs nothing: all parameters zero, nothing waits for its receiver.
Network ideal(Network network);

// Error (kInput): a parameter is negative or not finite, segments have a gap or overlap, ... The error names the field
// as in network.json: "other_node.segments[1].G".
Status validate(const Network& network, const std::string& file);

// Error (kInput), named as by validate(): a torus or a tree has fewer nodes than this number of ranks is placed on.
Status check_size(const Network& network, const std::string& file, int ranks);

}  // namespace scalediag::loggp
