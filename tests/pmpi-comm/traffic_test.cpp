// The byte rules against an MPI made of a few functions. Expected bytes follow from README.md's table.
#include "pmpi-comm/traffic.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace scalediag::pmpi {
namespace {

// Handles. Types carry their size; in Fortran each handle is kFortranOffset less.
constexpr uintptr_t kWorld = 100, kPair = 101, kInter = 102, kLine = 103, kGraph = 104, kDist = 105;
constexpr uintptr_t kWindow = 200, kTypeNull = 300, kCommNull = 301, kNoOp = 400, kSum = 401, kNoProc = 500;
constexpr uintptr_t kRequest = 600, kMessage = 601;
constexpr uintptr_t kSizedType = 10000;  // + size
constexpr int kFortranOffset = 7;
constexpr int kProcNull = -2, kRoot = -4;
uintptr_t type_of(int bytes) { return kSizedType + static_cast<uintptr_t>(bytes); }

// The number of questions to MPI about each type.
std::map<uintptr_t, int> type_questions;
int world_size = 4;

// World of 4, this rank is 1. kPair holds the world ranks {3, 1} in this order. kInter joins {1} to {0, 2, 3}.
int fake_type_size(uintptr_t type, int64_t* bytes) {
  ++type_questions[type];
  if (type < kSizedType) return 1;
  *bytes = static_cast<int64_t>(type - kSizedType);
  return 0;
}
int fake_comm_size(uintptr_t comm, int* size) {
  *size = comm == kPair ? 2 : comm == kInter ? 1 : world_size;
  return 0;
}
int fake_comm_rank(uintptr_t comm, int* rank) { return *rank = comm == kInter ? 0 : 1, 0; }
int fake_test_inter(uintptr_t comm, int* flag) { return *flag = comm == kInter, 0; }
int fake_remote_size(uintptr_t, int* size) { return *size = 3, 0; }
int fake_group(uintptr_t comm, uintptr_t* group) { return *group = comm, 0; }
int fake_remote_group(uintptr_t comm, uintptr_t* group) { return *group = comm, 0; }
int fake_group_size(uintptr_t group, int* size) { return *size = group == kPair ? 2 : group == kInter ? 3 : 4, 0; }
int fake_translate(uintptr_t from, int n, const int* ranks, uintptr_t to, int* out) {
  EXPECT_EQ(to, kWorld);
  const int pair[] = {3, 1}, inter[] = {0, 2, 3};
  for (int i = 0; i < n; ++i) out[i] = from == kPair ? pair[ranks[i]] : from == kInter ? inter[ranks[i]] : ranks[i];
  return 0;
}
int fake_group_free(uintptr_t* group) { return *group = 0, 0; }
int fake_win_group(uintptr_t, uintptr_t* group) { return *group = kPair, 0; }
int fake_topo(uintptr_t comm, int* kind) { return *kind = comm == kLine ? 1 : comm == kGraph ? 2 : 3, 0; }
int fake_cartdim(uintptr_t, int* n) { return *n = 2, 0; }
// A grid whose first dimension has no lower neighbour.
int fake_shift(uintptr_t, int d, int, int* below, int* above) {
  *below = d == 0 ? kProcNull : 0;
  *above = 2;
  return 0;
}
int fake_graph_count(uintptr_t, int rank, int* n) { return *n = rank == 1 ? 5 : 0, 0; }
int fake_dist_count(uintptr_t, int* in, int* out, int* weighted) { return *in = 9, *out = 2, *weighted = 0, 0; }
uintptr_t from_fortran(int handle) { return static_cast<uintptr_t>(handle + kFortranOffset); }

char in_place_fortran;

MpiLibrary open_mpi_like() {
  MpiLibrary m;
  MpiFunctions& f = m.functions;
  f.type_size_x = fake_type_size;
  f.comm_size = fake_comm_size;
  f.comm_rank = fake_comm_rank;
  f.comm_test_inter = fake_test_inter;
  f.comm_remote_size = fake_remote_size;
  f.comm_group = fake_group;
  f.comm_remote_group = fake_remote_group;
  f.group_size = fake_group_size;
  f.group_translate_ranks = fake_translate;
  f.group_free = fake_group_free;
  f.win_get_group = fake_win_group;
  f.topo_test = fake_topo;
  f.cartdim_get = fake_cartdim;
  f.cart_shift = fake_shift;
  f.graph_neighbors_count = fake_graph_count;
  f.graph_neighbors = [](uintptr_t, int, int, int*) { return 0; };
  f.dist_graph_neighbors_count = fake_dist_count;
  f.dist_graph_neighbors = [](uintptr_t, int, int*, int*, int, int*, int*) { return 0; };
  f.comm_f2c = f.type_f2c = f.request_f2c = f.message_f2c = f.win_f2c = f.op_f2c = from_fortran;
  MpiConstants& c = m.constants;
  c.family = MpiFamily::kOpenMpi;
  c.handle_bytes = sizeof(uintptr_t);
  c.comm_world = kWorld;
  c.comm_null = kCommNull;
  c.type_null = kTypeNull;
  c.message_no_proc = kNoProc;
  c.no_op = kNoOp;
  c.proc_null = kProcNull;
  c.root = kRoot;
  c.cart = 1;
  c.graph = 2;
  c.dist_graph = 3;
  c.in_place_c = 1;
  c.in_place_fortran[0] = reinterpret_cast<uintptr_t>(&in_place_fortran);
  return m;
}

uintptr_t word(const void* p) { return reinterpret_cast<uintptr_t>(p); }
uintptr_t word(int i) { return static_cast<uintptr_t>(static_cast<unsigned>(i)); }
constexpr uintptr_t kInPlace = 1;
constexpr uintptr_t kBuffer = 4096;

class TrafficTest : public testing::Test {
 protected:
  void SetUp() override { type_questions.clear(); }

  Traffic call(RoutineId id, std::vector<uintptr_t> values, Language language = Language::kC,
               Counts counts = Counts::kInt) {
    const Arguments arguments(values.data(), language, counts, mpi);
    const Routine& routine = kRoutineTable[id];
    const uint32_t before = looks_before_call(routine.rule) ? look_before(routine, arguments, handles, cache) : 0;
    note_made(routine, arguments, handles, cache);
    return measure(routine, arguments, before, handles, cache, table);
  }
  uint64_t bytes(RoutineId id, std::vector<uintptr_t> values) { return call(id, std::move(values)).bytes; }

  // Messages and bytes to a peer.
  std::pair<uint64_t, uint64_t> peer(uint32_t rank, uint32_t direction) {
    std::pair<uint64_t, uint64_t> found{0, 0};
    table.peers().for_each([&](const PeerEntry& e) {
      if (e.peer == rank && e.direction == direction) found = {e.messages.get(), e.bytes.get()};
    });
    return found;
  }
  using Pair = std::pair<uint64_t, uint64_t>;

  MpiLibrary mpi = open_mpi_like();
  Handles handles{mpi};
  HandleCache cache{};
  CallTable table;
};

TEST_F(TrafficTest, SendIsCountTimesSizeToTheWorldRank) {
  const Traffic t = call(kSend, {kBuffer, word(5), type_of(8), word(0), word(1), kPair});
  EXPECT_EQ(t.bytes, 40u);
  EXPECT_EQ(t.communicator_size, 2u);
  EXPECT_EQ(peer(3, raw::kSent), Pair(1, 40));  // rank 0 of the pair
}

TEST_F(TrafficTest, SendOverAnIntercommunicatorGoesToTheRemoteGroup) {
  const Traffic t = call(kSend, {kBuffer, word(1), type_of(8), word(1), word(1), kInter});
  EXPECT_EQ(t.communicator_size, 1u);
  EXPECT_EQ(peer(2, raw::kSent), Pair(1, 8));
}

TEST_F(TrafficTest, NothingGoesToNobody) {
  EXPECT_EQ(bytes(kSend, {kBuffer, word(5), type_of(8), word(kProcNull), word(1), kWorld}), 0u);
  EXPECT_EQ(bytes(kRecv, {kBuffer, word(5), type_of(8), word(kProcNull), word(1), kWorld, 0}), 0u);
  EXPECT_EQ(bytes(kPut, {kBuffer, word(5), type_of(8), word(kProcNull), 0, word(5), type_of(8), kWindow}), 0u);
  EXPECT_EQ(table.peers().size(), 0u);
}

TEST_F(TrafficTest, ReceiveIsThePostedSizeFromAnybody) {
  EXPECT_EQ(bytes(kRecv, {kBuffer, word(6), type_of(4), word(-1), word(1), kWorld, 0}), 24u);
  EXPECT_EQ(table.peers().size(), 0u);
}

TEST_F(TrafficTest, AnEmptyMessageAsksNothingAboutItsType) {
  EXPECT_EQ(bytes(kSend, {kBuffer, word(0), kTypeNull, word(2), word(1), kWorld}), 0u);
  EXPECT_TRUE(type_questions.empty());
  EXPECT_EQ(peer(2, raw::kSent), Pair(1, 0));
}

TEST_F(TrafficTest, NeverAsksMpiAboutANullType) {
  EXPECT_EQ(bytes(kSend, {kBuffer, word(5), kTypeNull, word(2), word(1), kWorld}), 0u);
  EXPECT_EQ(bytes(kSend, {kBuffer, word(5), 0, word(2), word(1), kWorld}), 0u);
  EXPECT_TRUE(type_questions.empty());
}

TEST_F(TrafficTest, AsksOnceForATypeAndAgainAfterItWasFreed) {
  uintptr_t type = type_of(8);
  for (int i = 0; i < 3; ++i) call(kSend, {kBuffer, word(1), type, word(2), word(1), kWorld});
  EXPECT_EQ(type_questions[type], 1);
  call(kType_free, {word(&type)});
  call(kSend, {kBuffer, word(1), type, word(2), word(1), kWorld});
  EXPECT_EQ(type_questions[type], 2);
}

TEST_F(TrafficTest, CountsPastTwoGigabytesAreRight) {
  EXPECT_EQ(bytes(kSend, {kBuffer, word(2000000000), type_of(8), word(2), word(1), kWorld}), 16000000000u);
  const Traffic large =
      call(kSend, {kBuffer, 5000000000u, type_of(8), word(2), word(1), kWorld}, Language::kC, Counts::kLarge);
  EXPECT_EQ(large.bytes, 40000000000u);
}

TEST_F(TrafficTest, IgnoresTheUpperHalfOfAnIntArgument) {
  const uintptr_t junk = uintptr_t{0xDEAD} << 32;
  EXPECT_EQ(bytes(kSend, {kBuffer, junk | 3, type_of(8), junk | 2, word(1), kWorld}), 24u);
  EXPECT_EQ(peer(2, raw::kSent), Pair(1, 24));
}

TEST_F(TrafficTest, MatchedReceiveOfNoMessageIsEmpty) {
  uintptr_t message = kMessage, no_message = kNoProc;
  EXPECT_EQ(bytes(kMrecv, {kBuffer, word(3), type_of(8), word(&message), 0}), 24u);
  EXPECT_EQ(bytes(kMrecv, {kBuffer, word(3), type_of(8), word(&no_message), 0}), 0u);
}

TEST_F(TrafficTest, SendrecvIsWhatItSends) {
  EXPECT_EQ(bytes(kSendrecv, {kBuffer, word(3), type_of(8), word(2), word(1), kBuffer, word(50), type_of(8), word(0),
                              word(1), kWorld, 0}),
            24u);
  EXPECT_EQ(peer(2, raw::kSent), Pair(1, 24));
}

TEST_F(TrafficTest, StartMovesWhatTheRequestWasMadeFor) {
  uintptr_t send = kRequest, receive = kRequest + 1;
  EXPECT_EQ(bytes(kSend_init, {kBuffer, word(3), type_of(8), word(2), word(1), kWorld, word(&send)}), 0u);
  EXPECT_EQ(bytes(kRecv_init, {kBuffer, word(4), type_of(8), word(2), word(1), kWorld, word(&receive)}), 0u);
  EXPECT_EQ(table.peers().size(), 0u);
  EXPECT_EQ(bytes(kStart, {word(&send)}), 24u);
  const uintptr_t both[] = {receive, send};
  const Traffic t = call(kStartall, {word(2), word(both)});
  EXPECT_EQ(t.bytes, 24u + 32u);
  EXPECT_EQ(t.communicator_size, 0u);
  EXPECT_EQ(peer(2, raw::kSent), Pair(2, 48));
  call(kRequest_free, {word(&send)});
  EXPECT_EQ(bytes(kStart, {word(&send)}), 0u);
}

TEST_F(TrafficTest, RootedCollectives) {
  EXPECT_EQ(bytes(kBcast, {kBuffer, word(3), type_of(8), word(0), kWorld}), 24u);
  EXPECT_EQ(bytes(kReduce, {kInPlace, kBuffer, word(3), type_of(8), kSum, word(0), kWorld}), 24u);
  EXPECT_EQ(bytes(kGather, {kBuffer, word(3), type_of(8), 0, word(9), kTypeNull, word(0), kWorld}), 24u);
  EXPECT_EQ(bytes(kScatter, {0, word(9), kTypeNull, kBuffer, word(3), type_of(8), word(0), kWorld}), 24u);
}

// Count and type beside MPI_IN_PLACE mean nothing: 99 elements of the null type.
TEST_F(TrafficTest, InPlaceTakesTheOtherSidesArguments) {
  const int counts[] = {10, 20, 30, 40}, at[] = {0, 0, 0, 0};
  EXPECT_EQ(bytes(kGather, {kInPlace, word(99), kTypeNull, kBuffer, word(3), type_of(8), word(1), kWorld}), 24u);
  // This is rank 1, so 20 of the counts.
  EXPECT_EQ(
      bytes(kGatherv, {kInPlace, word(99), kTypeNull, kBuffer, word(counts), word(at), type_of(8), word(1), kWorld}),
      160u);
  EXPECT_EQ(bytes(kScatter, {kBuffer, word(3), type_of(8), kInPlace, word(99), kTypeNull, word(1), kWorld}), 24u);
  EXPECT_EQ(
      bytes(kScatterv, {kBuffer, word(counts), word(at), type_of(8), kInPlace, word(99), kTypeNull, word(1), kWorld}),
      160u);
  EXPECT_EQ(bytes(kAllgather, {kInPlace, word(99), kTypeNull, kBuffer, word(3), type_of(8), kWorld}), 24u);
  EXPECT_EQ(bytes(kAllgatherv, {kInPlace, word(99), kTypeNull, kBuffer, word(counts), word(at), type_of(8), kWorld}),
            160u);
  EXPECT_EQ(bytes(kAlltoall, {kInPlace, word(99), kTypeNull, kBuffer, word(3), type_of(8), kWorld}), 4u * 24u);
  EXPECT_EQ(bytes(kAlltoallv, {kInPlace, 0, 0, kTypeNull, kBuffer, word(counts), word(at), type_of(8), kWorld}),
            100u * 8u);
  const uintptr_t types[] = {type_of(1), type_of(2), type_of(4), type_of(8)};
  EXPECT_EQ(bytes(kAlltoallw, {kInPlace, 0, 0, 0, kBuffer, word(counts), word(at), word(types), kWorld}),
            10u * 1 + 20u * 2 + 30u * 4 + 40u * 8);
}

TEST_F(TrafficTest, CollectivesOfAll) {
  const int counts[] = {1, 2, 3, 4}, at[] = {0, 0, 0, 0};
  const uintptr_t types[] = {type_of(8), type_of(4), kTypeNull, type_of(1)};
  const int some[] = {1, 2, 0, 4};
  EXPECT_EQ(bytes(kAllgather, {kBuffer, word(3), type_of(8), kBuffer, word(9), type_of(1), kWorld}), 24u);
  EXPECT_EQ(bytes(kAlltoall, {kBuffer, word(3), type_of(8), kBuffer, word(9), type_of(1), kWorld}), 96u);
  EXPECT_EQ(bytes(kAlltoallv, {kBuffer, word(counts), word(at), type_of(8), kBuffer, 0, 0, 0, kWorld}), 80u);
  // A null type may stand where nothing is sent.
  EXPECT_EQ(bytes(kAlltoallw, {kBuffer, word(some), word(at), word(types), kBuffer, 0, 0, 0, kWorld}),
            8u + 2 * 4u + 4 * 1u);
  EXPECT_EQ(bytes(kAllreduce, {kBuffer, kBuffer, word(3), type_of(8), kSum, kWorld}), 24u);
  EXPECT_EQ(bytes(kScan, {kInPlace, kBuffer, word(3), type_of(8), kSum, kWorld}), 24u);
  EXPECT_EQ(bytes(kReduce_scatter, {kInPlace, kBuffer, word(counts), type_of(8), kSum, kWorld}), 80u);
  EXPECT_EQ(bytes(kReduce_scatter_block, {kBuffer, kBuffer, word(3), type_of(8), kSum, kWorld}), 4u * 24u);
  EXPECT_EQ(bytes(kBarrier, {kWorld}), 0u);
  EXPECT_EQ(call(kBarrier, {kWorld}).communicator_size, 4u);
  EXPECT_EQ(bytes(kIallreduce, {kBuffer, kBuffer, word(3), type_of(8), kSum, kWorld, 0}), 24u);
}

TEST_F(TrafficTest, LargeCountsOfVectorCollectivesAre64Bit) {
  const int64_t counts[] = {1, 2, 3, 4};
  EXPECT_EQ(
      call(kAlltoallv, {kBuffer, word(counts), 0, type_of(8), kBuffer, 0, 0, 0, kWorld}, Language::kC, Counts::kLarge)
          .bytes,
      80u);
}

TEST_F(TrafficTest, RootsOfIntercommunicators) {
  // The root sends in Bcast and receives in Reduce and Gather; the ranks beside it do nothing.
  EXPECT_EQ(bytes(kBcast, {kBuffer, word(3), type_of(8), word(kRoot), kInter}), 24u);
  EXPECT_EQ(bytes(kBcast, {kBuffer, word(3), type_of(8), word(kProcNull), kInter}), 0u);
  EXPECT_EQ(bytes(kReduce, {kBuffer, kBuffer, word(3), type_of(8), kSum, word(kRoot), kInter}), 0u);
  EXPECT_EQ(bytes(kReduce, {kBuffer, kBuffer, word(3), type_of(8), kSum, word(2), kInter}), 24u);
  EXPECT_EQ(bytes(kGather, {kBuffer, word(3), type_of(8), 0, 0, 0, word(kRoot), kInter}), 0u);
  EXPECT_EQ(bytes(kScatter, {0, 0, 0, kBuffer, word(3), type_of(8), word(kRoot), kInter}), 0u);
  EXPECT_EQ(bytes(kScatter, {0, 0, 0, kBuffer, word(3), type_of(8), word(0), kInter}), 24u);
  // One block to each of the three on the other side.
  EXPECT_EQ(bytes(kAlltoall, {kBuffer, word(3), type_of(8), kBuffer, word(3), type_of(8), kInter}), 72u);
}

// In the first of the grid's two dimensions there is no lower neighbour, so that 3 of 4 exist; 5 in the graph; 2 in the
// distributed graph.
TEST_F(TrafficTest, NeighborsThatDoNotExistGetNothing) {
  const int counts[] = {100, 1, 2, 3}, at[] = {0, 0, 0, 0};
  const uintptr_t types[] = {kTypeNull, type_of(8), type_of(4), type_of(1)};
  EXPECT_EQ(bytes(kNeighbor_allgather, {kBuffer, word(2), type_of(8), kBuffer, 0, 0, kLine}), 3u * 16);
  EXPECT_EQ(bytes(kNeighbor_alltoall, {kBuffer, word(2), type_of(8), kBuffer, 0, 0, kGraph}), 5u * 16);
  EXPECT_EQ(bytes(kNeighbor_allgatherv, {kBuffer, word(2), type_of(8), kBuffer, 0, 0, 0, kDist}), 2u * 16);
  EXPECT_EQ(bytes(kNeighbor_alltoallv, {kBuffer, word(counts), word(at), type_of(8), kBuffer, 0, 0, 0, kLine}), 6u * 8);
  EXPECT_EQ(bytes(kIneighbor_alltoallw, {kBuffer, word(counts), word(at), word(types), kBuffer, 0, 0, 0, kLine, 0}),
            1u * 8 + 2u * 4 + 3u * 1);
}

TEST_F(TrafficTest, OneSidedGoesByTheOriginAndTheWindowsGroup) {
  const Traffic t = call(kPut, {kBuffer, word(3), type_of(8), word(0), 0, word(9), type_of(1), kWindow});
  EXPECT_EQ(t.bytes, 24u);
  EXPECT_EQ(t.communicator_size, 2u);
  EXPECT_EQ(peer(3, raw::kPut), Pair(1, 24));
  EXPECT_EQ(bytes(kGet, {kBuffer, word(4), type_of(8), word(0), 0, word(9), type_of(1), kWindow}), 32u);
  EXPECT_EQ(peer(3, raw::kGot), Pair(1, 32));
  EXPECT_EQ(bytes(kFetch_and_op, {kBuffer, kBuffer, type_of(8), word(1), 0, kSum, kWindow}), 8u);
  EXPECT_EQ(peer(1, raw::kPut), Pair(1, 8));
  EXPECT_EQ(bytes(kCompare_and_swap, {kBuffer, kBuffer, kBuffer, type_of(4), word(1), 0, kWindow}), 4u);
  EXPECT_EQ(peer(1, raw::kPut), Pair(2, 12));
}

TEST_F(TrafficTest, AnAtomicThatOnlyReadsIsAGet) {
  EXPECT_EQ(bytes(kGet_accumulate, {kBuffer, word(3), type_of(8), kBuffer, word(4), type_of(8), word(0), 0, word(4),
                                    type_of(8), kSum, kWindow}),
            24u);
  EXPECT_EQ(peer(3, raw::kPut), Pair(1, 24));
  EXPECT_EQ(bytes(kGet_accumulate, {0, word(99), kTypeNull, kBuffer, word(4), type_of(8), word(0), 0, word(4),
                                    type_of(8), kNoOp, kWindow}),
            32u);
  EXPECT_EQ(bytes(kFetch_and_op, {0, kBuffer, type_of(8), word(0), 0, kNoOp, kWindow}), 8u);
  EXPECT_EQ(peer(3, raw::kGot), Pair(2, 40));
}

TEST_F(TrafficTest, FreeingKnowsTheSizeAndForgets) {
  uintptr_t comm = kPair, unknown = kLine;
  call(kBarrier, {kPair});
  EXPECT_EQ(call(kComm_free, {word(&comm)}).communicator_size, 2u);
  // MPI is not asked about a handle that it has not accepted.
  EXPECT_EQ(call(kComm_free, {word(&unknown)}).communicator_size, 0u);
}

TEST_F(TrafficTest, ANewCommunicatorWithAnOldHandleIsAskedAboutAgain) {
  uintptr_t made = kDist;
  world_size = 8;
  EXPECT_EQ(call(kBarrier, {kDist}).communicator_size, 8u);
  world_size = 4;
  // The communicator was freed where the wrappers do not see it, and its handle is used anew.
  EXPECT_EQ(call(kComm_dup, {kWorld, word(&made)}).communicator_size, 4u);
  EXPECT_EQ(call(kBarrier, {kDist}).communicator_size, 4u);
}

// In Fortran everything comes by address and handles are other numbers.
TEST_F(TrafficTest, FortranArgumentsMeanTheSame) {
  const int count = 5, type = static_cast<int>(type_of(8)) - kFortranOffset, dest = 0, tag = 1;
  const int comm = static_cast<int>(kPair) - kFortranOffset;
  int error = 0;
  const std::vector<uintptr_t> values = {kBuffer,    word(&count), word(&type), word(&dest),
                                         word(&tag), word(&comm),  word(&error)};
  const Traffic t = call(kSend, values, Language::kFortran);
  EXPECT_EQ(t.bytes, 40u);
  EXPECT_EQ(t.communicator_size, 2u);
  EXPECT_EQ(peer(3, raw::kSent), Pair(1, 40));
  // A type that C knows is the same type in Fortran.
  call(kSend, {kBuffer, word(1), type_of(8), word(0), word(1), kPair});
  EXPECT_EQ(type_questions[type_of(8)], 1);
}

TEST_F(TrafficTest, InPlaceFromFortran) {
  const int none = 0, null_type = static_cast<int>(kTypeNull) - kFortranOffset, count = 3;
  const int type = static_cast<int>(type_of(8)) - kFortranOffset, comm = static_cast<int>(kWorld) - kFortranOffset;
  const std::vector<uintptr_t> by_address = {
      word(&in_place_fortran), word(&none), word(&null_type), kBuffer, word(&count), word(&type), word(&comm), 0};
  EXPECT_EQ(call(kAllgather, by_address, Language::kFortran).bytes, 24u);
  // A descriptor begins with the address.
  const void* descriptor[4] = {&in_place_fortran, nullptr, nullptr, nullptr};
  std::vector<uintptr_t> by_descriptor = by_address;
  by_descriptor[0] = word(descriptor);
  EXPECT_EQ(call(kAllgather, by_descriptor, Language::kDescriptors).bytes, 24u);
  // The address that MPICH keeps for mpif.h.
  const char other = 0;
  const uintptr_t kept = word(&other);
  mpi.constants.in_place_fortran_indirect = &kept;
  std::vector<uintptr_t> kept_address = by_address;
  kept_address[0] = kept;
  EXPECT_EQ(call(kAllgather, kept_address, Language::kFortran).bytes, 24u);
}

// This is rank 1 of the world, and the intercommunicator that is made leads to 3 processes.
TEST_F(TrafficTest, SpawnedProcessesAreCountedByTheRootAlone) {
  const uintptr_t made = kInter;
  call(kComm_spawn, {0, 0, word(3), 0, word(0), kWorld, word(&made), 0});
  EXPECT_EQ(table.spawned(), 0u);
  call(kComm_spawn, {0, 0, word(3), 0, word(1), kWorld, word(&made), 0});
  EXPECT_EQ(table.spawned(), 3u);
  call(kComm_spawn_multiple, {word(1), 0, 0, 0, 0, word(1), kWorld, word(&made), 0});
  EXPECT_EQ(table.spawned(), 6u);
}

TEST_F(TrafficTest, IntHandlesIgnoreTheUpperHalfAndStandCloseInArrays) {
  mpi.constants.handle_bytes = sizeof(int);
  const uintptr_t junk = uintptr_t{0xDEAD} << 32;
  EXPECT_EQ(bytes(kSend, {kBuffer, word(3), junk | type_of(8), word(2), word(1), junk | kWorld}), 24u);
  const int counts[] = {1, 1, 1, 1};
  const int types[] = {static_cast<int>(type_of(1)), static_cast<int>(type_of(2)), static_cast<int>(type_of(4)),
                       static_cast<int>(type_of(8))};
  EXPECT_EQ(bytes(kAlltoallw, {kBuffer, word(counts), 0, word(types), kBuffer, 0, 0, 0, kWorld}), 15u);
}

}  // namespace
}  // namespace scalediag::pmpi
