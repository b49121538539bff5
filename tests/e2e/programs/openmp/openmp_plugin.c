/* A library with OpenMP, which a program without it loads while it runs. Returns the sum of 1 to n. */
#include <omp.h>

long sum_to(long n);

long sum_to(long n) {
  long sum = 0;
#pragma omp parallel num_threads(2)
  {
    long mine = 0;
#pragma omp for schedule(dynamic, 10)
    for (long i = 1; i <= n; ++i) mine += i;
#pragma omp atomic
    sum += mine;
#pragma omp barrier
  }
  return sum;
}
