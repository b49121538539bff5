// Neighbourhood collectives and one-sided communication, as the recorder writes them, at more ranks.
#include <gtest/gtest.h>

#include <array>

#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;
using trace::Remote;

// The neighbours of a rank in an open plane of 2^n ranks, as MPI_Dims_create makes it and MPI numbers them: below and
// above in the longer direction, whose coordinate is the slower one, and in the other.
struct Plane {
  int sides[2] = {1, 1};
  std::array<int, 4> beside = {};
  std::array<uint64_t, 4> bytes = {};

  Plane(int ranks, int rank) {
    while (4 * sides[1] * sides[1] <= ranks) sides[1] *= 2;
    sides[0] = ranks / sides[1];
    const int at[2] = {rank / sides[1], rank % sides[1]}, step[2] = {sides[1], 1};
    for (int d = 0; d < 2; ++d) {
      const size_t below = d == 0 ? 0 : 2;
      beside[below] = at[d] > 0 ? rank - step[d] : kNobody;
      beside[below + 1] = at[d] + 1 < sides[d] ? rank + step[d] : kNobody;
      bytes[below] = bytes[below + 1] = static_cast<uint64_t>(768 / sides[1 - d]);
    }
  }
};

RankTrace neighborhood(int ranks, int rank) {
  const Plane plane(ranks, rank);
  Script s(ranks, rank);
  uint32_t request = 0;
  for (const EventKind kind : {EventKind::kIrecv, EventKind::kIsend}) {
    for (size_t i = 0; i < 4; ++i) {
      if (plane.beside[i] == kNobody) continue;
      const auto direction = static_cast<int>(kind == EventKind::kIsend ? i : i ^ 1);
      s.message(kind, plane.beside[i], plane.bytes[i], trace::kNeighborTag - 1 - direction, request++);
    }
  }
  s.wait();
  s.repeat(0, 5);
  return s.trace;
}

// Puts with one request, all of which the fence waits for.
RankTrace fences(int ranks, int rank) {
  const Plane plane(ranks, rank);
  Script s(ranks, rank);
  for (size_t i = 0; i < 4; ++i) {
    s.message(EventKind::kRemote, plane.beside[i], plane.bytes[i], static_cast<int>(Remote::kPut), 0);
  }
  s.wait();
  s.allreduce(8);
  s.repeat(0, 5);
  return s.trace;
}

// A lock of each neighbour, and a get that the unlock waits for, whose own request is another one.
RankTrace locks(int ranks, int rank) {
  const Plane plane(ranks, rank);
  Script s(ranks, rank);
  for (size_t i = 0; i < 4; ++i) {
    if (plane.beside[i] == kNobody) continue;
    s.message(EventKind::kRemote, plane.beside[i], 0, static_cast<int>(Remote::kLockShared), 0);
    s.wait();
    s.message(EventKind::kRemote, plane.beside[i], plane.bytes[i], static_cast<int>(Remote::kGet), 0);
    s.message(EventKind::kRemote, plane.beside[i], 0, static_cast<int>(Remote::kUnlock), 1);
    s.wait();
  }
  s.repeat(0, 5);
  return s.trace;
}

TEST(ScaledWindows, NeighborhoodCollectives) { EXPECT_EQ(share_at(neighborhood, {4, 8, 16}, 64), 1); }

TEST(ScaledWindows, PutsBetweenFences) { EXPECT_EQ(share_at(fences, {4, 8, 16}, 64), 1); }

TEST(ScaledWindows, GetsUnderLocks) { EXPECT_EQ(share_at(locks, {4, 8, 16}, 64), 1); }

}  // namespace
}  // namespace scalediag::loggp
