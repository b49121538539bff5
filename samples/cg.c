/* Conjugate gradients on a sparse matrix distributed by rows.
 *
 *   cg [SIZE [STEPS]]      SIZE = N grid points a side, STEPS = S iterations at most
 *
 * The matrix is the 5-point Laplacian of an N x N grid, n = N^2 rows in compressed rows (CSR), 5n - 4N entries; the
 * right side belongs to a known, rough solution. A rank owns n/P consecutive rows, rounded up or down. Row i refers to
 * columns i-N to i+N and a rank owns at least N rows when P <= N, so it needs exactly the N values before its own
 * from the rank below and the N values after them from the rank above. Needs P <= N.
 *
 * Verified: the distributed product of the solution is the right side, the residual kept by the recurrence is the true
 * residual b - A x, and the energy norm of the error is below the bound of the theory, 2 ((sqrt(k)-1)/(sqrt(k)+1))^S of
 * its start, where the condition number k is known: cot^2(pi / (2 (N+1))).
 *
 * Per rank and iteration:
 *   multiply           2 (5n - 4N)/P operations; scales
 *   dot                2 calls, 2n/P operations each; scales
 *   update_solution    4n/P operations; scales
 *   update_direction   2n/P operations; scales
 *   exchange_halo      no arithmetic; 2 MPI_Sendrecv of 8N bytes each way; the first and the last rank have one
 *                      neighbour and name MPI_PROC_NULL for the other. Over all ranks 2 (P-1) messages and
 *                      16 N (P-1) bytes. Does not fall with P.
 *   MPI_Allreduce      2 calls of 8 bytes; time grows as log P.
 * Per run besides: build_matrix 5n/P; 2 exchange_halo and multiply (to check the product, and the result),
 * 3 MPI_Allreduce of 8 bytes (first residual, b, first energy norm) and 1 of 24 bytes (verification).
 *
 * Stops scaling: exchange_halo, whose volume stays at 16 N bytes a rank while n/P shrinks (rows, not blocks, are
 * distributed: communication over computation is about P/N), and then the latency of two MPI_Allreduce. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>

#include "common/arguments.h"

static const sample_usage kUsage = {.name = "cg",
                                    .summary = "Conjugate gradients on the 2-D Laplacian, distributed by rows.",
                                    .size_meaning = "grid points a side",
                                    .steps_meaning = "iterations at most",
                                    .size_default = 768,
                                    .size_min = 2,
                                    .size_max = 20000,
                                    .steps_default = 600,
                                    .steps_max = 1000000};

/* Rows [begin, end) of the matrix. Columns are positions in a vector with halo: column - begin + n_side. */
typedef struct {
  long n_side, begin, rows, entries;
  long* row_start;
  int* column;
  double* value;
} matrix;

static void* allocate(long count, size_t width) {
  void* memory = calloc((size_t)(count > 0 ? count : 1), width);
  if (memory == NULL) {
    fprintf(stderr, "error: cg: out of memory\nhint: a smaller SIZE or more ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return memory;
}

/* A vector of own values with n_side halo values on both sides; zero at first. */
static double* new_vector(const matrix* a) { return allocate(a->rows + 2 * a->n_side, sizeof(double)); }

SAMPLE_KERNEL static matrix build_matrix(long n_side, long begin, long end) {
  matrix a = {.n_side = n_side, .begin = begin, .rows = end - begin};
  a.row_start = allocate(a.rows + 1, sizeof(long));
  a.column = allocate(5 * a.rows, sizeof(int));
  a.value = allocate(5 * a.rows, sizeof(double));
  long next = 0;
  for (long row = 0; row < a.rows; ++row) {
    const long x = (begin + row) % n_side;
    const long y = (begin + row) / n_side;
    const int here = (int)(row + n_side);
    a.row_start[row] = next;
    if (y > 0) a.column[next] = (int)(here - n_side), a.value[next++] = -1.0;
    if (x > 0) a.column[next] = here - 1, a.value[next++] = -1.0;
    a.column[next] = here, a.value[next++] = 4.0;
    if (x < n_side - 1) a.column[next] = here + 1, a.value[next++] = -1.0;
    if (y < n_side - 1) a.column[next] = (int)(here + n_side), a.value[next++] = -1.0;
  }
  a.row_start[a.rows] = a.entries = next;
  return a;
}

static void free_matrix(matrix* a) {
  free(a->row_start);
  free(a->column);
  free(a->value);
}

/* Fills the halo of v from the neighbours. */
SAMPLE_KERNEL static void exchange_halo(const matrix* a, double* v, int below, int above) {
  const int count = (int)a->n_side;
  double* own = v + a->n_side;
  MPI_Sendrecv(own + a->rows - count, count, MPI_DOUBLE, above, 0, v, count, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(own, count, MPI_DOUBLE, below, 1, own + a->rows, count, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/* out = A v; the halo of v has to be filled, out needs none. */
SAMPLE_KERNEL static void multiply(const matrix* a, const double* v, double* out) {
  for (long row = 0; row < a->rows; ++row) {
    double sum = 0.0;
    for (long k = a->row_start[row]; k < a->row_start[row + 1]; ++k) sum += a->value[k] * v[a->column[k]];
    out[row + a->n_side] = sum;
  }
}

/* This rank's part of the scalar product. */
SAMPLE_KERNEL static double dot(const matrix* a, const double* v, const double* w) {
  double sum = 0.0;
  for (long i = a->n_side; i < a->n_side + a->rows; ++i) sum += v[i] * w[i];
  return sum;
}

static double dot_all(const matrix* a, const double* v, const double* w) {
  const double mine = dot(a, v, w);
  double all = 0.0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* x += alpha p, r -= alpha q */
SAMPLE_KERNEL static void update_solution(const matrix* a, double alpha, const double* restrict p,
                                          const double* restrict q, double* restrict x, double* restrict r) {
  for (long i = a->n_side; i < a->n_side + a->rows; ++i) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
  }
}

/* p = r + beta p */
SAMPLE_KERNEL static void update_direction(const matrix* a, double beta, const double* restrict r, double* restrict p) {
  for (long i = a->n_side; i < a->n_side + a->rows; ++i) p[i] = r[i] + beta * p[i];
}

/* A rough solution in [-1, 1), the same for any number of ranks. It has all frequencies, so that the iteration does not
 * converge within the usual number of steps. */
static double solution_at(long i) {
  uint64_t bits = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x632be59bd9b4e019);
  bits = (bits ^ (bits >> 31)) * UINT64_C(0xbf58476d1ce4e5b9);
  return (double)(bits >> 11) * 0x1p-52 - 1.0;
}

/* Row i of A times the solution. */
static double right_side_at(long n_side, long i) {
  const long x = i % n_side;
  const long y = i / n_side;
  double sum = 4.0 * solution_at(i);
  if (y > 0) sum -= solution_at(i - n_side);
  if (x > 0) sum -= solution_at(i - 1);
  if (x < n_side - 1) sum -= solution_at(i + 1);
  if (y < n_side - 1) sum -= solution_at(i + n_side);
  return sum;
}

static int run(int rank, int ranks, long n_side, long steps) {
  const long n = n_side * n_side;
  const long begin = sample_block_begin(n, ranks, rank);
  matrix a = build_matrix(n_side, begin, sample_block_begin(n, ranks, rank + 1));
  const int below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int above = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  double *b = new_vector(&a), *x = new_vector(&a), *r = new_vector(&a), *p = new_vector(&a), *q = new_vector(&a),
         *exact = new_vector(&a);

  /* b is made without the distributed product, which is then compared with it. */
  for (long i = 0; i < a.rows; ++i) {
    exact[i + n_side] = solution_at(begin + i);
    b[i + n_side] = right_side_at(n_side, begin + i);
  }
  exchange_halo(&a, exact, below, above);
  multiply(&a, exact, q);
  double product_error = 0.0;
  for (long i = n_side; i < n_side + a.rows; ++i) product_error = fmax(product_error, fabs(q[i] - b[i]));
  /* x = 0, so r = p = b, and the first error is the solution itself: its energy norm is exact . b. */
  for (long i = n_side; i < n_side + a.rows; ++i) r[i] = p[i] = b[i];
  double rr = dot_all(&a, r, r);
  const double bb = dot_all(&a, b, b);
  const double energy_start = dot_all(&a, exact, b);

  long done = 0;
  /* Beyond this point the residual is rounding only, and the next alpha would be meaningless. */
  for (; done < steps && rr > 1e-26 * bb; ++done) {
    exchange_halo(&a, p, below, above);
    multiply(&a, p, q);
    const double alpha = rr / dot_all(&a, p, q);
    update_solution(&a, alpha, p, q, x, r);
    const double rr_new = dot_all(&a, r, r);
    update_direction(&a, rr_new / rr, r, p);
    rr = rr_new;
  }

  exchange_halo(&a, x, below, above);
  multiply(&a, x, q);
  double mine[3] = {0.0, 0.0, product_error > 1e-14 ? 1.0 : 0.0};
  double sums[3] = {0.0, 0.0, 0.0}; /* |(b - A x) - r|^2, (exact - x) . A (exact - x), ranks with a wrong product */
  for (long i = n_side; i < n_side + a.rows; ++i) {
    const double residual = b[i] - q[i];
    mine[0] += (residual - r[i]) * (residual - r[i]);
    mine[1] += (exact[i] - x[i]) * residual;
  }
  MPI_Allreduce(mine, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  const double pi = 3.14159265358979323846;
  const double root_k = 1.0 / tan(pi / (2.0 * (double)(n_side + 1)));
  const double bound = fmin(1.0, 2.0 * pow((root_k - 1.0) / (root_k + 1.0), (double)done));
  const double drift = sqrt(sums[0] / bb);
  const double reduction = sqrt(fabs(sums[1]) / energy_start);
  if (rank == 0) {
    printf("iterations %ld, residual %.3e, its drift %.1e, error %.3e, bound %.3e\n", done, sqrt(rr / bb), drift,
           reduction, bound);
  }
  free(b), free(x), free(r), free(p), free(q), free(exact);
  free_matrix(&a);
  return sample_verdict(rank, sums[2] == 0.0 && drift <= 1e-12 && reduction <= bound * (1.0 + 1e-9) + 1e-11);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long n_side = 0, steps = 0;
  int status = sample_read_arguments(argc, argv, &kUsage, rank, &n_side, &steps);
  if (status == kSampleRun && ranks > n_side) {
    status = sample_too_many_ranks(kUsage.name, rank, ranks, n_side, ranks);
  } else if (status == kSampleRun) {
    if (rank == 0) {
      printf("cg: size %ld, rows %ld, steps %ld, ranks %d\n", n_side, n_side * n_side, steps, ranks);
    }
    status = run(rank, ranks, n_side, steps);
  }
  MPI_Finalize();
  return status;
}
