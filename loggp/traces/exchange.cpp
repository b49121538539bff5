#include "loggp/traces/exchange.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace scalediag::loggp {
namespace {

enum class Order : uint8_t { kAllAtOnce, kPairwise, kScattered };

constexpr uint32_t kScatteredAtOnce = 32;

Order order_of(std::string_view mpi_version, std::string_view routine, size_t ranks) {
  const bool open_mpi = mpi_version.find("Open MPI") != std::string_view::npos;
  if (open_mpi && routine == "MPI_Alltoallv") {
    const bool pairwise = ranks < 4 || (ranks >= 64 && ranks < 128) || (ranks >= 256 && ranks < 1024);
    return pairwise ? Order::kPairwise : Order::kAllAtOnce;
  }
  const bool all_to_all = routine == "MPI_Alltoallv" || routine == "MPI_Alltoallw";
  return !open_mpi && all_to_all ? Order::kScattered : Order::kAllAtOnce;
}

// The communicator of an exchange: its size, the rank's own index in it, and that of peers.
struct Members {
  size_t size = 0, own = 0;
  std::unordered_map<int, size_t> indices;  // of the members; empty: index(peer) is by distance from `first`
  int first = 0;
  int ranks = 0;

  size_t index(int peer) const {
    if (indices.empty()) return static_cast<size_t>((peer + ranks - first) % ranks);
    const auto at = indices.find(peer);
    return at == indices.end() ? own : at->second;
  }
};

Members members_of(const RankTrace& trace, const TraceEvent& event, ExchangePeers peers) {
  Members members;
  members.ranks = static_cast<int>(trace.size);
  if (peers == ExchangePeers::kPlaces) {
    members.size = std::max(event.sent.size(), event.received.size());
    members.first = static_cast<int>(trace.rank);
    return members;
  }
  const std::vector<int>& all = trace.communicators[event.communicator].members;
  members.size = all.empty() ? trace.size : all.size();
  members.own = trace.rank;
  for (size_t i = 0; i < all.size(); ++i) {
    members.indices.emplace(all[i], i);
    if (all[i] == static_cast<int>(trace.rank)) members.own = i;
  }
  return members;
}

struct Part {
  size_t turn = 0;  // parts of one turn are waited for together
  bool sent = false;
  size_t position = 0;
  int peer = 0;
  uint64_t bytes = 0;
};

}  // namespace

void append_exchange(const RankTrace& trace, const TraceEvent& event, ExchangePeers peers, Op op, std::vector<Op>& to) {
  const Members members = members_of(trace, event, peers);
  const Order order = order_of(trace.mpi_version, trace.routines[event.routine], members.size);
  std::vector<Part> parts;
  const auto add = [&](bool sent, int peer, uint64_t bytes) {
    const size_t index = members.index(peer);
    if (index == members.own) return;
    const size_t above = (index + members.size - members.own) % members.size;
    // A rank's own steps: what it sends upwards, its peer receives from below.
    const bool upwards = (order == Order::kPairwise) == sent;
    Part part{0, sent, index, peer, bytes};
    if (order != Order::kAllAtOnce) {
      part.position = upwards ? above : members.size - above;
      part.turn = order == Order::kPairwise ? part.position : part.position / kScatteredAtOnce;
    }
    if (peers == ExchangePeers::kPlaces) {
      const auto place = static_cast<int>(index);
      part.peer = order == Order::kAllAtOnce ? ~(place - 1) : place;
    }
    parts.push_back(part);
  };
  for (const auto& [peer, bytes] : event.received) add(false, peer, bytes);
  for (const auto& [peer, bytes] : event.sent) add(true, peer, bytes);
  std::ranges::stable_sort(parts, [](const Part& a, const Part& b) {
    return std::tie(a.turn, a.sent, a.position) < std::tie(b.turn, b.sent, b.position);
  });
  for (size_t i = 0; i < parts.size(); ++i) {
    op.kind = parts[i].sent ? OpKind::kIsend : OpKind::kIrecv;
    op.peer = parts[i].peer;
    op.bytes = parts[i].bytes;
    to.push_back(op);
    if (i + 1 < parts.size() && parts[i + 1].turn == parts[i].turn) continue;
    op.kind = OpKind::kWait;
    to.push_back(op);
  }
}

}  // namespace scalediag::loggp
