/* Closes descriptors that it has not opened, as daemons do, and then opens files of its own, whose numbers may have
 * been others' before. descriptors close|close_range|closefrom|syscall closes 3 to 1099 before MPI_Init, and after it
 * 100 and more in that way, since MPI's own are lower. A rank computes for 0.2 s before and 0.2 s after that, and calls
 * MPI_Barrier 20 times before and 30 times after, when two ranks also tell each other who they are. What it writes into
 * own.RANK.0 to own.RANK.9 is in them at the end, and nothing else; its pipe and its eventfd stay empty. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kFiles = 10, kLines = 50 };

static volatile double g_sink;

__attribute__((noinline)) static void compute_descriptors(double seconds) {
  struct timespec t;
  double sum = 0, end = 0;
  for (;;) {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    const double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    if (end == 0) end = now + seconds;
    if (now > end) break;
    for (int i = 1; i < 200000; ++i) sum += 1.0 / i;
  }
  g_sink = sum;
}

static void close_from(int first, const char* way, int kept) {
  if (strcmp(way, "closefrom") == 0) {
    closefrom(first);
  } else if (strcmp(way, "close_range") == 0) {
    close_range((unsigned)first, 1099, 0);
  } else {
    for (int fd = first; fd < 1100; ++fd) {
      if (fd == kept) continue;
      if (way[0] == 'c') close(fd);
      if (way[0] == 's') syscall(SYS_close, fd);
    }
  }
}

/* Under a number that the closed ones may have had. */
static int high(int fd) {
  const int moved = fcntl(fd, F_DUPFD, 200);
  close(fd);
  return moved;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const char* launcher = getenv("PMI_FD"); /* of a launcher that hands one on */
  close_from(3, "close", launcher != NULL ? atoi(launcher) : -1);
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
  compute_descriptors(0.2);
  close_from(100, argv[1], -1);

  int files[kFiles], ends[2], wrong = 0;
  char name[64], line[64], found[64];
  for (int i = 0; i < kFiles; ++i) {
    snprintf(name, sizeof name, "own.%d.%d", rank, i);
    files[i] = high(open(name, O_RDWR | O_CREAT | O_TRUNC, 0644));
  }
  if (pipe(ends) != 0) return 1;
  const int reads = high(ends[0]), writes = high(ends[1]), event = high(eventfd(0, EFD_NONBLOCK));
  fcntl(reads, F_SETFL, O_NONBLOCK);
  for (int i = 0; i < kLines * kFiles; ++i) {
    const int n = snprintf(line, sizeof line, "line %d of rank %d\n", i / kFiles, rank);
    wrong += write(files[i % kFiles], line, (size_t)n) != n;
  }
  compute_descriptors(0.2);
  for (int i = 0; i < 30; ++i) MPI_Barrier(MPI_COMM_WORLD);
  int other = 1 - rank, told = rank;
  MPI_Sendrecv_replace(&told, 1, MPI_INT, other, 0, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  wrong += told != other;
  MPI_Finalize();

  for (int i = 0; i < kFiles; ++i) {
    lseek(files[i], 0, SEEK_SET);
    for (int k = 0; k < kLines; ++k) {
      const int n = snprintf(line, sizeof line, "line %d of rank %d\n", k, rank);
      wrong += read(files[i], found, (size_t)n) != n || memcmp(found, line, (size_t)n) != 0;
    }
    wrong += read(files[i], found, 1) != 0;
    wrong += close(files[i]) != 0 || fcntl(files[i], F_GETFD) >= 0;
  }
  wrong += read(reads, found, 1) >= 0 || errno != EAGAIN;
  wrong += close(writes) != 0 || read(reads, found, 1) != 0; /* the end of a pipe that is closed */
  wrong += read(event, found, 8) >= 0 || errno != EAGAIN;
  printf("rank %d: %d wrong\n", rank, wrong);
  return wrong != 0;
}
