// 2-D 5-point Jacobi iteration with Cartesian halo exchange and a residual over all ranks every step.
//
//   stencil2d [SIZE [STEPS [ROWS]]]      SIZE = N interior points a side, STEPS = S iterations, ROWS = R below
//
// Laplace's equation on the unit square, zero on the boundary, h = 1/(N+1). The start is the sum of two
// eigenvectors sin(k pi x) sin(l pi y) of the iteration; each step multiplies one by exactly
// (cos(k pi h) + cos(l pi h)) / 2, so the field and the residual after any number of steps are known in closed
// form. The program verifies them; any halo value that is wrong or late changes them.
//
// Ranks form a grid R x C = MPI_Dims_create(P), or with R given, rows by columns; a rank owns n_r x n_c points, where
// n_r is N/R and n_c is N/C, rounded up or down. Needs R <= N and C <= N.
//
// Per rank and step:
//   sweep            n_r n_c points, 4 operations each: N^2/P; scales
//   sum_of_changes   n_r n_c points, 3 operations each: N^2/P; scales
//   exchange_halo    no arithmetic; 4 MPI_Irecv, 4 MPI_Isend, 1 MPI_Waitall. Sends one message to each neighbour
//                    that exists (4 in the middle of the grid of ranks, fewer at its rim): 8 n_c bytes north and
//                    south, 8 n_r bytes west and east. The calls towards a missing neighbour name MPI_PROC_NULL.
//                    Over all ranks 2 C + 2 R (C-1) messages and 16 N (R + C - 2) bytes.
//                    A rank's bytes fall as 1/sqrt(P) only, its messages do not fall.
//   MPI_Allreduce    1 call of 8 bytes; time grows as log P.
// Per run besides: fill_start and check_field N^2/P each, with sines (profiles show libm's), and 1 MPI_Allreduce of
// 8 bytes.
//
// Stops scaling: MPI_Allreduce and the latency of exchange_halo, once N^2/P points take no longer than they do.
// Surface to volume is about 4 sqrt(P)/N.
#include <mpi.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "common/arguments.h"

namespace {

constexpr sample_usage kUsage = {"stencil2d",
                                 "2-D 5-point Jacobi iteration with halo exchange and residual.",
                                 "interior points a side",
                                 "iterations",
                                 1200,
                                 4,
                                 30000,
                                 800,
                                 1000000};

constexpr double kPi = 3.14159265358979323846;

// One eigenvector of the iteration, with its share in the start.
struct Mode {
  int k, l;
  double amplitude;
};
constexpr std::array<Mode, 2> kModes = {Mode{1, 1, 1.0}, Mode{3, 2, 0.5}};

struct Grid {
  long n;  // interior points a side, over all ranks
  long row_begin, col_begin;
  long rows, cols;  // owned points; storage has one more on every side
  MPI_Comm comm;
  int north, south, west, east;
  MPI_Datatype column;

  std::size_t at(long row, long col) const { return static_cast<std::size_t>(row * (cols + 2) + col); }
  std::size_t storage() const { return static_cast<std::size_t>((rows + 2) * (cols + 2)); }
};

double decay(const Mode& mode, long n) {
  const double h = 1.0 / static_cast<double>(n + 1);
  return 0.5 * (std::cos(mode.k * kPi * h) + std::cos(mode.l * kPi * h));
}

// The exact iterate after `steps` at an owned point.
double exact_value(const Grid& grid, long row, long col, const std::array<double, 2>& factors) {
  const double h = 1.0 / static_cast<double>(grid.n + 1);
  const double y = static_cast<double>(grid.row_begin + row) * h;
  const double x = static_cast<double>(grid.col_begin + col) * h;
  double value = 0.0;
  for (std::size_t m = 0; m < kModes.size(); ++m) {
    value += factors[m] * std::sin(kModes[m].k * kPi * x) * std::sin(kModes[m].l * kPi * y);
  }
  return value;
}

SAMPLE_KERNEL void fill_start(const Grid& grid, std::vector<double>& field) {
  for (long row = 1; row <= grid.rows; ++row) {
    for (long col = 1; col <= grid.cols; ++col) {
      field[grid.at(row, col)] = exact_value(grid, row, col, {kModes[0].amplitude, kModes[1].amplitude});
    }
  }
}

SAMPLE_KERNEL void exchange_halo(const Grid& grid, std::vector<double>& field) {
  const int row_length = static_cast<int>(grid.cols);
  double* f = field.data();
  std::array<MPI_Request, 8> requests;
  MPI_Irecv(f + grid.at(0, 1), row_length, MPI_DOUBLE, grid.north, 0, grid.comm, &requests[0]);
  MPI_Irecv(f + grid.at(grid.rows + 1, 1), row_length, MPI_DOUBLE, grid.south, 1, grid.comm, &requests[1]);
  MPI_Irecv(f + grid.at(1, 0), 1, grid.column, grid.west, 2, grid.comm, &requests[2]);
  MPI_Irecv(f + grid.at(1, grid.cols + 1), 1, grid.column, grid.east, 3, grid.comm, &requests[3]);
  MPI_Isend(f + grid.at(grid.rows, 1), row_length, MPI_DOUBLE, grid.south, 0, grid.comm, &requests[4]);
  MPI_Isend(f + grid.at(1, 1), row_length, MPI_DOUBLE, grid.north, 1, grid.comm, &requests[5]);
  MPI_Isend(f + grid.at(1, grid.cols), 1, grid.column, grid.east, 2, grid.comm, &requests[6]);
  MPI_Isend(f + grid.at(1, 1), 1, grid.column, grid.west, 3, grid.comm, &requests[7]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

SAMPLE_KERNEL void sweep(const Grid& grid, const std::vector<double>& from, std::vector<double>& to) {
  for (long row = 1; row <= grid.rows; ++row) {
    const double* above = from.data() + grid.at(row - 1, 0);
    const double* here = from.data() + grid.at(row, 0);
    const double* below = from.data() + grid.at(row + 1, 0);
    double* out = to.data() + grid.at(row, 0);
    for (long col = 1; col <= grid.cols; ++col) {
      out[col] = 0.25 * (above[col] + below[col] + here[col - 1] + here[col + 1]);
    }
  }
}

SAMPLE_KERNEL double sum_of_changes(const Grid& grid, const std::vector<double>& before,
                                    const std::vector<double>& after) {
  double sum = 0.0;
  for (long row = 1; row <= grid.rows; ++row) {
    for (long col = 1; col <= grid.cols; ++col) {
      const double change = after[grid.at(row, col)] - before[grid.at(row, col)];
      sum += change * change;
    }
  }
  return sum;
}

// Largest deviation from the exact iterate on this rank.
SAMPLE_KERNEL double check_field(const Grid& grid, const std::vector<double>& field, long steps) {
  std::array<double, 2> factors{};
  for (std::size_t m = 0; m < kModes.size(); ++m) {
    factors[m] = kModes[m].amplitude * std::pow(decay(kModes[m], grid.n), static_cast<double>(steps));
  }
  double worst = 0.0;
  for (long row = 1; row <= grid.rows; ++row) {
    for (long col = 1; col <= grid.cols; ++col) {
      const double error = std::fabs(field[grid.at(row, col)] - exact_value(grid, row, col, factors));
      if (!(error <= worst)) worst = error;  // so written that NaN is kept
    }
  }
  return worst;
}

// Norm of the last step's change. Eigenvectors are orthogonal and each has the norm (N+1)/2.
double exact_change(long n, long steps) {
  double sum = 0.0;
  for (const Mode& mode : kModes) {
    const double factor = decay(mode, n);
    const double change = mode.amplitude * std::pow(factor, static_cast<double>(steps - 1)) * (factor - 1.0);
    sum += change * change;
  }
  return std::sqrt(sum) * 0.5 * static_cast<double>(n + 1);
}

Grid make_grid(long n, const std::array<int, 2>& dims) {
  Grid grid{};
  grid.n = n;
  const std::array<int, 2> periods = {0, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periods.data(), 0, &grid.comm);
  int rank = 0;
  MPI_Comm_rank(grid.comm, &rank);
  std::array<int, 2> place = {0, 0};
  MPI_Cart_coords(grid.comm, rank, 2, place.data());
  MPI_Cart_shift(grid.comm, 0, 1, &grid.north, &grid.south);
  MPI_Cart_shift(grid.comm, 1, 1, &grid.west, &grid.east);
  grid.row_begin = sample_block_begin(n, dims[0], place[0]);
  grid.col_begin = sample_block_begin(n, dims[1], place[1]);
  grid.rows = sample_block_begin(n, dims[0], place[0] + 1) - grid.row_begin;
  grid.cols = sample_block_begin(n, dims[1], place[1] + 1) - grid.col_begin;
  MPI_Type_vector(static_cast<int>(grid.rows), 1, static_cast<int>(grid.cols + 2), MPI_DOUBLE, &grid.column);
  MPI_Type_commit(&grid.column);
  return grid;
}

int run(int rank, long n, long steps, const std::array<int, 2>& dims) {
  Grid grid = make_grid(n, dims);
  std::vector<double> now(grid.storage(), 0.0);
  std::vector<double> next(grid.storage(), 0.0);
  fill_start(grid, now);
  double change = 0.0;
  for (long step = 0; step < steps; ++step) {
    exchange_halo(grid, now);
    sweep(grid, now, next);
    const double mine = sum_of_changes(grid, now, next);
    MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_SUM, grid.comm);
    std::swap(now, next);
  }
  const double mine = check_field(grid, now, steps);
  double worst = 0.0;
  MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, grid.comm);
  MPI_Type_free(&grid.column);
  MPI_Comm_free(&grid.comm);

  // A step rounds each value by a few 2^-53 and never amplifies; the change is a difference of numbers near 1, so
  // its own rounding is an absolute one, of about 1e-16 N over the grid.
  const double rounding = 1e-15 * static_cast<double>(steps) + 1e-13;
  const double expected = exact_change(n, steps);
  const double change_error = std::fabs(std::sqrt(change) - expected);
  if (rank == 0) std::printf("change %.6e, expected %.6e, largest error %.1e\n", std::sqrt(change), expected, worst);
  return sample_verdict(rank, worst <= rounding && change_error <= rounding * static_cast<double>(n));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long n = 0;
  long steps = 0;
  long rows = 0;  // MPI_Dims_create chooses
  const bool has_rows = argc == 4 && sample_read_number(argv[3], 1, ranks, &rows) && ranks % rows == 0;
  int status = sample_read_arguments(has_rows ? 3 : argc, argv, &kUsage, rank, &n, &steps);
  if (status == kSampleRun) {
    std::array<int, 2> dims = {static_cast<int>(rows), 0};
    MPI_Dims_create(ranks, 2, dims.data());
    if (dims[0] > n || dims[1] > n) {
      status = sample_too_many_ranks(kUsage.name, rank, ranks, n, dims[0] > dims[1] ? dims[0] : dims[1]);
    } else {
      if (rank == 0) {
        std::printf("stencil2d: size %ld, steps %ld, ranks %d as %d x %d\n", n, steps, ranks, dims[0], dims[1]);
      }
      status = run(rank, n, steps, dims);
    }
  }
  MPI_Finalize();
  return status;
}
