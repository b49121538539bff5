/* Programs whose emulated time or end is known.  emulated MODE [VALUE]
 *   ring N      N times round a ring of all ranks: 8 bytes from each rank to the next, one after another
 *   deadlock    every rank receives from the next one, which never sends
 *   rendezvous  two ranks send VALUE bytes to each other before they receive
 *   mute        rank 1 calls MPI no more and sleeps
 *   inter       two ranks make an intercommunicator
 *   first       rank 1 sends at once after 0.2 s of CPU time, rank 2 at once after it has waited for half a second for
 *               what never comes: on a fast network rank 2's message is the first, as such waits take no time
 *
 *   clock       prints 1 if 0.1 s of CPU time and a wait of half a second are from 0.1 to 0.4 s by MPI_Wtime
 *   open        rank 0 asks MPI_Wtime three times while a nonblocking receive from any rank is open
 *   sleep       rank 0 sleeps 20 ms in each of seven ways, then rank 1 waits for its message, with 1 ms between tests
 *   marked      0.1 s of CPU time, then twice 0.05 s in the region "part", each ended by a barrier, then 0.1 s
 *   asked N     N times 1 ms of CPU time in the region "asked", MPI_Wtime, and a barrier
 *   polls       every rank tests a receive from the next one, which never sends, again and again
 *   waits N     every rank waits N ms for a semaphore that nobody posts, and computes for 20 ms
 *   steal N     rank 0 hands out N pieces of work to whoever asks, by receives from any rank
 */
#include <mpi.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static void spin(double seconds) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const double end = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec + seconds;
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec < end);
}

/* Uses no CPU time, and is no sleep: somebody could post the semaphore. */
static void wait_in_vain(double seconds) {
  struct timespec until;
  sem_t never;
  clock_gettime(CLOCK_REALTIME, &until);
  const double end = 1e-9 * (double)until.tv_nsec + seconds;
  until.tv_sec += (time_t)end;
  until.tv_nsec = (long)(1e9 * (end - (double)(time_t)end));
  sem_init(&never, 0, 0);
  sem_timedwait(&never, &until);
  sem_destroy(&never);
}

static void sleep_in_all_ways(void) {
  const struct timespec length = {0, 20000000};
  struct timespec until;
  struct timeval patience = {0, 20000};
  usleep(20000);
  nanosleep(&length, NULL);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL);
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += length.tv_nsec;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    ++until.tv_sec;
  }
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  select(0, NULL, NULL, NULL, &patience);
  poll(NULL, 0, 20);
  pselect(0, NULL, NULL, NULL, &length, NULL);
}

static void sleep_and_wait(int rank) {
  const struct timespec length = {0, 1000000};
  MPI_Request request;
  int done = 0;
  if (rank == 0) sleep_in_all_ways();
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
  if (rank != 1) return;
  MPI_Irecv(&rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &request);
  for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
    nanosleep(&length, NULL);
  }
}

// A large message whose sender does something else before it waits. Sleep passes on the target, too.
static void begin_and_wait(int rank, int bytes) {
  const struct timespec length = {0, 50000000};
  const double begin = MPI_Wtime();
  char* message = calloc((size_t)bytes, 1);
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(message, bytes, MPI_CHAR, 1, 9, MPI_COMM_WORLD, &request);
    nanosleep(&length, NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 1) {
    MPI_Recv(message, bytes, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("there %s\n", MPI_Wtime() - begin < 0.05 ? "before the wait" : "after the wait began");
  }
  free(message);
}

static void marked(void) {
  spin(0.1);
  for (int i = 0; i < 2; ++i) {
    MPI_Pcontrol(1, "part");
    spin(0.05);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(-1, "part");
  }
  spin(0.1);
}

static void asked(int times) {
  for (int i = 0; i < times; ++i) {
    MPI_Pcontrol(1, "asked");
    spin(0.001);
    MPI_Wtime();
    MPI_Pcontrol(-1, "asked");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void poll_for_ever(int next) {
  MPI_Request request;
  int number = 0;
  int done = 0;
  MPI_Irecv(&number, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static void ring(int rank, int size, int rounds) {
  double token = 0;
  for (int i = 0; i < rounds; ++i) {
    if (rank > 0 || i > 0) {
      MPI_Recv(&token, 1, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Send(&token, 1, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD);
  }
  if (rank == 0) MPI_Recv(&token, 1, MPI_DOUBLE, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void first(int rank) {
  int from[2] = {0, 0};
  if (rank == 1) spin(0.2);
  if (rank == 2) wait_in_vain(0.5);
  if (rank > 0) {
    MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    return;
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  printf("order %d %d\n", from[0], from[1]);
}

static void steal(int rank, int size, int pieces) {
  int number = 0;
  int done = 0;
  MPI_Status status;
  if (rank > 0) {
    for (;;) {
      MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
      MPI_Recv(&number, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (number < 0) break;
      spin(1e-3 * rank);
      ++done;
    }
  }
  for (int i = 0; rank == 0 && i < pieces + size - 1; ++i) {
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    number = i < pieces ? i : -1;
    MPI_Send(&number, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
  }
  int* all = malloc(sizeof(int) * (size_t)size);
  MPI_Gather(&done, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("pieces:");
    for (int r = 1; r < size; ++r) printf(" %d", all[r]);
    printf("\n");
  }
  free(all);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "ring";
  const int value = argc > 2 ? atoi(argv[2]) : 1;
  int rank = 0;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size;
  if (strcmp(mode, "ring") == 0) ring(rank, size, value);
  if (strcmp(mode, "first") == 0) first(rank);
  if (strcmp(mode, "marked") == 0) marked();
  if (strcmp(mode, "asked") == 0) asked(value);
  if (strcmp(mode, "polls") == 0) poll_for_ever(next);
  if (strcmp(mode, "waits") == 0) {
    wait_in_vain(1e-3 * value);
    spin(0.02);
  }
  if (strcmp(mode, "sleep") == 0) sleep_and_wait(rank);
  if (strcmp(mode, "begin") == 0) begin_and_wait(rank, value);
  if (strcmp(mode, "steal") == 0) steal(rank, size, value);
  if (strcmp(mode, "deadlock") == 0) MPI_Recv(&size, 1, MPI_INT, next, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(mode, "mute") == 0 && rank == 1) {
    for (;;) pause();
  }
  if (strcmp(mode, "rendezvous") == 0) {
    char* sent = calloc((size_t)value, 1);
    char* received = calloc((size_t)value, 1);
    MPI_Send(sent, value, MPI_CHAR, next, 6, MPI_COMM_WORLD);
    MPI_Recv(received, value, MPI_CHAR, next, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(sent);
    free(received);
  }
  if (strcmp(mode, "inter") == 0) {
    MPI_Comm both;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &both);
    MPI_Comm_free(&both);
  }
  if (strcmp(mode, "open") == 0 && rank == 0) {
    MPI_Request request;
    MPI_Irecv(&size, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 3; ++i) MPI_Wtime();
    MPI_Send(&rank, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(mode, "open") == 0 && rank == 1) {
    MPI_Recv(&size, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&size, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  }
  if (strcmp(mode, "clock") == 0) {
    const double begin = MPI_Wtime();
    spin(0.1);
    wait_in_vain(0.5);
    const double passed = MPI_Wtime() - begin;
    if (rank == 0) printf("virtual %d\n", passed >= 0.1 && passed < 0.4);
  }
  MPI_Finalize();
  return 0;
}
