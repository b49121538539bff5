/* Communication of most kinds, for traces: traced STEPS [SECONDS [TURNS]]. Every rank sleeps for SECONDS. Then the
 * ranks take turns: in each of TURNS rounds one of them uses up 20 ms of CPU time while the others wait at a barrier.
 * Only rank 0 prints, and only "done". */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

/* Compilers take MPICH's MPI_STATUSES_IGNORE for an array that is too short. */
static MPI_Status* volatile no_statuses;

static void compute(int n) {
  double x = 1;
  for (int i = 0; i < n; ++i) x = x * 1.0000001 + 1e-9;
  sink = x;
}

static void take_turns(int rank, int size, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const clock_t begin = clock();
    while (i % size == rank && clock() - begin < CLOCKS_PER_SEC / 50) compute(1000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* A ring of nonblocking messages, the sender found by status or not. */
static void halo(int rank, int size, int wildcard) {
  static double in[2][100], out[2][100];
  const int below = (rank + size - 1) % size, above = (rank + 1) % size;
  MPI_Request r[4];
  MPI_Irecv(in[0], 100, MPI_DOUBLE, wildcard ? MPI_ANY_SOURCE : below, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(in[1], 100, MPI_DOUBLE, above, wildcard ? MPI_ANY_TAG : 2, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(out[0], 100, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &r[2]);
  MPI_Isend(out[1], 100, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &r[3]);
  compute(1000);
  MPI_Waitall(4, r, no_statuses);
}

/* All other ranks send to rank 0, which receives in any order. */
static void collect(int rank, int size) {
  int value = rank, flag = 0;
  if (rank != 0) {
    MPI_Send(&value, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
    return;
  }
  for (int i = 1; i < size; ++i) {
    MPI_Status status;
    for (flag = 0; !flag;) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    if (i % 2 == 0) {
      MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

static void collectives(int rank, int size, MPI_Comm half) {
  int counts[64], places[64], in[64 * 64], out[64 * 64];
  double x = rank, sum;
  for (int i = 0; i < size; ++i) {
    counts[i] = 1 + (i + rank) % 3;
    places[i] = 4 * i;
  }
  for (int i = 0; i < 64 * 64; ++i) out[i] = i;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
  MPI_Bcast(&x, 1, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) counts[i] = 1 + i % 3;
  MPI_Gatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allgatherv(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Request r;
  MPI_Iallreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
  compute(1000);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_SELF);
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  int rank, size;
  no_statuses = MPI_STATUSES_IGNORE;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half, copy;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  double value = 0;
  MPI_Request persistent[2];
  MPI_Send_init(&value, 1, MPI_DOUBLE, (rank + 1) % size, 9, copy, &persistent[0]);
  double other;
  MPI_Recv_init(&other, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 9, copy, &persistent[1]);
  for (int step = 0; step < steps; ++step) {
    halo(rank, size, 0);
    halo(rank, size, size > 2);
    MPI_Startall(2, persistent);
    MPI_Waitall(2, persistent, no_statuses);
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % size, 3, &other, 1, MPI_DOUBLE, (rank + size - 1) % size, 3, copy,
                 MPI_STATUS_IGNORE);
    collectives(rank, size, half);
  }
  if (argc > 2) sleep((unsigned)atoi(argv[2]));
  if (argc > 3) take_turns(rank, size, atoi(argv[3]));
  collect(rank, size);
  MPI_Request_free(&persistent[0]);
  MPI_Request_free(&persistent[1]);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  if (rank == 0) puts("done");
  MPI_Finalize();
  return 0;
}
