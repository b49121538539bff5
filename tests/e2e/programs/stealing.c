/* Work that is stolen, by blocking receives from any rank: who gets what depends on when requests come.
 *
 *   stealing [TASKS [MS [BYTES [asleep]]]]      TASKS of the first owner (40), MS of CPU time each (1), BYTES of a
 *                                               stolen one (100000); with `asleep` a task is MS of sleep instead, so
 *                                               that workers need no core of their own
 *
 * The first half of the ranks own tasks, the owner i has TASKS / (i + 1) of them; the others work, at least one for
 * each owner. A worker asks its own owner for a task, and when that has none left, the owners after it, whose tasks
 * come with BYTES of data: these are steals. It ends when nobody has any. Rank 0 prints the number of tasks, that of
 * steals, and the time from the first request to the end by MPI_Wtime, the longest of all ranks. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kRequest = 1, kAnswer = 2 };

/* What an owner answers: the data of the task may follow. */
enum { kNone = 0, kOwn = 1, kStolen = 2 };

static void compute(double ms) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((double)(now.tv_sec - begin.tv_sec) * 1e3 + (double)(now.tv_nsec - begin.tv_nsec) * 1e-6 < ms);
}

static void sleep_for(double ms) {
  const long ns = (long)(ms * 1e6);
  const struct timespec time = {ns / 1000000000, ns % 1000000000};
  nanosleep(&time, NULL);
}

/* Answers each worker until it was told by this owner that there is none. */
static void own(int rank, int workers, int tasks, char* data, int bytes) {
  for (int told = 0; told < workers;) {
    int worker_of = 0;
    MPI_Status status;
    MPI_Recv(&worker_of, 1, MPI_INT, MPI_ANY_SOURCE, kRequest, MPI_COMM_WORLD, &status);
    int answer = kNone;
    if (tasks > 0) {
      --tasks;
      answer = worker_of == rank ? kOwn : kStolen;
    } else {
      ++told;
    }
    MPI_Send(&answer, 1, MPI_INT, status.MPI_SOURCE, kAnswer, MPI_COMM_WORLD);
    if (answer == kStolen) MPI_Send(data, bytes, MPI_CHAR, status.MPI_SOURCE, kAnswer, MPI_COMM_WORLD);
  }
}

static void work(int rank, int owners, void (*task)(double ms), double ms, char* data, int bytes, int* counts) {
  const int mine = rank % owners;
  for (int i = 0; i < owners;) {
    const int owner = (mine + i) % owners;
    int answer = kNone;
    MPI_Send(&mine, 1, MPI_INT, owner, kRequest, MPI_COMM_WORLD);
    MPI_Recv(&answer, 1, MPI_INT, owner, kAnswer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (answer == kNone) {
      ++i;
      continue;
    }
    if (answer == kStolen) {
      MPI_Recv(data, bytes, MPI_CHAR, owner, kAnswer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      ++counts[1];
    }
    ++counts[0];
    task(ms);
  }
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int tasks = argc > 1 ? atoi(argv[1]) : 40, bytes = argc > 3 ? atoi(argv[3]) : 100000;
  const double ms = argc > 2 ? atof(argv[2]) : 1;
  void (*const task)(double) = argc > 4 && strcmp(argv[4], "asleep") == 0 ? sleep_for : compute;
  const int owners = ranks / 2;
  int counts[2] = {0, 0}, sums[2];
  char* data = calloc((size_t)bytes + 1, 1);
  if (owners == 0 || data == NULL) {
    fprintf(stderr, "stealing: it needs two ranks, and memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  /* Every pair has a connection before the time begins. */
  int* words = calloc(2 * (size_t)ranks, sizeof(int));
  MPI_Alltoall(words, 1, MPI_INT, words + ranks, 1, MPI_INT, MPI_COMM_WORLD);
  free(words);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = MPI_Wtime();
  if (rank < owners) {
    own(rank, ranks - owners, tasks / (rank + 1), data, bytes);
  } else {
    work(rank, owners, task, ms, data, bytes, counts);
  }
  const double took_s = MPI_Wtime() - begin_s;
  double longest_s = 0;
  MPI_Reduce(&took_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(counts, sums, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("tasks %d, steals %d, took %.4f s\n", sums[0], sums[1], longest_s);
  free(data);
  MPI_Finalize();
  return 0;
}
