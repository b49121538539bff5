/* Communicates in the ways whose outcome only MPI knows, and prints what came of it, with the rank in front: receives
 * from any rank, Waitany, Testsome, probes, derived types, persistent requests, blocks of several sizes, communicators,
 * groups and grids. The order in which messages are met differs from run to run; a replay has the recorded one.
 *
 *   replayed [N] [WORD]    the number of repetitions, and after them
 *                          thread: something that cannot be replayed
 *                          large: a megabyte of noise to the next rank
 *                          system: what the system tells about time, machine and chance
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "printed_sum.h"

/* Everybody sends to everybody, twice; what comes is met in any order. */
static void wildcards(void) {
  int values[2] = {rank * 10, rank * 10 + 1};
  MPI_Request* sends = malloc(sizeof *sends * 2 * (size_t)size);
  for (int to = 0; to < size; ++to) {
    for (int k = 0; k < 2; ++k) MPI_Isend(&values[k], 1, MPI_INT, to, 5 + k, MPI_COMM_WORLD, &sends[2 * to + k]);
  }
  for (int i = 0; i < size; ++i) {
    int room[4] = {0, 0, 0, 0}, count = 0;
    MPI_Status status;
    MPI_Recv(room, 4, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    add(room, sizeof room);
    add(&count, sizeof count);
    add(&status.MPI_SOURCE, sizeof(int));
  }
  say("wildcards");
  for (int i = 0; i < size; ++i) {
    int flag = 0, polls = 0, value = 0;
    MPI_Status status;
    for (; !flag; ++polls) MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &flag, &status);
    if (i % 2 == 0) {
      MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Message message;
      MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
      add(&status.MPI_SOURCE, sizeof(int));
    }
    add(&polls, sizeof polls);
    add(&value, sizeof value);
  }
  MPI_Waitall(2 * size, sends, MPI_STATUSES_IGNORE);
  free(sends);
  say("probes");
}

static void waits(void) {
  double* from = calloc((size_t)size * 100, sizeof *from);
  double mine[100];
  MPI_Request* requests = malloc(sizeof *requests * (size_t)size);
  for (int i = 0; i < 100; ++i) mine[i] = rank + i * 0.5;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < size; ++i) MPI_Irecv(&from[i * 100], 100, MPI_DOUBLE, i, 7, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < size; ++i) MPI_Send(mine, 50 + rank, MPI_DOUBLE, i, 7, MPI_COMM_WORLD);
    if (round == 0) {
      for (int i = 0; i <= size; ++i) {
        int index = 0;
        MPI_Waitany(size, requests, &index, MPI_STATUS_IGNORE);
        add(&index, sizeof index);
        if (index != MPI_UNDEFINED) add(&from[index * 100], 100 * sizeof(double));
      }
    } else {
      int* indices = malloc(sizeof(int) * (size_t)size);
      for (int left = size; left > 0;) {
        int done = 0;
        MPI_Testsome(size, requests, &done, indices, MPI_STATUSES_IGNORE);
        add(&done, sizeof done);
        for (int k = 0; k < done; ++k) add(&from[indices[k] * 100], 100 * sizeof(double));
        left -= done;
      }
      free(indices);
    }
  }
  free(requests);
  free(from);
  say("waits");
}

/* A column of a matrix; the rest of the matrix must stay. */
static void derived(void) {
  int matrix[6][6];
  memset(matrix, 1, sizeof matrix);
  int column[6] = {rank, 1, 2, 3, 4, 5};
  MPI_Datatype type;
  MPI_Type_vector(6, 1, 6, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Request request;
  MPI_Irecv(&matrix[0][2], 1, type, (rank + size - 1) % size, 8, MPI_COMM_WORLD, &request);
  MPI_Type_free(&type);
  MPI_Send(column, 6, MPI_INT, (rank + 1) % size, 8, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  add(matrix, sizeof matrix);
  say("derived");
}

static void persistent(void) {
  double out = rank, in = -1;
  MPI_Request requests[2];
  MPI_Send_init(&out, 1, MPI_DOUBLE, (rank + 1) % size, 9, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    out += 0.25;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    add(&in, sizeof in);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  say("persistent");
}

static void collectives(MPI_Comm comm) {
  int me = 0, n = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &n);
  int* counts = malloc(sizeof(int) * (size_t)n);
  int* offsets = malloc(sizeof(int) * (size_t)n);
  int* all = calloc((size_t)(n * (n + 1)), sizeof(int));
  for (int i = 0, at = 0; i < n; at += i + 1, ++i) counts[i] = i + 1, offsets[i] = at;
  int* mine = malloc(sizeof(int) * (size_t)(n + 1));
  for (int i = 0; i <= n; ++i) mine[i] = rank * 100 + i;
  MPI_Allgatherv(mine, me + 1, MPI_INT, all, counts, offsets, MPI_INT, comm);
  add(all, sizeof(int) * (size_t)(n * (n + 1)));
  MPI_Gatherv(mine, me + 1, MPI_INT, all, counts, offsets, MPI_INT, n - 1, comm);
  add(all, sizeof(int) * (size_t)(n * (n + 1)));
  MPI_Scatterv(all, counts, offsets, MPI_INT, mine, me + 1, MPI_INT, n - 1, comm);
  add(mine, sizeof(int) * (size_t)(me + 1));
  MPI_Allreduce(MPI_IN_PLACE, mine, 1, MPI_INT, MPI_SUM, comm);
  MPI_Scan(mine, &mine[1], 1, MPI_INT, MPI_MAX, comm);
  MPI_Request request;
  MPI_Ialltoall(mine, 1, MPI_INT, all, 1, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Bcast(all, n, MPI_INT, n / 2, comm);
  MPI_Reduce(all, mine, n, MPI_INT, MPI_SUM, 0, comm);
  add(all, sizeof(int) * (size_t)n);
  add(mine, sizeof(int) * (size_t)n);
  free(counts);
  free(offsets);
  free(all);
  free(mine);
}

static void communicators(void) {
  MPI_Comm half, copy, grid, made;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(half, &copy);
  collectives(copy);
  MPI_Group world, evens;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int first = 0, translated = -1;
  MPI_Group_incl(world, 1, &first, &evens);
  MPI_Group_translate_ranks(evens, 1, &first, world, &translated);
  add(&translated, sizeof translated);
  MPI_Comm_create(MPI_COMM_WORLD, evens, &made);
  const int is_member = made != MPI_COMM_NULL;
  add(&is_member, sizeof is_member);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Group_free(&evens);
  MPI_Group_free(&world);
  int dimensions[2] = {0, 0}, periods[2] = {1, 0}, place[2], neighbors[2];
  MPI_Dims_create(size, 2, dimensions);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, place);
  MPI_Cart_shift(grid, 0, 1, &neighbors[0], &neighbors[1]);
  add(place, sizeof place);
  add(neighbors, sizeof neighbors);
  int around[4] = {-1, -1, -1, -1};
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, grid);
  add(around, sizeof around);
  MPI_Sendrecv(&rank, 1, MPI_INT, neighbors[1], 3, &first, 1, MPI_INT, neighbors[0], 3, grid, MPI_STATUS_IGNORE);
  add(&first, sizeof first);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
  say("communicators");
}

/* The even ranks and the odd ones, who are strangers to each other. */
static void groups(void) {
  MPI_Comm mine, other, copy, all;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &mine);
  MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, 1 - rank % 2, 4, &other);
  int remote = 0, me = 0, value = rank, got[16] = {0};
  MPI_Comm_remote_size(other, &remote);
  MPI_Comm_rank(other, &me);
  MPI_Allgather(&value, 1, MPI_INT, got, 1, MPI_INT, other);
  add(got, sizeof(int) * (size_t)remote);
  /* The first even rank tells all odd ones. */
  const int root = rank % 2 == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(&value, 1, MPI_INT, root, other);
  MPI_Gather(&rank, 1, MPI_INT, got, 1, MPI_INT, root, other);
  add(&value, sizeof value);
  add(got, sizeof got);
  MPI_Intercomm_merge(other, rank % 2, &all);
  MPI_Request request;
  MPI_Comm_idup(all, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, copy);
  add(&value, sizeof value);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&all);
  MPI_Comm_free(&other);
  MPI_Comm_free(&mine);
  say("groups");
}

static void large(void) {
  const int n = 1 << 18;
  int* noise = malloc(sizeof *noise * (size_t)n);
  unsigned state = (unsigned)rank + 1;
  for (int i = 0; i < n; ++i) noise[i] = (int)(state = state * 1664525U + 1013904223U);
  MPI_Sendrecv_replace(noise, n, MPI_INT, (rank + 1) % size, 2, (rank + size - 1) % size, 2, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  add(noise, sizeof *noise * (size_t)n);
  free(noise);
  say("large");
}

/* Says where the first difference is. */
static void ask_system(void) {
  const time_t now = time(NULL);
  add(&now, sizeof now);
  say("time");
  struct timeval day;
  gettimeofday(&day, NULL);
  add(&day, sizeof day);
  say("gettimeofday");
  struct timespec clocks[2];
  clock_gettime(CLOCK_REALTIME, &clocks[0]);
  clock_gettime(CLOCK_MONOTONIC, &clocks[1]);
  add(clocks, sizeof clocks);
  say("clock_gettime");
  const clock_t cpu = clock();
  struct tms its;
  const clock_t ticks = times(&its);
  add(&cpu, sizeof cpu);
  add(&ticks, sizeof ticks);
  say("clock and times");
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  add(&used.ru_minflt, sizeof used.ru_minflt);
  add(&used.ru_utime, sizeof used.ru_utime);
  say("getrusage");
  char host[256] = "", little[1];
  gethostname(host, sizeof host);
  add(host, strlen(host));
  const int failed = gethostname(little, sizeof little) != 0 ? errno : 0;
  add(&failed, sizeof failed);
  struct utsname name;
  uname(&name);
  add(name.nodename, strlen(name.nodename));
  say("host");
  const pid_t me = getpid(), parent = getppid();
  add(&me, sizeof me);
  add(&parent, sizeof parent);
  say("getpid");
  unsigned char chance[16];
  const ssize_t n = getrandom(chance, sizeof chance, 0);
  add(chance, (size_t)n);
  if (getentropy(chance, sizeof chance) == 0) add(chance, sizeof chance);
  say("random numbers");
  /* A child is no rank: what it is told is not in the log. */
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; ++i) time(NULL);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  say("child");
}

static void* call_from_a_thread(void* unused) {
  (void)unused;
  MPI_Barrier(MPI_COMM_SELF);
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double begin = MPI_Wtime();
  for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; --i) {
    wildcards();
    waits();
    derived();
    persistent();
    collectives(MPI_COMM_WORLD);
    communicators();
    groups();
  }
  const double elapsed = MPI_Wtime() - begin;
  add(&elapsed, sizeof elapsed);
  say("times");
  if (argc > 2 && strcmp(argv[2], "large") == 0) large();
  if (argc > 2 && strcmp(argv[2], "system") == 0) ask_system();
  if (argc > 2 && strcmp(argv[2], "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, call_from_a_thread, NULL);
    pthread_join(thread, NULL);
  }
  MPI_Finalize();
  return 0;
}
