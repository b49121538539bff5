/* Gravity between N bodies by direct summation, the blocks of bodies travelling round a ring of ranks.
 *
 *   nbody_ring [SIZE [STEPS]]      SIZE = N bodies, STEPS = S leapfrog steps
 *
 * Softened gravity, G = 1, kick-drift-kick. A rank owns n_r = N/P bodies, rounded up or down. To sum the forces a
 * copy of every block visits every rank: in each of P-1 shifts a rank passes the block it holds to the next rank while
 * it computes with it. Needs P <= N.
 *
 * Verified: total momentum stays zero; energy is conserved as well as the step width allows; the acceleration of each
 * rank's first body, summed over the ring, is the one summed directly over all positions.
 *
 * Per rank and force summation (one a step, and one before the first):
 *   accumulate_forces   P calls, n_r N pairs in all of 20 operations, a square root and a division: N^2/P; scales
 *   start_shift         P-1 calls: 1 MPI_Irecv and 1 MPI_Isend of a block, 4 doubles a body: 32 n_r bytes of the
 *                       block's owner. A rank sends and receives P-1 messages and 32 (N - n) bytes, n the size of
 *                       the one block it does not send (that of the next rank) or receive (its own). Over all ranks
 *                       P (P-1) messages and 32 N (P-1) bytes.
 *   MPI_Waitall         P-1 calls for 2 requests each
 * Per rank and step besides: kick 2 calls of 6 n_r operations, drift 6 n_r; scale.
 * Per run besides: 3 MPI_Allreduce: 16 bytes twice (energies at start and end), 32 bytes (verdict); 1 MPI_Allgatherv of
 * 32 n_r bytes from each rank; check_forces N pairs, does not scale, once.
 *
 * Stops scaling: the ring. Messages of a rank grow as P-1 and its bytes approach 32 N, while the work behind which they
 * hide, n_r^2 pairs a shift, falls as 1/P^2. */
#include <math.h>
#include <mpi.h>

#include "common/arguments.h"

static const sample_usage kUsage = {.name = "nbody_ring",
                                    .summary = "Gravity between N bodies by direct summation round a ring of ranks.",
                                    .size_meaning = "bodies",
                                    .steps_meaning = "leapfrog steps",
                                    .size_default = 2048,
                                    .size_min = 2,
                                    .size_max = 1000000,
                                    .steps_default = 120,
                                    .steps_max = 1000000};

static const double kSoftening2 = 0.05 * 0.05;
static const double kTimeStep = 1e-3;
static const double kPi = 3.14159265358979323846;

/* A body of the blocks that travel round the ring. */
typedef struct {
  double x, y, z, mass;
} body;

typedef struct {
  double x, y, z;
} vector;

typedef struct {
  int rank, ranks;
  long total, count, largest; /* bodies of all ranks, of this one, of the largest block */
  body* bodies;
  vector* velocity;
  vector* acceleration;
  double* potential;   /* of each body, counting every pair from both sides */
  body* travelling[2]; /* the block at hand, and the one on its way in */
} swarm;

static void* allocate(long count, size_t width) {
  void* memory = calloc((size_t)count, width);
  if (memory == NULL) {
    fprintf(stderr, "error: nbody_ring: out of memory\nhint: a smaller SIZE or more ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return memory;
}

/* A spiral of points spread evenly over a ball, at rest about its centre except for a slow turn. Pairs of bodies lie
 * opposite each other, so momentum is zero; with an odd number the last body is at rest in the centre. */
SAMPLE_KERNEL static void place_bodies(swarm* s, long begin) {
  const long pairs = s->total / 2;
  for (long i = 0; i < s->count; ++i) {
    const long pair = (begin + i) / 2;
    const double side = (begin + i) % 2 == 0 ? 1.0 : -1.0;
    s->bodies[i].mass = 1.0 / (double)s->total;
    if (pair >= pairs) continue;
    const double share = ((double)pair + 0.5) / (double)pairs;
    const double radius = cbrt(share);
    const double height = 2.0 * fmod(share * 0.5 * (double)pairs * 0.7548776662466927, 1.0) - 1.0;
    const double angle = kPi * (1.0 + sqrt(5.0)) * (double)pair;
    const double ring = sqrt(1.0 - height * height);
    s->bodies[i].x = side * radius * ring * cos(angle);
    s->bodies[i].y = side * radius * ring * sin(angle);
    s->bodies[i].z = side * radius * height;
    s->velocity[i].x = -0.3 * s->bodies[i].y;
    s->velocity[i].y = 0.3 * s->bodies[i].x;
  }
}

/* Adds the pull of `count` bodies to this rank's. A body's pull on itself is zero; its potential is taken out when the
 * energy is summed. */
SAMPLE_KERNEL static void accumulate_forces(swarm* s, const body* others, long count) {
  for (long i = 0; i < s->count; ++i) {
    const body me = s->bodies[i];
    vector pull = {0.0, 0.0, 0.0};
    double depth = 0.0;
    for (long j = 0; j < count; ++j) {
      const double dx = others[j].x - me.x;
      const double dy = others[j].y - me.y;
      const double dz = others[j].z - me.z;
      const double inverse = 1.0 / sqrt(dx * dx + dy * dy + dz * dz + kSoftening2);
      const double strength = others[j].mass * inverse;
      const double factor = strength * inverse * inverse;
      pull.x += factor * dx;
      pull.y += factor * dy;
      pull.z += factor * dz;
      depth -= strength;
    }
    s->acceleration[i].x += pull.x;
    s->acceleration[i].y += pull.y;
    s->acceleration[i].z += pull.z;
    s->potential[i] += depth;
  }
}

static int block_size(const swarm* s, int owner) {
  return (int)(sample_block_begin(s->total, s->ranks, owner + 1) - sample_block_begin(s->total, s->ranks, owner));
}

/* Starts to send the block at hand, which is `owner`'s, to the next rank and to receive the one of the rank before. */
SAMPLE_KERNEL static void start_shift(swarm* s, const body* at_hand, body* coming, int owner, MPI_Request requests[2]) {
  const int next = (s->rank + 1) % s->ranks;
  const int previous = (s->rank + s->ranks - 1) % s->ranks;
  const int previous_owner = (owner + s->ranks - 1) % s->ranks;
  MPI_Irecv(coming, 4 * block_size(s, previous_owner), MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(at_hand, 4 * block_size(s, owner), MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]);
}

static void sum_forces(swarm* s) {
  memset(s->acceleration, 0, (size_t)s->count * sizeof(vector));
  memset(s->potential, 0, (size_t)s->count * sizeof(double));
  const body* at_hand = s->bodies;
  int owner = s->rank;
  for (int shift = 0; shift < s->ranks; ++shift) {
    MPI_Request requests[2];
    body* coming = s->travelling[shift % 2];
    const int passes_on = shift < s->ranks - 1;
    if (passes_on) start_shift(s, at_hand, coming, owner, requests);
    accumulate_forces(s, at_hand, block_size(s, owner));
    if (passes_on) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    at_hand = coming;
    owner = (owner + s->ranks - 1) % s->ranks;
  }
}

SAMPLE_KERNEL static void kick(swarm* s, double dt) {
  for (long i = 0; i < s->count; ++i) {
    s->velocity[i].x += dt * s->acceleration[i].x;
    s->velocity[i].y += dt * s->acceleration[i].y;
    s->velocity[i].z += dt * s->acceleration[i].z;
  }
}

SAMPLE_KERNEL static void drift(swarm* s, double dt) {
  for (long i = 0; i < s->count; ++i) {
    s->bodies[i].x += dt * s->velocity[i].x;
    s->bodies[i].y += dt * s->velocity[i].y;
    s->bodies[i].z += dt * s->velocity[i].z;
  }
}

/* Kinetic and potential energy over all ranks. */
static void energies(const swarm* s, double all[2]) {
  double mine[2] = {0.0, 0.0};
  for (long i = 0; i < s->count; ++i) {
    const vector v = s->velocity[i];
    const double mass = s->bodies[i].mass;
    mine[0] += 0.5 * mass * (v.x * v.x + v.y * v.y + v.z * v.z);
    mine[1] += 0.5 * mass * (s->potential[i] + mass / sqrt(kSoftening2));
  }
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The deviation of the first body's acceleration from the one summed directly over all bodies. */
SAMPLE_KERNEL static double check_forces(const swarm* s) {
  int* counts = allocate(s->ranks, sizeof(int));
  int* begins = allocate(s->ranks, sizeof(int));
  body* everybody = allocate(s->total, sizeof(body));
  for (int r = 0; r < s->ranks; ++r) {
    counts[r] = 4 * block_size(s, r);
    begins[r] = 4 * (int)sample_block_begin(s->total, s->ranks, r);
  }
  MPI_Allgatherv(s->bodies, counts[s->rank], MPI_DOUBLE, everybody, counts, begins, MPI_DOUBLE, MPI_COMM_WORLD);
  const body me = s->bodies[0];
  vector sum = {0.0, 0.0, 0.0};
  for (long j = 0; j < s->total; ++j) {
    const double dx = everybody[j].x - me.x, dy = everybody[j].y - me.y, dz = everybody[j].z - me.z;
    const double factor = everybody[j].mass / pow(dx * dx + dy * dy + dz * dz + kSoftening2, 1.5);
    sum.x += factor * dx, sum.y += factor * dy, sum.z += factor * dz;
  }
  free(counts), free(begins), free(everybody);
  const vector ring = s->acceleration[0];
  return fabs(sum.x - ring.x) + fabs(sum.y - ring.y) + fabs(sum.z - ring.z);
}

static int verify(const swarm* s, const double start[2]) {
  double end[2];
  energies(s, end);
  double mine[4] = {0.0, 0.0, 0.0, !(check_forces(s) <= 1e-10)};
  double all[4];
  for (long i = 0; i < s->count; ++i) {
    mine[0] += s->bodies[i].mass * s->velocity[i].x;
    mine[1] += s->bodies[i].mass * s->velocity[i].y;
    mine[2] += s->bodies[i].mass * s->velocity[i].z;
  }
  MPI_Allreduce(mine, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double momentum = fabs(all[0]) + fabs(all[1]) + fabs(all[2]);
  const double gain = fabs(end[0] + end[1] - start[0] - start[1]) / fabs(start[0] + start[1]);
  if (s->rank == 0) {
    printf("energy %.9f, relative change %.1e, momentum %.1e, ranks with wrong forces %.0f\n", end[0] + end[1], gain,
           momentum, all[3]);
  }
  /* Leapfrog's error oscillates without growing: it stays of the order (dt/t)^2, with the time t of the shortest
   * encounter, softening over speed, about 0.05 here. */
  return sample_verdict(s->rank, all[3] == 0.0 && momentum <= 1e-11 && gain <= 1e-3);
}

static int run(int rank, int ranks, long total, long steps) {
  const long begin = sample_block_begin(total, ranks, rank);
  swarm s = {.rank = rank, .ranks = ranks, .total = total, .largest = (total + ranks - 1) / ranks};
  s.count = sample_block_begin(total, ranks, rank + 1) - begin;
  s.bodies = allocate(s.count, sizeof(body));
  s.velocity = allocate(s.count, sizeof(vector));
  s.acceleration = allocate(s.count, sizeof(vector));
  s.potential = allocate(s.count, sizeof(double));
  s.travelling[0] = allocate(s.largest, sizeof(body));
  s.travelling[1] = allocate(s.largest, sizeof(body));
  place_bodies(&s, begin);
  sum_forces(&s);
  double start[2];
  energies(&s, start);
  for (long step = 0; step < steps; ++step) {
    kick(&s, 0.5 * kTimeStep);
    drift(&s, kTimeStep);
    sum_forces(&s);
    kick(&s, 0.5 * kTimeStep);
  }
  const int status = verify(&s, start);
  free(s.bodies), free(s.velocity), free(s.acceleration), free(s.potential);
  free(s.travelling[0]), free(s.travelling[1]);
  return status;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long total = 0, steps = 0;
  int status = sample_read_arguments(argc, argv, &kUsage, rank, &total, &steps);
  if (status == kSampleRun && ranks > total) {
    status = sample_too_many_ranks(kUsage.name, rank, ranks, total, ranks);
  } else if (status == kSampleRun) {
    if (rank == 0) printf("nbody_ring: size %ld, steps %ld, ranks %d\n", total, steps, ranks);
    status = run(rank, ranks, total, steps);
  }
  MPI_Finalize();
  return status;
}
