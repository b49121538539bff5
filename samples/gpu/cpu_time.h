/* CPU time that the samples of GPUs spend on the host, within the function that calls this. */
#ifndef SCALEDIAG_SAMPLES_CPU_TIME_H
#define SCALEDIAG_SAMPLES_CPU_TIME_H

#include <time.h>

/* Computes for `seconds` of the thread's CPU time. The result is of no use but to the compiler, which keeps it. */
static inline __attribute__((always_inline)) double compute_for(double seconds) {
  struct timespec t;
  double x = 0;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const double end_s = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec + seconds;
  do {
    for (int i = 0; i < 1000; ++i) x += 1.0 / (i + 1);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while ((double)t.tv_sec + 1e-9 * (double)t.tv_nsec < end_s);
  return x;
}

#endif
