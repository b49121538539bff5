#include "core/equations/terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace scalediag::core {
namespace {

double product(const Sides& d) { return static_cast<double>(d[0]) * d[1] * d[2]; }

// The number of sides that are cut.
double cuts(const Sides& d) {
  return static_cast<double>(std::ranges::count_if(d, [](int n) { return n > 1; }));
}

double open_messages(const Sides& d) {
  double sum = 0;
  for (const int n : d) sum += (n - 1) * product(d) / n;
  return sum;
}

double open_surface(const Sides& d) { return d[0] + d[1] + d[2] - 3; }

double periodic_surface(const Sides& d) {
  double sum = 0;
  for (const int n : d) sum += n > 1 ? n : 0;
  return sum;
}

// The different neighbours of a rank: one along a side that is cut in two, however the grid wraps, two along one cut
// further.
double neighbours(const Sides& d) {
  double sum = 0;
  for (const int n : d) sum += std::min(n - 1, 2);
  return sum * product(d);
}

// The neighbours of all ranks of an open grid, across faces, edges and corners: of 3 d - 2 pairs along each side, those
// of a rank with itself are left out.
double all_neighbours(const Sides& d) {
  double pairs = 1;
  for (const int n : d) pairs *= 3 * n - 2;
  return pairs - product(d);
}

double periodic_messages(const Sides& d) { return cuts(d) * product(d); }

// Edges of which at least so many of the two sides are cut. A rank that fills its halo also along sides that are not
// cut passes on the cells of edges with one cut side as well.
template <int cut> double edges(const Sides& d) {
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = i + 1; j < 3; ++j)
      sum += (d[i] > 1 ? 1 : 0) + (d[j] > 1 ? 1 : 0) >= cut ? static_cast<double>(d[i]) * d[j] : 0;
  }
  return sum;
}

// The same of corners and three sides.
template <int cut> double corners(const Sides& d) { return cuts(d) >= cut ? product(d) : 0; }

// Exchanges of all processes in butterflies along a side; a mean where that is no power of two.
template <size_t side> double butterflies(const Sides& d) { return product(d) * std::log2(d[side]); }

// y = A x with A in blocks: sums of 1/d of y in log2(d) exchanges along each row of d processes, and one exchange of as
// much with the process at the transposed place. Nothing is exchanged by one process.
double matrix_vector(const Sides& d) {
  const double p = static_cast<double>(d[0]) * d[1];
  return p > 1 ? p * (1 + std::log2(d[0])) / d[0] : 0;
}

Term growth(unsigned uses, const char* name, double complexity, Growth of, const char* name_of_sum = "",
            Shape shape = Shape::kAny, double order = 1, Role role = Role::kGrowth) {
  return {uses, name, complexity, role, of, nullptr, nullptr, name_of_sum, shape, order};
}
Term sum(int dimensions, const char* name, Shape shape, double order, double (*of)(const Sides&), bool alone = true) {
  return {kOfSums, "", 0, Role::kGrowth, {}, of, nullptr, name, shape, order, dimensions, alone};
}
Term of_side(unsigned uses, const char* name, double complexity, Role role, double (*of)(int, int)) {
  return {uses, name, complexity, role, {}, nullptr, of};
}

// In the order of preference among equations that meet values equally well.
const std::vector<Term> kTermTable = {
    growth(kOfSums | kOfRanks | kOfMeans, "", 0.5, {}, "P", Shape::kAny, 1, Role::kConstant),
    sum(1, "(P - 1)", Shape::kAny, 1, [](const Sides& d) { return d[0] - 1.0; }),
    growth(kOfSums | kOfRanks | kOfMeans, "/P", 1.2, {-1}, "1", Shape::kAny, 0, Role::kShareOfRanks),
    sum(1, "P (P - 1)", Shape::kAll, 1, [](const Sides& d) { return d[0] * (d[0] - 1.0); }),
    growth(kOfSums | kOfRanks, " log2 P", 1.6, {0, 1}, "P log2(P)", Shape::kTree),
    sum(2, "[butterflies along rows, 2-D grid]", Shape::kRows, 1, butterflies<0>),
    sum(2, "[butterflies along columns, 2-D grid]", Shape::kRows, 1, butterflies<1>),
    sum(2, "[matrix-vector product, 2-D grid]", Shape::kRows, 0.5, matrix_vector),
    sum(1, "[messages, ring]", Shape::kAny, 1, periodic_messages),
    sum(2, "[messages, open 2-D grid]", Shape::kOpenPlane, 1, open_messages),
    sum(2, "[surface, open 2-D grid]", Shape::kOpenPlane, 0.5, open_surface),
    sum(2, "[messages, periodic 2-D grid]", Shape::kPeriodicPlane, 1, periodic_messages),
    sum(2, "[surface, periodic 2-D grid]", Shape::kPeriodicPlane, 0.5, periodic_surface),
    sum(3, "[messages, open 3-D grid]", Shape::kOpenSpace, 1, open_messages),
    sum(3, "[surface, open 3-D grid]", Shape::kOpenSpace, 1.0 / 3, open_surface),
    sum(3, "[messages, periodic 3-D grid]", Shape::kPeriodicSpace, 1, periodic_messages),
    sum(3, "[surface, periodic 3-D grid]", Shape::kPeriodicSpace, 1.0 / 3, periodic_surface),
    sum(3, "[edges, periodic 3-D grid]", Shape::kPeriodicSpace, 2.0 / 3, edges<2>),
    sum(3, "[corners, periodic 3-D grid]", Shape::kPeriodicSpace, 1, corners<3>, false),
    sum(2, "[neighbours, periodic 2-D grid]", Shape::kPeriodicPlane, 1, neighbours),
    sum(3, "[neighbours, periodic 3-D grid]", Shape::kPeriodicSpace, 1, neighbours),
    sum(3, "[edges, full halo of a 3-D grid]", Shape::kPeriodicSpace, 2.0 / 3, edges<1>),
    sum(3, "[corners, full halo of a 3-D grid]", Shape::kPeriodicSpace, 1, corners<1>, false),
    growth(kOfRanks, " P^(1/2)", 1.6, {0.5}),
    growth(kOfSums | kOfRanks, "/P^(1/2)", 1.6, {-0.5}, "sqrt(P)", Shape::kAny, 0.5),
    growth(kOfSums, "", 0, {-1, 1}, "log2(P)", Shape::kTree),
    sum(2, "[neighbours with corners, open 2-D grid]", Shape::kOpenPlane, 1, all_neighbours),
    sum(3, "[neighbours with corners, open 3-D grid]", Shape::kOpenSpace, 1, all_neighbours),
    sum(1, "[messages, sweeps of a multi-partition]", Shape::kAny, 1,
        [](const Sides& d) { return d[0] * (std::sqrt(d[0]) - 1); }),
    growth(kOfSums | kOfRanks, " P", 1.2, {1}, "P^2", Shape::kAll),
    growth(kOfRanks, "/P^2", 1.6, {-2}),
    growth(kOfRanks, " P^(1/3)", 1.6, {1.0 / 3}),
    growth(kOfRanks, "/P^(1/3)", 1.6, {-1.0 / 3}),
    growth(kOfRanks, "/P^(2/3)", 1.6, {-2.0 / 3}),
    // Along a side of a grid.
    of_side(kOfRanks | kOfMeans, "/", 1, Role::kShareOfSide, [](int side, int) { return 1.0 / side; }),
    of_side(kOfRanks, " ", 1.3, Role::kSide, [](int side, int) { return 1.0 * side; }),
    of_side(kOfRanks | kOfMeans, "/sides but ", 1, Role::kShareOfSides,
            [](int side, int ranks) { return 1.0 * side / ranks; }),
    of_side(kOfRanks, " [first along ", 0.8, Role::kFirst, nullptr),
    of_side(kOfRanks, " [last along ", 0.8, Role::kLast, nullptr),
};

std::vector<RankTerm> of_ranks(Use use, GridKind only) {
  std::vector<RankTerm> all;
  for (const Term* row : terms_for(use)) {
    if (!is_of_side(row->role)) all.push_back({row});
  }
  for (int g = 0; g < kGridKinds; ++g) {
    const auto grid = static_cast<GridKind>(g);
    const int sides = process_grid(grid, 1).dimensions;
    if (use == kOfMeans && grid != only) continue;
    for (int side = 0; side < sides; ++side) {
      for (const Term* row : terms_for(use)) {
        const Role role = row->role;
        // On a line a side is P; of two sides the other one is a side too.
        const int fewest = role == Role::kShareOfSides ? 3 : role == Role::kFirst || role == Role::kLast ? 1 : 2;
        if (is_of_side(role) && sides >= fewest) all.push_back({row, grid, side});
      }
    }
  }
  return all;
}

}  // namespace

double Growth::at(double p) const {
  const double value = power == 0.5 ? std::sqrt(p) : std::pow(p, power);
  return log_power == 0 ? value : value * std::pow(std::log2(p), log_power);
}

double Term::total(double ranks) const {
  constexpr std::array kGrids = {GridKind::kLine, GridKind::kPlaneFalling, GridKind::kSpaceFalling};
  const int p = static_cast<int>(std::clamp(std::round(ranks), 1.0, 1e9));
  if (sum == nullptr) return Growth{growth.power + 1, growth.log_power}.at(p);
  return sum(process_grid(kGrids[static_cast<size_t>(dimensions) - 1], p).sides);
}

std::vector<const Term*> terms_for(Use use) {
  std::vector<const Term*> rows;
  for (const Term& row : kTermTable) {
    if ((row.uses & use) != 0) rows.push_back(&row);
  }
  return rows;
}

double RankTerm::at(int ranks, int rank) const {
  if (!is_of_side(row->role)) return row->sum != nullptr ? row->total(ranks) / ranks : row->growth.at(ranks);
  const ProcessGrid places = process_grid(grid, ranks);
  const int length = places.sides[static_cast<size_t>(side)];
  if (!is_of_place()) return row->of_side(length, ranks);
  const int place = places.coordinates(rank)[static_cast<size_t>(side)];
  return place == (row->role == Role::kFirst ? 0 : length - 1) ? 1 : 0;
}

double RankTerm::complexity(GridKind of_program) const {
  constexpr double kOfOtherGrid = 2.5;
  return is_of_side(row->role) && grid != of_program ? kOfOtherGrid : row->complexity;
}

std::string RankTerm::text() const {
  if (!is_of_side(row->role)) return row->name;
  return row->name + side_text(grid, side) + (is_of_place() ? "]" : "");
}

const std::vector<RankTerm>& rank_terms() {
  static const std::vector<RankTerm> all = of_ranks(kOfRanks, GridKind::kLine);
  return all;
}

std::vector<RankTerm> mean_terms(GridKind grid) {
  std::vector<RankTerm> all = of_ranks(kOfMeans, grid);
  // Shares of several sides: those come first that the longer sides are in.
  std::ranges::stable_sort(all, [](const RankTerm& a, const RankTerm& b) {
    const auto key = [](const RankTerm& t) {
      return std::tuple(t.role(), t.role() == Role::kShareOfSides ? -t.side : t.side);
    };
    return key(a) < key(b);
  });
  return all;
}

std::string side_text(GridKind grid, int side) {
  if (grid == GridKind::kLine) return name_of(grid);
  return "side " + std::to_string(side + 1) + " of a " + name_of(grid);
}

}  // namespace scalediag::core
