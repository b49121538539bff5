// Multigrid programs at numbers of ranks that nobody ran: levels of fewer elements than there are ranks along a side.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/equations/process_grid.h"
#include "tests/loggp/phases/program_traces.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;

// All send to the next rank; the last ones of both halves then send to one another twice, which the recorder folds from
// the wait of the message before on.
RankTrace two_in_rounds(int ranks, int rank) {
  const int half = ranks / 2, other = (rank + half) % ranks;
  Script s(ranks, rank);
  s.message(EventKind::kIrecv, (rank + ranks - 1) % ranks, 64, 1);
  s.message(EventKind::kSend, (rank + 1) % ranks, 64, 1);
  if ((rank + 1) % half == 0) {
    const size_t from = s.trace.steps.size();
    s.wait(0, true);
    s.message(EventKind::kIrecv, other, 32, 2);
    s.message(EventKind::kSend, other, 32, 2);
    s.repeat(from, 2);
  }
  s.wait(0, true);
  s.allreduce(8);
  return s.trace;
}

TEST(ScaledLevels, AWaitThatOnlyLaterRoundsHave) { EXPECT_EQ(share_at(two_in_rounds, {4, 8, 16}, 32), 1); }

// A V-cycle over levels of 16, 8, 4 and 2 elements along each side of a box, whose shortest side comes first, as NPB MG
// has it: 2 = 1 x 1 x 2, 4 = 1 x 2 x 2, 16 = 2 x 2 x 4, 32 = 2 x 4 x 4, 64 = 4 x 4 x 4.
class Cycle {
 public:
  Cycle(int ranks, int rank)
      : grid_(process_grid(core::GridKind::kSpaceRising, ranks)), at_(grid_.coordinates(rank)), script_(ranks, rank) {}

  RankTrace trace() {
    for (const int n : {16, 8, 4}) exchange(n);
    exchange_twice(2);
    for (const int n : {4, 8, 16}) {
      refine(n);
      exchange_twice(n);
    }
    script_.allreduce(8);
    return script_.trace;
  }

 private:
  int side(size_t axis) const { return grid_.sides[axis]; }
  int stride(size_t axis, int n) const { return std::max(1, side(axis) / n); }
  // Along a side of more ranks than elements only the last rank of each block of ranks has one.
  bool takes_part_along(size_t axis, int n) const { return (at_[axis] + 1) % stride(axis, n) == 0; }
  bool takes_part(int n) const { return takes_part_along(0, n) && takes_part_along(1, n) && takes_part_along(2, n); }
  int neighbour(size_t axis, int n, int sign) const {
    std::array<int, 3> to = at_;
    to[axis] = (at_[axis] + sign * stride(axis, n) + side(axis)) % side(axis);
    return grid_.rank(to);
  }
  // Elements of a rank, with a layer of neighbours on both sides.
  uint64_t cells(size_t axis, int n, int layers) const {
    return static_cast<uint64_t>(std::max(1, n / side(axis)) + layers);
  }
  static int tag(size_t axis, int sign) { return 10 * static_cast<int>(axis) + 2 + sign; }
  static size_t one(size_t axis) { return axis == 0 ? 1 : 0; }
  static size_t other(size_t axis) { return axis == 2 ? 1 : 2; }

  void receive(size_t axis, int n) {
    script_.message(EventKind::kIrecv, neighbour(axis, n, 1), 9999, tag(axis, -1), 0);
    script_.message(EventKind::kIrecv, neighbour(axis, n, -1), 9999, tag(axis, 1), 1);
  }
  void wait() {
    script_.wait(0, false);
    script_.wait(1, true);
  }

  // Faces along an axis have the layers that messages along the axes before it brought.
  void exchange(int n) {
    for (size_t axis = 0; axis < 3 && takes_part(n); ++axis) {
      const uint64_t bytes =
          8 * cells(one(axis), n, one(axis) < axis ? 2 : 0) * cells(other(axis), n, other(axis) < axis ? 2 : 0);
      receive(axis, n);
      script_.message(EventKind::kSend, neighbour(axis, n, 1), bytes, tag(axis, 1));
      script_.message(EventKind::kSend, neighbour(axis, n, -1), bytes, tag(axis, -1));
      wait();
    }
  }

  // As a loop, which begins with the waits before it where they are those at its end, as the recorder folds it.
  void exchange_twice(int n) {
    std::vector<TraceStep>& steps = script_.trace.steps;
    const size_t from = steps.size();
    exchange(n);
    const size_t length = steps.size() - from;
    const auto is_same_wait = [&](const TraceStep& x, const TraceStep& y) {
      if (x.count > 0 || y.count > 0) return false;
      const TraceEvent &a = script_.trace.events[x.event], &b = script_.trace.events[y.event];
      return a.kind == EventKind::kWait && b.kind == EventKind::kWait && a.requests == b.requests;
    };
    size_t turned = 0;
    while (turned < std::min(from, length) &&
           is_same_wait(steps[from - 1 - turned], steps[steps.size() - 1 - turned])) {
      ++turned;
    }
    const std::vector<TraceStep> left(steps.end() - static_cast<std::ptrdiff_t>(turned), steps.end());
    steps.resize(steps.size() - turned);
    script_.repeat(from - turned, 2);
    steps.insert(steps.end(), left.begin(), left.end());
  }

  // Ranks that the next coarser level has along an axis send to those beside them that it has not, whole faces.
  void refine(int n) {
    for (size_t axis = 0; axis < 3 && takes_part(n); ++axis) {
      if (stride(axis, n / 2) == stride(axis, n)) continue;
      const uint64_t bytes = 8 * cells(one(axis), n, 2) * cells(other(axis), n, 2);
      if (takes_part_along(axis, n / 2)) {
        script_.message(EventKind::kSend, neighbour(axis, n, 1), 2 * bytes, tag(axis, 1));
        script_.message(EventKind::kSend, neighbour(axis, n, -1), bytes, tag(axis, -1));
      } else {
        receive(axis, n);
        wait();
      }
    }
  }

  core::ProcessGrid grid_;
  std::array<int, 3> at_;
  Script script_;
};

RankTrace cycle(int ranks, int rank) { return Cycle(ranks, rank).trace(); }

// Only 16 ranks have a side of more ranks than the coarsest level has elements.
TEST(ScaledLevels, AlongSidesThatNoScaleHasLongEnough) {
  EXPECT_EQ(share_at(cycle, {2, 4, 8, 16}, 32), 1);
  EXPECT_EQ(share_at(cycle, {4, 8, 16}, 64), 1);
}

// 32 ranks have two such sides: ranks that send along the one may receive along the other.
TEST(ScaledLevels, AlongOneSideAfterAnother) { EXPECT_EQ(share_at(cycle, {2, 4, 8, 16, 32}, 64), 1); }

}  // namespace
}  // namespace scalediag::loggp
