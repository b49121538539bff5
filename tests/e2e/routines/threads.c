/* Threads that call MPI at once (MPI_THREAD_MULTIPLE), on communicators whose handles MPI reuses for others of
 * another size and order. expected_threads.py derives the numbers. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { P = 3, kThreads = 4, kRounds = 10 };

static int rank;

struct worker {
  pthread_t thread;
  int number;
  MPI_Comm comm; /* this thread's own */
};

/* Threads run on stacks of their own and send 8 * (number + 1) bytes. */
static void* work(void* argument) {
  struct worker* me = argument;
  double out[kThreads] = {0}, in[kThreads];
  int n = me->number + 1;
  for (int round = 0; round < kRounds; ++round) {
    MPI_Comm made;
    MPI_Datatype type;
    MPI_Request q[2];
    int r, even = round % 2 == 0;
    /* In even rounds all ranks in reverse order, in odd ones each rank alone: rarely does a handle name the
     * same communicator twice. */
    MPI_Comm_split(me->comm, even ? 0 : rank, -rank, &made);
    MPI_Comm_rank(made, &r);
    MPI_Barrier(made);
    if (even) {
      /* To the next in the reversed order, which is the one before in MPI_COMM_WORLD. */
      MPI_Irecv(in, n, MPI_DOUBLE, (r + P - 1) % P, 1, made, q);
      MPI_Isend(out, n, MPI_DOUBLE, (r + 1) % P, 1, made, q + 1);
      MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&made);
    /* A type of 8 bytes, then one of 16, which may get the handle of the first. */
    MPI_Type_contiguous(even ? 2 : 4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(out, 1, type, 0, me->comm);
    MPI_Type_free(&type);
    MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_DOUBLE, MPI_SUM, me->comm);
  }
  return NULL;
}

int main(int argc, char** argv) {
  static struct worker workers[kThreads];
  int provided, size;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (size != P) MPI_Abort(MPI_COMM_WORLD, 2);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 0;
  }
  for (int i = 0; i < kThreads; ++i) {
    workers[i].number = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
  }
  for (int i = 0; i < kThreads; ++i) pthread_create(&workers[i].thread, NULL, work, &workers[i]);
  MPI_Barrier(MPI_COMM_SELF);
  for (int i = 0; i < kThreads; ++i) pthread_join(workers[i].thread, NULL);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&workers[i].comm);
  if (rank == 0) printf("all threads done\n");
  MPI_Finalize();
  return 0;
}
