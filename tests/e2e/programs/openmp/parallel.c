/* Parallel regions whose times are known, for two threads a rank. Threads that are at work sleep, so that no other
 * program on the cores changes how long that takes. The program reads clocks of its own just inside and just outside of
 * each region, and around each thread's work in it. For each region rank 0 prints sums over ranks and entries, in
 * seconds:
 *
 *   NAME:elapsed inside:elapsed outside:work of all threads:work of the slowest thread of each entry
 *
 * Then it uses each construct once and says whether one computed something wrong; with an argument it does not, since
 * not every library knows what all compilers ask for.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kThreads = 2, kNames = 16 };

/* The work of the threads in the present entry of a region. */
static double work[kThreads];
static double inner_begin;

typedef struct {
  const char* name;
  double inside, outside, work, slowest;
} Timed;
static Timed timed[kNames];
static int n_timed;

static void sleep_ms(double ms) {
  const double until = omp_get_wtime() + 1e-3 * ms;
  for (double left = 1e-3 * ms; left > 0; left = until - omp_get_wtime()) {
    const struct timespec t = {(time_t)left, (long)(1e9 * (left - (double)(time_t)left))};
    nanosleep(&t, NULL);
  }
}

static void work_ms(double ms) {
  const double begin = omp_get_wtime();
  sleep_ms(ms);
  work[omp_get_thread_num()] += omp_get_wtime() - begin;
}

/* Three entries, all threads alike. */
__attribute__((noinline)) static void balanced(void) {
#pragma omp parallel
  {
#pragma omp master
    inner_begin = omp_get_wtime();
    work_ms(60);
  }
}

/* Iteration i lasts 4 i ms, and a thread has half of the 16: 4 x (0 + ... + 7) = 112 ms and 4 x (8 + ... + 15) =
 * 368 ms. The slowest works 368 / 240 = 1.533 times as long as the mean one, and 256 of 736 ms are idle. */
__attribute__((noinline)) static void uneven(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 16; ++i) {
    if (i == 0) inner_begin = omp_get_wtime();
    work_ms(4 * i);
  }
}

/* Each thread works 120 ms, but at different times, with a barrier between: elapsed 200 ms, so that 160 of 400 ms are
 * idle although none works longer than the other. */
__attribute__((noinline)) static void stepwise(void) {
#pragma omp parallel
  {
#pragma omp master
    inner_begin = omp_get_wtime();
    work_ms(omp_get_thread_num() == 0 ? 100 : 20);
#pragma omp barrier
    work_ms(omp_get_thread_num() == 0 ? 20 : 100);
  }
}

/* Eight tasks of 20 ms that one thread makes; the other one runs its half of them while it waits for that. */
__attribute__((noinline)) static void tasks(void) {
#pragma omp parallel
  {
#pragma omp master
    inner_begin = omp_get_wtime();
#pragma omp single
    for (int i = 0; i < 8; ++i) {
      double ms = 20;
#pragma omp task firstprivate(ms)
      work_ms(ms);
    }
  }
}

/* A region in a region: the outer one is seen, and its threads are at work in it while the inner ones' threads wait. */
__attribute__((noinline)) static void nested(void) {
#pragma omp parallel
  {
#pragma omp master
    inner_begin = omp_get_wtime();
    const double begin = omp_get_wtime();
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
      sleep_ms(omp_get_thread_num() == 0 ? 10 : 40);
#pragma omp barrier
    }
    work[outer] += omp_get_wtime() - begin;
  }
}

#define TIMED(region)                                      \
  do {                                                     \
    Timed* const t = &timed[n_timed++];                    \
    t->name = #region;                                     \
    for (int entry = 0; entry < 3; ++entry) {              \
      work[0] = work[1] = 0;                               \
      const double begin = omp_get_wtime();                \
      region();                                            \
      const double end = omp_get_wtime();                  \
      t->outside += end - begin;                           \
      t->inside += end - inner_begin;                      \
      t->work += work[0] + work[1];                        \
      t->slowest += work[0] > work[1] ? work[0] : work[1]; \
    }                                                      \
  } while (0)

static void add(long* sum, long value) {
#pragma omp atomic
  *sum += value;
}

/* What GCC before 4.9 made of a parallel region. */
void GOMP_parallel_start(void (*)(void*), void*, unsigned) __attribute__((weak));
void GOMP_parallel_end(void) __attribute__((weak));
static void old_code(void* sum) { add(sum, 1); }

/* Not every compiler aligns what a task has of its own. */
#ifdef __clang__
#define MISPLACED(what) 0
#else
#define MISPLACED(what) ((long)((size_t)(what) % 128))
#endif

/* Each construct once; returns the number of wrong results. */
static int constructs(void) {
  int wrong = 0;
  long sum = 0;
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < 1000; ++i) add(&sum, i);
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < 1000; ++i) add(&sum, i);
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < 1000; ++i) add(&sum, i);
#pragma omp parallel for schedule(monotonic : dynamic, 2)
  for (int i = 0; i < 1000; ++i) add(&sum, i);
  wrong += sum != 4 * 499500;
  int a = 0, b = 0;
#pragma omp parallel sections
  {
#pragma omp section
    a = 1;
#pragma omp section
    b = 2;
  }
  wrong += a + b != 3;
  sum = 0;
#pragma omp parallel reduction(task, + : sum)
  {
#pragma omp single
    for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
  }
  wrong += sum != 4950;
  sum = 0;
#pragma omp parallel
  {
    long mine = 0, copied = 0;
#pragma omp for schedule(dynamic) ordered
    for (int i = 0; i < 100; ++i) mine += i;
#pragma omp single copyprivate(copied)
    copied = 7;
#pragma omp single
#pragma omp taskloop grainsize(5)
    for (int i = 0; i < 100; ++i) add(&sum, i);
#pragma omp critical
    sum += mine + copied;
  }
  wrong += sum != 4950 + 4950 + 7 * omp_get_max_threads();
  /* Large data, strictly aligned data, and none. */
  struct {
    long values[1000];
  } large = {{0}};
  for (int i = 0; i < 1000; ++i) large.values[i] = i;
  struct {
    long value;
  } __attribute__((aligned(128))) strict = {5};
  sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task firstprivate(large) shared(sum)
    add(&sum, large.values[999]);
#pragma omp task firstprivate(strict) shared(sum)
    add(&sum, strict.value + MISPLACED(&strict));
#pragma omp task if (0) firstprivate(strict) shared(sum)
    add(&sum, strict.value);
#pragma omp taskwait
  }
  wrong += sum != 999 + 5 + 5;
  if (GOMP_parallel_start != NULL) {
    sum = 0;
    GOMP_parallel_start(old_code, &sum, 0);
    old_code(&sum);
    GOMP_parallel_end();
    wrong += sum != omp_get_max_threads();
  }
  return wrong;
}

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  omp_set_num_threads(kThreads);
  omp_set_max_active_levels(2);
  const double start = omp_get_wtime();
  TIMED(balanced);
  TIMED(uneven);
  TIMED(stepwise);
  TIMED(tasks);
  TIMED(nested);
  Timed* const serial = &timed[n_timed++];
  serial->name = "serial";
  sleep_ms(200);
  serial->inside = serial->outside = omp_get_wtime() - start;
  for (int i = 0; i < n_timed - 1; ++i) {
    serial->inside -= timed[i].outside;
    serial->outside -= timed[i].inside;
  }
  for (int i = 0; i < n_timed; ++i) {
    const double mine[] = {timed[i].inside, timed[i].outside, timed[i].work, timed[i].slowest};
    double sums[4];
    MPI_Reduce(mine, sums, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%s:%.6f:%.6f:%.6f:%.6f\n", timed[i].name, sums[0], sums[1], sums[2], sums[3]);
  }
  const int wrong = argc > 1 ? 0 : constructs();
  if (wrong > 0) printf("%d wrong\n", wrong);
  MPI_Finalize();
  return wrong > 0;
}
