/* A program with known reasons not to scale, for tests of the causes that `scalediag predict` names:
 *
 *     planted CAUSE[,CAUSE...] [UNITS [PART]]
 *
 * `sweep` does UNITS units of work, divided over the P ranks: it scales. Each CAUSE adds other work:
 *
 *     none        nothing
 *     serial      `write_alone`: PART units on rank 0
 *     replicated  `set_up`: PART units on every rank
 *     growing     `search_all`: PART x P units on every rank
 *     imbalance   `integrate`: UNITS units, of which rank 0 does 1 / sqrt(P)
 *     helper      `apply`: UNITS units divided over the ranks, and PART units on every rank
 *     sends       rank 0 sends PART messages of 160 kB to each other rank
 *     receives    rank 0 receives them from each other rank
 *
 * A unit is counted work, some 10 us of CPU time, so that a function's work does not depend on a clock. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_OUT_OF_LINE __attribute__((noinline, noclone))
enum { kMessageBytes = 160000 };

static volatile uint64_t sink;
static char message[kMessageBytes];

/* Each function has a loop of its own, since profiles have exclusive times. */
#define WORK(units)                                                                         \
  do {                                                                                      \
    uint64_t x = 88172645463325252u;                                                        \
    for (int64_t i = (int64_t)((units)*6000); i > 0; --i) x = x * 6364136223846793005u + 1; \
    sink = x;                                                                               \
  } while (0)

KEPT_OUT_OF_LINE void sweep(double units) { WORK(units); }
KEPT_OUT_OF_LINE void write_alone(double units) { WORK(units); }
KEPT_OUT_OF_LINE void set_up(double units) { WORK(units); }
KEPT_OUT_OF_LINE void search_all(double units) { WORK(units); }
KEPT_OUT_OF_LINE void integrate(double units) { WORK(units); }
KEPT_OUT_OF_LINE void apply(double units) { WORK(units); }

static void send_all(int rank, int ranks, int messages, int from_root) {
  for (int m = 0; m < messages; ++m) {
    for (int other = 1; other < ranks; ++other) {
      if (rank != 0 && rank != other) continue;
      if ((rank == 0) == from_root) {
        MPI_Send(message, kMessageBytes, MPI_BYTE, rank == 0 ? other : 0, 0, MPI_COMM_WORLD);
      } else {
        MPI_Recv(message, kMessageBytes, MPI_BYTE, rank == 0 ? other : 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* cause = argc > 1 ? argv[1] : "none";
  const double units = argc > 2 ? atof(argv[2]) : 40000;
  const double part = argc > 3 ? atof(argv[3]) : 2000;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  sweep(units / ranks);
  if (strstr(cause, "serial") && rank == 0) write_alone(part);
  if (strstr(cause, "replicated")) set_up(part);
  if (strstr(cause, "growing")) search_all(part * ranks);
  if (strstr(cause, "imbalance") && ranks > 1) {
    const double first = units / sqrt(ranks);
    integrate(rank == 0 ? first : (units - first) / (ranks - 1));
  }
  if (strstr(cause, "helper")) {
    apply(units / ranks);
    apply(part);
  }
  if (strstr(cause, "sends")) send_all(rank, ranks, (int)part, 1);
  if (strstr(cause, "receives")) send_all(rank, ranks, (int)part, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
