/* A library that an application loads while it runs. */
#include <time.h>

double plugin_work(double seconds);

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double plugin_work(double seconds) {
  const double end = cpu_s() + seconds;
  double sum = 0;
  /* Half a millisecond or more, compared with which reading the clock costs nothing. */
  while (cpu_s() < end) {
    for (int i = 1; i < 500000; ++i) sum += 1.0 / i;
  }
  return sum;
}
