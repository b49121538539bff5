#include "loggp/network/message_cost.h"

#include <algorithm>

namespace scalediag::loggp {
namespace {

const LinkClass& link_of(const Network& network, CostModel::LinkIndex link) {
  return link == CostModel::kSameNode ? network.same_node : network.other_node;
}

}  // namespace

CostModel::CostModel(const Network& network)
    : network_(network),
      rank_per_node_(network.placement.kind == Placement::Kind::kBlock && network.placement.ranks_per_node == 1),
      no_hops_(network.topology.hop_latency_s == 0) {}

void CostModel::fill(Cached& cached, LinkIndex link, uint64_t bytes) const {
  cached.bytes = bytes;
  cached.known = true;
  if (link == kItself) {
    cached.cost = {};
    cached.cost.rendezvous = bytes > network_.same_node.sync_bytes;
    cached.cost.passes_adapters = false;
    return;
  }
  const LinkClass& from = link_of(network_, link);
  const Segment& segment = from.segment_of(bytes);
  const Segment& first = from.segments.front();
  const auto b = static_cast<double>(std::max<uint64_t>(bytes, 1) - 1);
  const double per_byte_s = segment.overhead_s_per_byte * b;
  cached.cost = {segment.send_overhead_s,
                 segment.send_overhead_s + per_byte_s,
                 segment.receive_overhead_s + per_byte_s,
                 segment.gap_s_per_byte * b,
                 segment.gap_s,
                 from.latency_of(segment),
                 bytes > from.sync_bytes,
                 segment.handshake,
                 segment.handshake * first.send_overhead_s,
                 segment.handshake * from.latency_of(first),
                 segment.handshake * first.receive_overhead_s,
                 true};
}

}  // namespace scalediag::loggp
