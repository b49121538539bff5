/* Ends in every way that a rank can end.  endings MODE [VALUE]
 *   ok            works for a while and finalizes
 *   status N      finalizes, then every rank exits with N
 *   exit N        rank 1 exits with N without finalizing, while the others wait for it
 *   abort N       rank 1 calls MPI_Abort(N)
 *   crash         rank 1 writes through a null pointer
 *   killed        rank 1 sends itself SIGKILL after it has worked
 *   hang          rank 0 waits for a message that never comes
 *   stubborn      as hang, and ignores SIGTERM
 *   no-finalize   every rank returns from main without MPI_Finalize
 *   _exit         every rank leaves by _exit without MPI_Finalize
 *   late          works, finalizes, and goes on for half a second
 *   slow S        works for S seconds of CPU time
 *   asleep N      sleeps N seconds, and waits for a child process that works for half a second of CPU time
 *   spawn N       spawns N processes of itself, which do nothing (mode spawned)
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Computes for `seconds` of CPU time, which a loaded machine does not change; the profile has to show its name. */
__attribute__((noinline)) static double spin_endings(double seconds) {
  const double end = cpu_s() + seconds;
  double sum = 0;
  /* Half a millisecond or more, compared with which reading the clock costs nothing. */
  while (cpu_s() < end) {
    for (int i = 1; i < 500000; ++i) sum += 1.0 / i;
  }
  return sum;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "ok";
  const int value = argc > 2 ? atoi(argv[2]) : 1;
  int rank = 0;
  int size = 0;
  if (strcmp(mode, "stubborn") == 0) signal(SIGTERM, SIG_IGN);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(mode, "spawned") == 0) {
    MPI_Comm parents;
    MPI_Comm_get_parent(&parents);
    MPI_Comm_disconnect(&parents);
    MPI_Finalize();
    return 0;
  }
  const double sum = spin_endings(strcmp(mode, "slow") != 0 ? 0.1 : argc > 2 ? atof(argv[2]) : 1);
  double total = 0;
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d of %d: mode %s\n", rank, size, mode);
  fflush(stdout);

  if (rank == 1) {
    if (strcmp(mode, "exit") == 0) exit(value);
    if (strcmp(mode, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, value);
    if (strcmp(mode, "crash") == 0) *(volatile int*)0 = 1;
    if (strcmp(mode, "killed") == 0) kill(getpid(), SIGKILL);
  }
  if (strcmp(mode, "exit") == 0 || strcmp(mode, "crash") == 0 || strcmp(mode, "killed") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0 && (strcmp(mode, "hang") == 0 || strcmp(mode, "stubborn") == 0)) {
    MPI_Recv(&total, 1, MPI_DOUBLE, size - 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(mode, "asleep") == 0) {
    const pid_t child = fork();
    if (child == 0) _exit(spin_endings(0.5) < 0);
    waitpid(child, NULL, 0);
    sleep((unsigned)value);
  }
  if (strcmp(mode, "spawn") == 0) {
    char* arguments[] = {(char*)"spawned", NULL};
    MPI_Comm others;
    MPI_Comm_spawn(argv[0], arguments, value, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
    MPI_Comm_disconnect(&others);
  }
  if (strcmp(mode, "no-finalize") == 0) return 0;
  if (strcmp(mode, "_exit") == 0) _exit(0);
  MPI_Finalize();
  if (strcmp(mode, "late") == 0) spin_endings(0.5);
  return strcmp(mode, "status") == 0 ? value : 0;
}
