/* MPI_Init is called on a thread that the program made, which computes for a second of CPU time and communicates. The
 * thread that runs main computes as well, for half a second, and is not MPI's main thread.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

__attribute__((always_inline)) static inline double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((always_inline)) static inline double spin(double seconds) {
  const double end = cpu_s() + seconds;
  double sum = 0;
  /* Half a millisecond or more, compared with which reading the clock costs nothing. */
  while (cpu_s() < end) {
    for (int i = 1; i < 500000; ++i) sum += 1.0 / i;
  }
  return sum;
}

static pthread_barrier_t g_initialised;

/* The name that the profile has to show. */
__attribute__((noinline)) static double spin_of_mpi_thread(void) { return spin(1.0) + 1; }
__attribute__((noinline)) static double spin_of_first_thread(void) { return spin(0.5) + 1; }

static void* use_mpi(void* unused) {
  int provided = 0;
  int rank = 0;
  (void)unused;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  pthread_barrier_wait(&g_initialised);
  const double sum = spin_of_mpi_thread();
  double total = 0;
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("rank %d is done: %s\n", rank, total > 0 ? "yes" : "no");
  MPI_Finalize();
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&g_initialised, NULL, 2);
  if (pthread_create(&thread, NULL, use_mpi, NULL) != 0) return 1;
  pthread_barrier_wait(&g_initialised);
  const double sum = spin_of_first_thread();
  pthread_join(thread, NULL);
  return sum > 0 ? 0 : 1;
}
