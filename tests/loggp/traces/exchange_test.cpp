// The order of v-collectives' messages is that of the MPI libraries; exchange.h says where it was read off.
#include "loggp/traces/exchange.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace scalediag::loggp {
namespace {

// Rank `own` of `members` (empty: of all `size`) exchanges with all of them; what it does as text: "r3" receives from
// rank 3, "s0" sends to rank 0, "|" waits.
std::string exchanged(const char* mpi_version, const char* routine, int own, int size, std::vector<int> members = {}) {
  RankTrace trace;
  trace.rank = static_cast<uint32_t>(own);
  trace.size = static_cast<uint32_t>(size);
  trace.mpi_version = mpi_version;
  trace.routines = {routine};
  trace.communicators = {{0, members}};
  TraceEvent event;
  event.kind = trace::EventKind::kExchange;
  if (members.empty()) {
    for (int i = 0; i < size; ++i) members.push_back(i);
  }
  for (const int peer : members) {
    if (peer == own) continue;
    event.sent.emplace_back(peer, 8);
    event.received.emplace_back(peer, 8);
  }
  std::vector<Op> operations;
  append_exchange(trace, event, ExchangePeers::kRanks, Op{}, operations);
  std::string text;
  for (const Op& op : operations) {
    text += op.kind == OpKind::kWait ? "|" : (op.kind == OpKind::kIsend ? "s" : "r") + std::to_string(op.peer);
  }
  return text;
}

TEST(Exchange, OpenMpiSendsToAllAtOnceFromTheFirstRankOn) {
  EXPECT_EQ(exchanged("Open MPI v4.1.4", "MPI_Alltoallv", 2, 5), "r0r1r3r4s0s1s3s4|");
  EXPECT_EQ(exchanged("MPICH Version: 4.0.2", "MPI_Gatherv", 2, 4), "r0r1r3s0s1s3|");
}

TEST(Exchange, OpenMpiGoesPairByPairOnVeryFewAndSomeRanks) {
  EXPECT_EQ(exchanged("Open MPI v4.1.4", "MPI_Alltoallv", 0, 3), "r2s1|r1s2|");
  EXPECT_EQ(exchanged("Open MPI v4.1.4", "MPI_Alltoallv", 1, 64).substr(0, 12), "r0s2|r63s3|r");
  EXPECT_EQ(exchanged("Open MPI v4.1.4", "MPI_Alltoallw", 0, 3), "r1r2s1s2|");
}

// 40 ranks: 31 others in the first 32 places (the rank itself has the first), and 8 more.
TEST(Exchange, MpichScattersSomeAtATime) {
  EXPECT_EQ(exchanged("MPICH Version: 4.0.2", "MPI_Alltoallv", 1, 4), "r2r3r0s0s3s2|");
  const std::string of_40 = exchanged("MPICH Version: 4.0.2", "MPI_Alltoallv", 0, 40);
  EXPECT_NE(of_40.find("r31s39"), std::string::npos);
  EXPECT_NE(of_40.find("s9|r32"), std::string::npos);
}

TEST(Exchange, PlacesAreThoseInTheCommunicator) {
  EXPECT_EQ(exchanged("Open MPI v4.1.4", "MPI_Alltoallv", 4, 8, {6, 4, 2}), "r6s2|r2s6|");
}

// Places of one class, turned into ranks for each of its ranks, are what each rank does by itself.
TEST(Exchange, PlacesBecomeEachRanksPeers) {
  constexpr int kRanks = 5;
  for (const char* version : {"Open MPI v4.1.4", "MPICH Version: 4.0.2"}) {
    RankTrace of_class;
    of_class.rank = 3;
    of_class.size = kRanks;
    of_class.mpi_version = version;
    of_class.routines = {"MPI_Alltoallv"};
    TraceEvent event;
    event.kind = trace::EventKind::kExchange;
    for (int i = 0; i < kRanks; ++i) event.sent.emplace_back((3 + i) % kRanks, 8);
    event.received = event.sent;
    std::vector<Op> operations;
    append_exchange(of_class, event, ExchangePeers::kPlaces, Op{}, operations);
    for (int rank = 0; rank < kRanks; ++rank) {
      std::string text;
      for (const Op& op : operations) {
        text += op.kind == OpKind::kWait
                    ? "|"
                    : (op.kind == OpKind::kIsend ? "s" : "r") + std::to_string(peer_at(op.peer, rank, kRanks));
      }
      EXPECT_EQ(text, exchanged(version, "MPI_Alltoallv", rank, kRanks)) << version << " " << rank;
    }
  }
}

}  // namespace
}  // namespace scalediag::loggp
