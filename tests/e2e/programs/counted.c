/* Adds to counters that libsde makes (PAPI's software-defined events), known numbers of times in known functions.
 *
 *   counted serial    few_counted adds 3,000,000 to `steps`, then more_counted adds 1,000,000, one at a time
 *   counted threads   of two threads one adds 2,000,000 to `first` in first_counted, the other 1,000,000 to `second` in
 *                     second_counted, at the same time
 *   counted mpi       an operator of MPI_Allreduce adds 100,000 to `steps` each time that MPI calls it; rank 0 prints
 *                     the number of these calls on all ranks
 *   counted papi      counts `steps` with PAPI itself around few_counted, as a program does that uses PAPI
 *   counted killed    as serial, then sleeps for four seconds, then kills itself
 */
#include <mpi.h>
#include <papi.h>
#include <pthread.h>
#include <sde_lib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void* steps;
static void* first;
static void* second;

static __attribute__((noinline)) void few_counted(void) {
  for (int i = 0; i < 3000000; ++i) papi_sde_inc_counter(steps, 1);
}
static __attribute__((noinline)) void more_counted(void) {
  for (int i = 0; i < 1000000; ++i) papi_sde_inc_counter(steps, 1);
}

static __attribute__((noinline)) void* first_counted(void* unused) {
  for (int i = 0; i < 2000000; ++i) papi_sde_inc_counter(first, 1);
  return unused;
}
static __attribute__((noinline)) void* second_counted(void* unused) {
  for (int i = 0; i < 1000000; ++i) papi_sde_inc_counter(second, 1);
  return unused;
}

static long operator_calls = 0;
static void counted_sum(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((long*)inout)[i] += ((long*)in)[i];
  papi_sde_inc_counter(steps, 100000);
  ++operator_calls;
}

static int in_threads(void) {
  pthread_t a;
  pthread_t b;
  if (pthread_create(&a, NULL, first_counted, NULL) != 0 || pthread_create(&b, NULL, second_counted, NULL) != 0) {
    return 1;
  }
  return pthread_join(a, NULL) != 0 || pthread_join(b, NULL) != 0;
}

static void in_mpi(int rank) {
  MPI_Op sum;
  MPI_Op_create(counted_sum, 1, &sum);
  for (int i = 0; i < 20; ++i) {
    long mine = 1;
    long all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, sum, MPI_COMM_WORLD);
  }
  MPI_Op_free(&sum);
  long calls = 0;
  MPI_Reduce(&operator_calls, &calls, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld\n", calls);
}

/* Counts around few_counted with PAPI itself, and prints the number. */
static int with_papi(void) {
  int set = PAPI_NULL;
  int code = 0;
  long long value = 0;
  const int version = PAPI_library_init(PAPI_VER_CURRENT);
  if (version != PAPI_VER_CURRENT) return fprintf(stderr, "PAPI_library_init: %d\n", version), 1;
  char name[] = "sde:::counted::steps";
  int error = PAPI_event_name_to_code(name, &code);
  if (error == PAPI_OK) error = PAPI_create_eventset(&set);
  if (error == PAPI_OK) error = PAPI_add_event(set, code);
  if (error == PAPI_OK) error = PAPI_start(set);
  few_counted();
  if (error == PAPI_OK) error = PAPI_stop(set, &value);
  if (error != PAPI_OK) return fprintf(stderr, "PAPI: %s\n", PAPI_strerror(error)), 1;
  printf("%lld\n", value);
  return 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "serial";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  papi_handle_t handle = papi_sde_init("counted");
  papi_sde_create_counter(handle, "steps", PAPI_SDE_DELTA | PAPI_SDE_RO, &steps);
  papi_sde_create_counter(handle, "first", PAPI_SDE_DELTA | PAPI_SDE_RO, &first);
  papi_sde_create_counter(handle, "second", PAPI_SDE_DELTA | PAPI_SDE_RO, &second);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 0;
  if (strcmp(what, "threads") == 0) {
    status = in_threads();
  } else if (strcmp(what, "mpi") == 0) {
    in_mpi(rank);
  } else if (strcmp(what, "papi") == 0) {
    status = with_papi();
  } else {
    few_counted();
    more_counted();
  }
  if (strcmp(what, "killed") == 0) {
    sleep(4);
    raise(SIGKILL);
  }
  MPI_Finalize();
  return status;
}
