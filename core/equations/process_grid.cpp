#include "core/equations/process_grid.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace scalediag::core {
namespace {

// The largest divisor of n that is at most its square root.
int shorter_side(int n) {
  int side = static_cast<int>(std::sqrt(static_cast<double>(n)));
  while (n % side != 0) --side;
  return side;
}

int64_t sum_of(const std::array<int, 3>& sides) { return int64_t{sides[0]} + sides[1] + sides[2]; }

int dimensions_of(GridKind kind) { return kind == GridKind::kLine ? 1 : kind >= GridKind::kSpaceFalling ? 3 : 2; }

// That of the OtherGrid which exists; 0 ranks: none does.
int other_ranks = 0;
ProcessGrid other_grid;

ProcessGrid make_grid(GridKind kind, int ranks) {
  ProcessGrid grid;
  grid.dimensions = dimensions_of(kind);
  grid.sides = process_grid(ranks, grid.dimensions);
  if (kind == GridKind::kPlaneRising) std::swap(grid.sides[0], grid.sides[1]);
  if (kind >= GridKind::kSpaceRising) std::swap(grid.sides[0], grid.sides[2]);
  grid.is_bisected = kind == GridKind::kSpaceBisected && (ranks & (ranks - 1)) == 0;
  return grid;
}

constexpr size_t next_halved(size_t side) { return (side + 2) % 3; }

}  // namespace

std::array<int, 3> process_grid(int processes, int dimensions) {
  std::array<int, 3> best = {processes, 1, 1};
  if (dimensions < 2) return best;
  if (dimensions == 2) {
    const int side = shorter_side(processes);
    return {processes / side, side, 1};
  }
  for (int c = 1; c <= processes / c / c; ++c) {
    if (processes % c != 0) continue;
    const int b = shorter_side(processes / c);
    const int a = processes / c / b;
    if (b >= c && sum_of({a, b, c}) <= sum_of(best)) best = {a, b, c};
  }
  return best;
}

std::array<int, 3> ProcessGrid::halves_of(int rank) const {
  std::array<int, 3> at = {};
  size_t side = 2;
  for (int half = sides[0] * sides[1] * sides[2] / 2; half > 0; half /= 2, side = next_halved(side)) {
    at[side] = 2 * at[side] + (rank / half) % 2;
  }
  return at;
}

int ProcessGrid::rank_of_halves(const std::array<int, 3>& at) const {
  std::array<int, 3> left = sides;
  int rank = 0;
  size_t side = 2;
  for (int half = sides[0] * sides[1] * sides[2] / 2; half > 0; half /= 2, side = next_halved(side)) {
    left[side] /= 2;
    rank += half * (at[side] / left[side] % 2);
  }
  return rank;
}

OtherGrid::OtherGrid(int ranks, const ProcessGrid& grid) {
  other_ranks = ranks;
  other_grid = grid;
}

OtherGrid::~OtherGrid() { other_ranks = 0; }

ProcessGrid process_grid(GridKind kind, int ranks) {
  if (ranks == other_ranks && dimensions_of(kind) == other_grid.dimensions) return other_grid;
  // Equations ask for the grids of few numbers of ranks many times.
  struct Known {
    int ranks = 0;
    ProcessGrid grid;
  };
  constexpr size_t kKept = 64;
  thread_local std::array<std::array<Known, kKept>, kGridKinds> known;
  Known& entry = known[static_cast<size_t>(kind)][static_cast<size_t>(ranks) % kKept];
  if (entry.ranks != ranks) entry = {ranks, make_grid(kind, ranks)};
  return entry.grid;
}

const char* name_of(GridKind kind) {
  switch (kind) {
    case GridKind::kLine: return "line";
    case GridKind::kPlaneFalling: return "plane";
    case GridKind::kPlaneRising: return "plane with the shorter side first";
    case GridKind::kSpaceFalling: return "box";
    case GridKind::kSpaceRising: return "box with the shortest side first";
    case GridKind::kSpaceBisected: return "box in halves";
  }
  return "";
}

bool is_square(int processes) {
  const int64_t side = std::lround(std::sqrt(processes));
  return side * side == processes;
}

bool is_cube(int processes) {
  const int64_t side = std::lround(std::cbrt(processes));
  return side * side * side == processes;
}

std::set<int> prime_factors(int number) {
  std::set<int> primes;
  for (int p = 2; p <= number / p; ++p) {
    for (; number % p == 0; number /= p) primes.insert(p);
  }
  if (number > 1) primes.insert(number);
  return primes;
}

}  // namespace scalediag::core
