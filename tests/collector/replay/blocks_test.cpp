// What a call receives and where, by its row and its arguments, with an MPI whose types are their sizes in bytes.
#include "pmpi-comm/replay/blocks.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <cstring>
#include <vector>

namespace scalediag::pmpi {
namespace {

// Type 100 is an int that takes the place of three; all others have their number of bytes and no gaps, but 101 was made
// of other types, whose order in memory is not known.
constexpr uintptr_t kSpread = 100, kMade = 101;

int size_of(uintptr_t type, int64_t* bytes) {
  *bytes = type == kSpread ? 4 : static_cast<int64_t>(type);
  return 0;
}
int extent_of(uintptr_t type, intptr_t* lower, intptr_t* extent) {
  *lower = 0;
  *extent = type == kSpread ? 12 : static_cast<intptr_t>(type);
  return 0;
}
int true_extent_of(uintptr_t type, intptr_t* lower, intptr_t* extent) {
  *lower = 0;
  *extent = type == kSpread ? 4 : static_cast<intptr_t>(type);
  return 0;
}
int envelope_of(uintptr_t type, int* numbers, int* addresses, int* types, int* how) {
  *numbers = *addresses = *how = 0;
  *types = type == kMade ? 1 : 0;
  return 0;
}
int pack(const void* in, int n, uintptr_t, void* out, int, int* position, uintptr_t) {
  for (int i = 0; i < n; ++i, *position += 4) {
    std::memcpy(static_cast<char*>(out) + *position, static_cast<const char*>(in) + i * 12, 4);
  }
  return 0;
}
int unpack(const void* in, int, int* position, void* out, int n, uintptr_t, uintptr_t) {
  for (int i = 0; i < n; ++i, *position += 4) {
    std::memcpy(static_cast<char*>(out) + i * 12, static_cast<const char*>(in) + *position, 4);
  }
  return 0;
}

class Blocks : public ::testing::Test {
 protected:
  Blocks() {
    library.constants.handle_bytes = sizeof(void*);
    library.constants.proc_null = -2;
    library.constants.root = -4;
    library.constants.in_place_c = 1;
    mpi.library = &library;
    mpi.byte = 1;
    mpi.type_size_x = size_of;
    mpi.type_get_extent = extent_of;
    mpi.type_get_true_extent = true_extent_of;
    mpi.type_get_envelope = envelope_of;
    mpi.pack = pack;
    mpi.unpack = unpack;
  }
  // As {offset in the buffer, count}.
  using Places = std::vector<std::pair<int64_t, int64_t>>;
  Places places(RoutineId routine, std::vector<uintptr_t> values) {
    const Arguments a(values.data(), Language::kC, Counts::kInt, library);
    Places found;
    for (const Block& block : received_blocks(kRoutineTable[routine], a, values.data(), &comm, mpi)) {
      found.emplace_back(block.at - buffer, block.count);
    }
    return found;
  }
  static uintptr_t at(const void* p) { return reinterpret_cast<uintptr_t>(p); }
  static uintptr_t number(int n) { return static_cast<uintptr_t>(n); }

  MpiLibrary library;
  RealMpi mpi;
  LoggedComm comm{0, 1, 3, 3};  // rank 1 of 3
  char buffer[256] = {};
};

TEST_F(Blocks, AMessageIsReceivedUnlessItIsFromNobody) {
  // buffer, count, type, source, tag, communicator, status
  EXPECT_EQ(places(kRecv, {at(buffer), 10, 8, 2, 5, 7, 0}), (Places{{0, 10}}));
  EXPECT_EQ(places(kRecv, {at(buffer), 10, 8, number(-2), 5, 7, 0}), Places());
  EXPECT_EQ(places(kRecv, {at(buffer), 0, 8, 2, 5, 7, 0}), Places());
  EXPECT_EQ(places(kSend, {at(buffer), 10, 8, 2, 5, 7}), Places());
  // What is sent and received: buffer, count, type, to, tag, buffer, count, type, from, tag, communicator, status
  EXPECT_EQ(places(kSendrecv, {0, 3, 8, number(-2), 5, at(buffer), 4, 8, 0, 5, 7, 0}), (Places{{0, 4}}));
}

TEST_F(Blocks, TheRootOfABroadcastReceivesNothing) {
  EXPECT_EQ(places(kBcast, {at(buffer), 10, 8, 1, 7}), Places());
  EXPECT_EQ(places(kBcast, {at(buffer), 10, 8, 0, 7}), (Places{{0, 10}}));
  EXPECT_EQ(places(kReduce, {0, at(buffer), 10, 8, 9, 0, 7}), Places());
  EXPECT_EQ(places(kReduce, {0, at(buffer), 10, 8, 9, 1, 7}), (Places{{0, 10}}));
}

TEST_F(Blocks, OfEachRankWhereItSendsABlock) {
  EXPECT_EQ(places(kAllgather, {0, 4, 8, at(buffer), 4, 8, 7}), (Places{{0, 12}}));
  EXPECT_EQ(places(kGather, {0, 4, 8, at(buffer), 4, 8, 0, 7}), Places());
  EXPECT_EQ(places(kScatter, {0, 4, 8, at(buffer), 4, 8, 0, 7}), (Places{{0, 4}}));
  EXPECT_EQ(places(kScatter, {0, 4, 8, 1, 4, 8, 1, 7}), Places());
}

// Into the buffer of the rank that asks; atomics bring one element.
TEST_F(Blocks, OfTheWindowsOfOthers) {
  // buffer, count, type, target, displacement, count, type, window
  EXPECT_EQ(places(kGet, {at(buffer), 10, 8, 2, 0, 10, 8, 7}), (Places{{0, 10}}));
  EXPECT_EQ(places(kGet, {at(buffer), 10, 8, number(-2), 0, 10, 8, 7}), Places());
  EXPECT_EQ(places(kPut, {at(buffer), 10, 8, 2, 0, 10, 8, 7}), Places());
  // buffer, count, type, buffer of the result, count, type, target, displacement, count, type, operation, window
  EXPECT_EQ(places(kGet_accumulate, {0, 10, 8, at(buffer), 3, 4, 2, 0, 3, 4, 9, 7}), (Places{{0, 3}}));
  // buffer, result, type, target, displacement, operation, window
  EXPECT_EQ(places(kFetch_and_op, {0, at(buffer), 8, 2, 0, 9, 7}), (Places{{0, 1}}));
  // buffer, what is expected, result, type, target, displacement, window
  EXPECT_EQ(places(kCompare_and_swap, {0, 0, at(buffer), 8, 2, 0, 7}), (Places{{0, 1}}));
}

// Offsets are in elements of 8 bytes, an empty block is none, and of Reduce_scatter rank 1 gets the second count.
TEST_F(Blocks, OfSizesOfTheirOwn) {
  const int counts[] = {2, 0, 3}, offsets[] = {1, 0, 5};
  EXPECT_EQ(places(kAllgatherv, {0, 4, 8, at(buffer), at(counts), at(offsets), 8, 7}), (Places{{8, 2}, {40, 3}}));
  const int parts[] = {7, 6, 5};
  EXPECT_EQ(places(kReduce_scatter, {0, at(buffer), at(parts), 8, 9, 7}), (Places{{0, 6}}));
  // Each block with its type, and offsets in bytes.
  const uintptr_t types[] = {8, 8, 4};
  EXPECT_EQ(places(kAlltoallw, {1, 0, 0, 0, at(buffer), at(counts), at(offsets), at(types), 7}),
            (Places{{1, 2}, {5, 3}}));
}

// Of an intercommunicator the remote group sends; ranks beside the root neither send nor receive.
TEST_F(Blocks, FromTheOtherGroup) {
  comm.inter = true;
  comm.remote_size = 5;
  EXPECT_EQ(places(kAllgather, {0, 4, 8, at(buffer), 4, 8, 7}), (Places{{0, 20}}));
  EXPECT_EQ(places(kGather, {0, 4, 8, at(buffer), 4, 8, number(-4), 7}), (Places{{0, 20}}));
  EXPECT_EQ(places(kGather, {0, 4, 8, at(buffer), 4, 8, 1, 7}), Places());
  EXPECT_EQ(places(kBcast, {at(buffer), 10, 8, number(-2), 7}), Places());
  EXPECT_EQ(places(kBcast, {at(buffer), 10, 8, number(-4), 7}), Places());
  EXPECT_EQ(places(kBcast, {at(buffer), 10, 8, 1, 7}), (Places{{0, 10}}));
}

class Stream : public LogSink {
 public:
  bool write(message_log::ChunkKind, std::string_view payload) override {
    const size_t before = bytes.size();
    bytes.resize(before + ZSTD_getFrameContentSize(payload.data(), payload.size()));
    ZSTD_decompress(bytes.data() + before, bytes.size() - before, payload.data(), payload.size());
    return true;
  }
  std::string bytes;  // of the stream, unpacked
};

// Elements of 4 bytes that stand 12 apart: the log has the elements, and the gaps are left as they are.
TEST_F(Blocks, GapsAreNotLogged) {
  Stream stream;
  CallLog log;
  log.record(stream);
  std::memcpy(buffer, "aaaa--------bbbb--------cccc", 28);
  pass_elements(log, mpi, {buffer, 3, kSpread, false}, 3);
  log.flush();
  EXPECT_EQ(stream.bytes, "aaaabbbbcccc");
}

// The same without a log, for messages to ranks that are replayed at the same time: three elements were sent.
TEST_F(Blocks, ElementsAreBytesAndBytesElements) {
  std::memcpy(buffer, "aaaa--------bbbb--------cccc", 28);
  EXPECT_EQ(packed(mpi, {buffer, 3, kSpread, true}), "aaaabbbbcccc");
  std::memset(buffer, '.', 40);
  unpack(mpi, {buffer, 4, kSpread, true}, "aaaabbbbcccc");
  EXPECT_EQ(std::string(buffer, 40), "aaaa........bbbb........cccc............");
  unpack(mpi, {buffer, 2, 8, true}, "01234567");
  EXPECT_EQ(std::string(buffer, 16), "01234567....bbbb");
  EXPECT_EQ(packed(mpi, {buffer, 0, 8, true}), "");
}

TEST_F(Blocks, ATypeWhoseOrderIsNotKnownIsNotBytes) {
  Block block{buffer, 1, kMade, true};
  EXPECT_FALSE(make_bytes(block, mpi));
}

TEST_F(Blocks, WithoutGapsABlockIsBytes) {
  Block dense{buffer, 3, 8, false}, spread{buffer, 3, kSpread, false};
  EXPECT_TRUE(make_bytes(dense, mpi));
  EXPECT_EQ(dense.count, 24);
  EXPECT_EQ(dense.type, mpi.byte);
  EXPECT_FALSE(make_bytes(spread, mpi));
  EXPECT_EQ(spread.count, 3);
}

}  // namespace
}  // namespace scalediag::pmpi
