// A setup that every rank repeats, a serial part on rank 0, and a threaded loop that scales. MPI and OpenMP.
//
//   replicated_setup [SIZE [STEPS]]      SIZE = N quadrature points a side, STEPS = S integrals
//
// Step s computes I = integral of cos(w (x + y)) over [-1, 1]^2 by an N x N Gauss-Legendre rule, w = 1 + s mod 8. The
// cosine is read from a cubic spline over K = 16 N + 1 knots on [-2, 2], which rank 0 builds anew every step and sends
// to all. Known: I = (2 sin(w) / w)^2, to within the spline's error 5/384 h^4 w^4 (h = 4/(K-1)) times the area 4. Ranks
// own N/P rows of the rule, rounded up or down (none, where P > N); T threads a rank share them.
//
// Per run and rank:
//   gauss_legendre      N/2 roots, about 4 Newton steps each, N recurrence steps of 6 operations: about 12 N^2,
//                       repeated by every rank on one thread; DOES NOT SCALE
// Per step:
//   build_spline        rank 0 only: about 12 operations and a cosine for each of 16 N + 1 knots; DOES NOT SCALE
//   MPI_Bcast           1 call of 16 (16 N + 1) bytes: value and second derivative at each knot; every rank but 0
//                       also waits in it for build_spline; volume does not fall with P
//   integrate_rows      N^2/(P T) points of 20 operations; scales with ranks and threads
//                       (in profiles an outlined body, integrate_rows [clone ._omp_fn.0])
//   MPI_Allreduce       1 call of 8 bytes; time grows as log P
//
// Stops scaling: build_spline with the MPI_Bcast behind it, 16 N (12 operations and a cosine) a step whatever P is, and
// gauss_legendre: its 12 N^2 operations are more than a rank's share of the loop, 20 S N^2/(P T), once
// P > 1.7 S/T. With a cosine at 20 operations Amdahl's serial share is (12 N + 512 S)/(20 S N).
//
// Two threads a rank unless OMP_NUM_THREADS says otherwise. Where threads outnumber cores, set OMP_WAIT_POLICY=passive:
// waiting threads spin otherwise.
#include <mpi.h>
#include <omp.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/arguments.h"

namespace {

constexpr sample_usage kUsage = {"replicated_setup",
                                 "Quadrature with a replicated setup, a serial spline and a threaded loop.",
                                 "quadrature points a side",
                                 "integrals",
                                 3000,
                                 32,
                                 100000,
                                 40,
                                 1000000};

constexpr double kPi = 3.14159265358979323846;
constexpr double kReach = 2.0;  // the spline covers [-kReach, kReach]

struct Rule {
  std::vector<double> node, weight;
};

// A natural cubic spline on equal knots; value and bend (second derivative) alternate, so that one message sends both.
struct Spline {
  long intervals;
  std::vector<double> value_and_bend;

  double step() const { return 2.0 * kReach / static_cast<double>(intervals); }
};

// Nodes and weights of the n-point rule on [-1, 1], by Newton iteration on the Legendre polynomial.
SAMPLE_KERNEL Rule gauss_legendre(long n) {
  Rule rule;
  rule.node.resize(static_cast<std::size_t>(n));
  rule.weight.resize(static_cast<std::size_t>(n));
  for (long i = 0; i < (n + 1) / 2; ++i) {
    double x = std::cos(kPi * (static_cast<double>(i) + 0.75) / (static_cast<double>(n) + 0.5));
    double slope = 1.0;
    for (int iteration = 0; iteration < 20; ++iteration) {
      double before = 1.0;
      double here = x;
      for (long k = 2; k <= n; ++k) {
        const double next =
            ((2.0 * static_cast<double>(k) - 1.0) * x * here - (static_cast<double>(k) - 1.0) * before) /
            static_cast<double>(k);
        before = here;
        here = next;
      }
      slope = static_cast<double>(n) * (x * here - before) / (x * x - 1.0);
      const double move = here / slope;
      x -= move;
      if (std::fabs(move) < 1e-15) break;
    }
    const auto low = static_cast<std::size_t>(i);
    const auto high = static_cast<std::size_t>(n - 1 - i);
    rule.node[low] = -x;
    rule.node[high] = x;
    rule.weight[low] = rule.weight[high] = 2.0 / ((1.0 - x * x) * slope * slope);
  }
  return rule;
}

// The spline through cos(w t), its bend at the ends that of the function, by the tridiagonal system
// b[k-1] + 4 b[k] + b[k+1] = 6/h^2 (v[k-1] - 2 v[k] + v[k+1]).
SAMPLE_KERNEL void build_spline(double w, Spline& spline) {
  const double h = spline.step();
  const auto knots = static_cast<std::size_t>(spline.intervals + 1);
  std::vector<double>& s = spline.value_and_bend;
  std::vector<double> pivot(knots, 0.0);
  for (std::size_t k = 0; k < knots; ++k) s[2 * k] = std::cos(w * (-kReach + h * static_cast<double>(k)));
  const double bend_at_end = -w * w * std::cos(w * kReach);
  s[1] = bend_at_end;
  s[2 * knots - 1] = bend_at_end;
  for (std::size_t k = 1; k + 1 < knots; ++k) {
    const double right = 6.0 / (h * h) * (s[2 * k - 2] - 2.0 * s[2 * k] + s[2 * k + 2]);
    pivot[k] = 1.0 / (4.0 - pivot[k - 1]);
    s[2 * k + 1] = (right - s[2 * k - 1]) * pivot[k];
  }
  for (std::size_t k = knots - 2; k > 0; --k) s[2 * k + 1] -= pivot[k] * s[2 * k + 3];
}

// This rank's part of the integral: rows [begin, end) of the rule.
SAMPLE_KERNEL double integrate_rows(const Rule& rule, const Spline& spline, long begin, long end) {
  const double h = spline.step();
  const double* s = spline.value_and_bend.data();
  const double* node = rule.node.data();
  const double* weight = rule.weight.data();
  const long n = static_cast<long>(rule.node.size());
  const long last = spline.intervals - 1;
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (long row = begin; row < end; ++row) {
    double row_sum = 0.0;
    for (long col = 0; col < n; ++col) {
      const double position = (node[row] + node[col] + kReach) / h;
      const long k = position < static_cast<double>(last) ? static_cast<long>(position) : last;
      const double right = position - static_cast<double>(k);
      const double left = 1.0 - right;
      const double* knot = s + 2 * k;
      const double bend = (left * left * left - left) * knot[1] + (right * right * right - right) * knot[3];
      row_sum += weight[col] * (left * knot[0] + right * knot[2] + h * h / 6.0 * bend);
    }
    sum += weight[row] * row_sum;
  }
  return sum;
}

double frequency(long step) { return 1.0 + static_cast<double>(step % 8); }

// The spline's error times the area, and rounding. The rule's own error is far below: N >= 32 points resolve w <= 8.
double tolerance(double w, double h) { return 4.0 * 5.0 / 384.0 * std::pow(h * w, 4) + 1e-12; }

int run(int rank, int ranks, long n, long steps) {
  const Rule rule = gauss_legendre(n);
  Spline spline{16 * n, std::vector<double>(static_cast<std::size_t>(2 * (16 * n + 1)))};
  const long begin = sample_block_begin(n, ranks, rank);
  const long end = sample_block_begin(n, ranks, rank + 1);
  double worst = 0.0;
  bool passed = true;
  for (long step = 0; step < steps; ++step) {
    const double w = frequency(step);
    if (rank == 0) build_spline(w, spline);
    MPI_Bcast(spline.value_and_bend.data(), static_cast<int>(spline.value_and_bend.size()), MPI_DOUBLE, 0,
              MPI_COMM_WORLD);
    const double mine = integrate_rows(rule, spline, begin, end);
    double integral = 0.0;
    MPI_Allreduce(&mine, &integral, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const double expected = std::pow(2.0 * std::sin(w) / w, 2);
    const double error = std::fabs(integral - expected);
    if (!(error <= tolerance(w, spline.step()))) passed = false;  // written so that NaN fails
    if (error > worst) worst = error;
  }
  if (rank == 0) std::printf("largest error of an integral %.1e\n", worst);
  return sample_verdict(rank, passed ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long n = 0;
  long steps = 0;
  int status = sample_read_arguments(argc, argv, &kUsage, rank, &n, &steps);
  if (status == kSampleRun) {
    // libgomp would take a thread for each core, in every rank.
    if (std::getenv("OMP_NUM_THREADS") == nullptr) omp_set_num_threads(2);
    if (rank == 0) {
      std::printf("replicated_setup: size %ld, steps %ld, ranks %d, threads %d\n", n, steps, ranks,
                  omp_get_max_threads());
    }
    status = run(rank, ranks, n, steps);
  }
  MPI_Finalize();
  return status;
}
