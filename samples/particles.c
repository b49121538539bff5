/* Soft particles in a box, more of them on one side than on the other: a program whose time depends on where they are.
 *
 *   particles [SIZE [STEPS]]      SIZE = N particles, STEPS = S
 *
 * Discs of diameter 1 that overlap push each other away, with the energy (1 - r)^2 / 2 of a pair at the distance r, in
 * a periodic square of side L = sqrt(N)/2; velocity Verlet. The density at x is (1/4 + 3/2 x/L) times its mean of 4:
 * seven times as large at one side as at the other. Each rank owns a rectangle of the square, as MPI_Dims_create
 * divides P, and sorts its particles into cells of a side of at least 1 to find pairs. Needs rectangles of a side of at
 * least 1.
 *
 * Verified: no particle is lost; momentum and energy are conserved.
 *
 * Per rank and step, with n particles of its own, g copies of others' (all those within 1 of the rectangle), p pairs in
 * the same cell or in adjacent ones (not those of two copies) and q of them closer than 1:
 *   push, move          2 and 1 calls, 4 n operations each
 *   sort_into_cells     1 call, n + g particles, three times each
 *   add_forces          1 call, p distances and q square roots: the most of the time
 *   MPI_Sendrecv        16 calls: in 2 dimensions and 2 directions the number (8 bytes) and then the particles
 *                       (32 bytes each) that leave the rectangle, and the same for copies
 * Per run besides: 2 MPI_Allreduce of 32 bytes (start and end) and 1 of 4 bytes (verdict).
 *
 * Regions: move, cells and forces, with the parameters atoms = n, ghosts = g, pairs = p and close = q, which
 * `scalediag blocks learn` finds their times by.
 *
 * Stops scaling: imbalance, and the others wait for the ranks of the dense side in MPI_Sendrecv. Pairs go as the square
 * of the density, f(u) = 1/4 + 3/2 u at the part u = x/L of the side, by its mean. The mean of f^2 over all u is
 * 1/16 + 3/8 + 3/4 = 1.1875. Many ranks: those of the dense side have f = 7/4, and 49/16 / 1.1875 = 2.58 times the mean
 * number of pairs. On a grid of 8 x 8: the mean of f^2 over u from 7/8 to 1 is 8 (1.75^3 - 1.5625^3) / 4.5 = 2.746,
 * since f^3 / 4.5 is an integral of f^2, and that is 2.31 times the mean. */
#include <math.h>
#include <mpi.h>

#include "common/arguments.h"
#include "scalediag_region.h"

static const sample_usage kUsage = {.name = "particles",
                                    .summary = "Soft particles of uneven density, in cells.",
                                    .size_meaning = "particles",
                                    .steps_meaning = "steps",
                                    .size_default = 20000,
                                    .size_min = 16,
                                    .size_max = 100000000,
                                    .steps_default = 200,
                                    .steps_max = 1000000};

static const double kMeanDensity = 4;
static const double kTimeStep = 0.01;
static const double kReach = 1; /* of the force */
static const double kStartSpeed = 0.1;

typedef struct {
  double at[2], velocity[2];
} particle;

enum { kDoubles = sizeof(particle) / sizeof(double), kSums = 4 };

typedef struct {
  particle* items;
  long count, room;
} particle_list;

typedef struct {
  int rank, ranks;
  long size;
  MPI_Comm grid;
  int divisions[2], place[2], below[2], above[2];
  double side, from[2], to[2]; /* of the square; of the own rectangle */
  particle_list particles;     /* the own ones, then copies */
  long own;
  particle_list leaving[2]; /* down and up */
  double (*force)[2];       /* on each particle */
  long* cell_of;
  long* in_cells;    /* particles in the order of their cells */
  long* cell_begins; /* of each cell in in_cells, and the end */
  long force_room, cells[2];
  double potential;
} state;

static void* resized(void* memory, long bytes) {
  memory = realloc(memory, (size_t)bytes);
  if (memory == NULL) {
    fprintf(stderr, "error: particles: out of memory\nhint: a smaller SIZE\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return memory;
}

static void make_room(particle_list* list, long count) {
  if (count <= list->room) return;
  list->room = count + count / 2 + 64;
  list->items = resized(list->items, list->room * (long)sizeof(particle));
}

static void append(particle_list* list, const particle* item) {
  make_room(list, list->count + 1);
  list->items[list->count++] = *item;
}

/* An even number from 0 to 1 for each particle and purpose (the finishing steps of splitmix64). */
static double even(long i, int purpose) {
  unsigned long long x = ((unsigned long long)i * 4 + (unsigned long long)purpose + 1) * 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-53;
}

/* Every rank makes all particles and keeps its own. The density grows linearly: s/4 + 3/4 s^2 of the particles lie
 * below the part s of the side, which is solved for s. */
static void make_particles(state* s) {
  for (long i = 0; i < s->size; ++i) {
    particle p;
    p.at[0] = s->side * (sqrt(0.0625 + 3 * even(i, 0)) - 0.25) / 1.5;
    p.at[1] = s->side * even(i, 1);
    p.velocity[0] = kStartSpeed * (even(i, 2) - 0.5);
    p.velocity[1] = kStartSpeed * (even(i, 3) - 0.5);
    if (p.at[0] >= s->from[0] && p.at[0] < s->to[0] && p.at[1] >= s->from[1] && p.at[1] < s->to[1]) {
      append(&s->particles, &p);
    }
  }
  s->own = s->particles.count;
}

/* Sends what leaves down and up in this dimension, and appends what comes. */
static void swap(state* s, int dimension) {
  for (int up = 0; up < 2; ++up) {
    const int to = up ? s->above[dimension] : s->below[dimension];
    const int from = up ? s->below[dimension] : s->above[dimension];
    particle_list* leaving = &s->leaving[up];
    const int edge = up ? s->place[dimension] == s->divisions[dimension] - 1 : s->place[dimension] == 0;
    for (long i = 0; edge && i < leaving->count; ++i) leaving->items[i].at[dimension] += up ? -s->side : s->side;
    long coming = 0;
    MPI_Sendrecv(&leaving->count, 1, MPI_LONG, to, 2 * dimension + up, &coming, 1, MPI_LONG, from, 2 * dimension + up,
                 s->grid, MPI_STATUS_IGNORE);
    make_room(&s->particles, s->particles.count + coming);
    MPI_Sendrecv(leaving->items, (int)(kDoubles * leaving->count), MPI_DOUBLE, to, 4 + 2 * dimension + up,
                 s->particles.items + s->particles.count, (int)(kDoubles * coming), MPI_DOUBLE, from,
                 4 + 2 * dimension + up, s->grid, MPI_STATUS_IGNORE);
    s->particles.count += coming;
    leaving->count = 0;
  }
}

/* Particles that left the rectangle go to their new owners. */
static void migrate(state* s) {
  s->particles.count = s->own;
  for (int d = 0; d < 2; ++d) {
    long kept = 0;
    for (long i = 0; i < s->particles.count; ++i) {
      const particle* p = &s->particles.items[i];
      if (p->at[d] < s->from[d]) {
        append(&s->leaving[0], p);
      } else if (p->at[d] >= s->to[d]) {
        append(&s->leaving[1], p);
      } else {
        s->particles.items[kept++] = *p;
      }
    }
    s->particles.count = kept;
    swap(s, d);
  }
  s->own = s->particles.count;
}

/* Copies of the particles near each border go to the rank beyond it; those of the first dimension also in the second.
 */
static void copy_borders(state* s) {
  for (int d = 0; d < 2; ++d) {
    for (long i = 0; i < s->particles.count; ++i) {
      const particle* p = &s->particles.items[i];
      if (p->at[d] < s->from[d] + kReach) append(&s->leaving[0], p);
      if (p->at[d] >= s->to[d] - kReach) append(&s->leaving[1], p);
    }
    swap(s, d);
  }
}

static long cell_at(const state* s, int dimension, double at) {
  const double from = s->from[dimension] - kReach, to = s->to[dimension] + kReach;
  const long cell = (long)floor((at - from) / (to - from) * (double)s->cells[dimension]);
  return cell < 0 ? 0 : cell >= s->cells[dimension] ? s->cells[dimension] - 1 : cell;
}

SAMPLE_KERNEL static void sort_into_cells(state* s) {
  const long cells = s->cells[0] * s->cells[1];
  for (long c = 0; c <= cells; ++c) s->cell_begins[c] = 0;
  for (long i = 0; i < s->particles.count; ++i) {
    const double* at = s->particles.items[i].at;
    s->cell_of[i] = cell_at(s, 0, at[0]) * s->cells[1] + cell_at(s, 1, at[1]);
    ++s->cell_begins[s->cell_of[i] + 1];
  }
  for (long c = 0; c < cells; ++c) s->cell_begins[c + 1] += s->cell_begins[c];
  for (long i = 0; i < s->particles.count; ++i) s->in_cells[s->cell_begins[s->cell_of[i]]++] = i;
  for (long c = cells; c > 0; --c) s->cell_begins[c] = s->cell_begins[c - 1];
  s->cell_begins[0] = 0;
}

/* Adds the forces between particle i and those that stand from `begin` to `end` in the order of cells; returns how many
 * pairs that were, and adds to *close those within reach. */
static long add_forces_of(state* s, long i, long begin, long end, long* close) {
  const particle* items = s->particles.items;
  long pairs = 0;
  for (long k = begin; k < end; ++k) {
    const long j = s->in_cells[k];
    if (i >= s->own && j >= s->own) continue;
    ++pairs;
    const double x = items[i].at[0] - items[j].at[0], y = items[i].at[1] - items[j].at[1];
    const double square = x * x + y * y;
    if (square >= kReach * kReach || square == 0) continue;
    ++*close;
    const double distance = sqrt(square), overlap = kReach - distance, by_distance = overlap / distance;
    s->force[i][0] += x * by_distance;
    s->force[i][1] += y * by_distance;
    s->force[j][0] -= x * by_distance;
    s->force[j][1] -= y * by_distance;
    s->potential += 0.5 * overlap * overlap * (i < s->own && j < s->own ? 1 : 0.5);
  }
  return pairs;
}

SAMPLE_KERNEL static long add_forces(state* s, long* close) {
  static const long kNext[4][2] = {{0, 1}, {1, -1}, {1, 0}, {1, 1}};
  long pairs = 0;
  s->potential = 0;
  for (long i = 0; i < s->particles.count; ++i) s->force[i][0] = s->force[i][1] = 0;
  for (long cx = 0; cx < s->cells[0]; ++cx) {
    for (long cy = 0; cy < s->cells[1]; ++cy) {
      const long cell = cx * s->cells[1] + cy;
      for (long k = s->cell_begins[cell]; k < s->cell_begins[cell + 1]; ++k) {
        const long i = s->in_cells[k];
        pairs += add_forces_of(s, i, k + 1, s->cell_begins[cell + 1], close);
        for (int n = 0; n < 4; ++n) {
          const long x = cx + kNext[n][0], y = cy + kNext[n][1];
          if (x >= s->cells[0] || y < 0 || y >= s->cells[1]) continue;
          const long other = x * s->cells[1] + y;
          pairs += add_forces_of(s, i, s->cell_begins[other], s->cell_begins[other + 1], close);
        }
      }
    }
  }
  return pairs;
}

SAMPLE_KERNEL static void push(state* s) {
  for (long i = 0; i < s->own; ++i) {
    for (int d = 0; d < 2; ++d) s->particles.items[i].velocity[d] += 0.5 * kTimeStep * s->force[i][d];
  }
}

SAMPLE_KERNEL static void move(state* s) {
  for (long i = 0; i < s->own; ++i) {
    for (int d = 0; d < 2; ++d) s->particles.items[i].at[d] += kTimeStep * s->particles.items[i].velocity[d];
  }
}

static void make_room_for_forces(state* s) {
  if (s->particles.count <= s->force_room) return;
  s->force_room = s->particles.count + s->particles.count / 2;
  s->force = resized(s->force, s->force_room * (long)sizeof *s->force);
  s->cell_of = resized(s->cell_of, s->force_room * (long)sizeof(long));
  s->in_cells = resized(s->in_cells, s->force_room * (long)sizeof(long));
}

static void find_forces(state* s) {
  make_room_for_forces(s);
  SCALEDIAG_BEGIN("cells");
  SCALEDIAG_PARAMETER("atoms", s->own);
  SCALEDIAG_PARAMETER("ghosts", s->particles.count - s->own);
  sort_into_cells(s);
  SCALEDIAG_END("cells");
  SCALEDIAG_BEGIN("forces");
  long close = 0;
  const long pairs = add_forces(s, &close);
  SCALEDIAG_PARAMETER("atoms", s->own);
  SCALEDIAG_PARAMETER("ghosts", s->particles.count - s->own);
  SCALEDIAG_PARAMETER("pairs", pairs);
  SCALEDIAG_PARAMETER("close", close);
  SCALEDIAG_END("forces");
}

static void step(state* s) {
  SCALEDIAG_BEGIN("move");
  SCALEDIAG_PARAMETER("atoms", s->own);
  push(s);
  move(s);
  SCALEDIAG_END("move");
  migrate(s);
  copy_borders(s);
  find_forces(s);
  push(s);
}

/* Particles, momentum and energy of all ranks. */
static void sums_of_all(const state* s, double* sums) {
  double of_rank[kSums] = {(double)s->own, 0, 0, s->potential};
  for (long i = 0; i < s->own; ++i) {
    const double* v = s->particles.items[i].velocity;
    of_rank[1] += v[0];
    of_rank[2] += v[1];
    of_rank[3] += 0.5 * (v[0] * v[0] + v[1] * v[1]);
  }
  MPI_Allreduce(of_rank, sums, kSums, MPI_DOUBLE, MPI_SUM, s->grid);
}

static int run(state* s, long steps) {
  double before[kSums], after[kSums];
  make_particles(s);
  copy_borders(s);
  find_forces(s);
  sums_of_all(s, before);
  for (long i = 0; i < steps; ++i) step(s);
  sums_of_all(s, after);
  const double rounding = 1e-12 * (double)(s->size * (steps + 1));
  const int good = (long)after[0] == s->size && fabs(after[1] - before[1]) < rounding &&
                   fabs(after[2] - before[2]) < rounding && fabs(after[3] - before[3]) < 1e-3 * before[3];
  int all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, s->grid);
  return all;
}

/* The own rectangle and the neighbours; 0 where rectangles would be too small. */
static int divide(state* s) {
  const int periodic[2] = {1, 1};
  MPI_Dims_create(s->ranks, 2, s->divisions);
  s->side = sqrt((double)s->size / kMeanDensity);
  if (s->side < s->divisions[0] * kReach) return 0;
  MPI_Cart_create(MPI_COMM_WORLD, 2, s->divisions, periodic, 0, &s->grid);
  MPI_Cart_coords(s->grid, s->rank, 2, s->place);
  for (int d = 0; d < 2; ++d) {
    MPI_Cart_shift(s->grid, d, 1, &s->below[d], &s->above[d]);
    s->from[d] = s->side * s->place[d] / s->divisions[d];
    s->to[d] = s->side * (s->place[d] + 1) / s->divisions[d];
    s->cells[d] = (long)floor(s->to[d] - s->from[d] + 2 * kReach);
  }
  s->cell_begins = resized(NULL, (s->cells[0] * s->cells[1] + 1) * (long)sizeof(long));
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  state s = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
  long steps = 0;
  int status = sample_read_arguments(argc, argv, &kUsage, s.rank, &s.size, &steps);
  if (status == kSampleRun) {
    if (divide(&s)) {
      if (s.rank == 0) {
        printf("particles: size %ld, steps %ld, ranks %d = %d x %d\n", s.size, steps, s.ranks, s.divisions[0],
               s.divisions[1]);
      }
      status = sample_verdict(s.rank, run(&s, steps));
      MPI_Comm_free(&s.grid);
    } else {
      status = sample_too_many_ranks("particles", s.rank, s.ranks, s.size,
                                     (long)kMeanDensity * s.divisions[0] * s.divisions[0]);
    }
    free(s.particles.items);
    for (int up = 0; up < 2; ++up) free(s.leaving[up].items);
    free(s.force);
    free(s.cell_of);
    free(s.in_cells);
    free(s.cell_begins);
  }
  MPI_Finalize();
  return status;
}
