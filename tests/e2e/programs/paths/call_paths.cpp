// A program whose time is where its callers say, for tests of call paths:
//
//     call_paths [UNITS [PART]]
//
// `apply` is replicated where set_up calls it (PART units on every rank), and divided where step does (UNITS units over
// P ranks). With PART 0 the following are left out; each takes some 50 units:
//
//     descend     calls itself 40 times, and then work
//     waves       has its time in libm
//     by_value, by_size   have their time in std::sort, by_size three times as much
//     a thread    whose first function is thread_body, has it in work
//     bare_work   has no unwind table
//
// A unit is counted work, some 10 us of CPU time. Prints "main thread: S s" of CPU time between MPI_Init and
// MPI_Finalize.
#include <mpi.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#define KEPT_OUT_OF_LINE __attribute__((noinline, noclone))

// Assembly without the directives that make an unwind table: a loop of that many steps.
extern "C" void bare_work(int64_t steps);
asm(".text\n.globl bare_work\n.type bare_work, %function\nbare_work:\n"
#if defined(__x86_64__)
    "1: subq $1, %rdi\njnz 1b\nret\n"
#elif defined(__aarch64__)
    "1: subs x0, x0, #1\nb.ne 1b\nret\n"
#endif
    ".size bare_work, . - bare_work\n");

static volatile uint64_t sink;
static volatile double number_sink;

KEPT_OUT_OF_LINE void work(double units) {
  uint64_t x = 88172645463325252u;
  for (auto i = static_cast<int64_t>(units * 6000); i > 0; --i) x = x * 6364136223846793005u + 1;
  sink = x;
}

KEPT_OUT_OF_LINE void apply(double units) {
  work(units);
  sink = sink + 1;
}
KEPT_OUT_OF_LINE void set_up(double units) {
  apply(units);
  sink = sink + 1;
}
KEPT_OUT_OF_LINE void step(double units) {
  apply(units);
  double mine = 1, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  number_sink = all;
}

// Each call has some 1000 bytes of the stack.
KEPT_OUT_OF_LINE void descend(int depth, double units) {
  volatile char local[1000];
  local[0] = 1;
  if (depth > 0) {
    descend(depth - 1, units);
  } else {
    work(units);
  }
  sink = sink + static_cast<uint64_t>(local[0]);
}

KEPT_OUT_OF_LINE void waves(int n) {
  double x = 0;
  for (int i = 0; i < n; ++i) x += std::tanh(1e-6 * i) + std::exp(-1e-6 * i);
  number_sink = x;
}

KEPT_OUT_OF_LINE std::vector<int> some_numbers() {
  std::vector<int> numbers(20000);
  uint32_t x = 1;
  for (int& n : numbers) n = static_cast<int>((x = x * 1664525u + 1013904223u) >> 8);
  return numbers;
}
KEPT_OUT_OF_LINE void sort(std::vector<int>& numbers) { std::sort(numbers.begin(), numbers.end()); }
KEPT_OUT_OF_LINE void by_value(int times) {
  for (int i = 0; i < times; ++i) {
    std::vector<int> numbers = some_numbers();
    sort(numbers);
    number_sink = numbers.front();
  }
}
KEPT_OUT_OF_LINE void by_size(int times) {
  for (int i = 0; i < times; ++i) {
    std::vector<int> numbers = some_numbers();
    sort(numbers);
    number_sink = numbers.back();
  }
}

extern "C" KEPT_OUT_OF_LINE void* thread_body(void* units) {
  work(*static_cast<double*>(units));
  sink = sink + 1;
  return nullptr;
}

static double cpu_s() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double begin_s = cpu_s();
  const double units = argc > 1 ? std::atof(argv[1]) : 10000;
  const double part = argc > 2 ? std::atof(argv[2]) : 0;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (part > 0) {
    set_up(part);
    for (int i = 0; i < 10; ++i) step(units / ranks / 10);
  } else {
    descend(40, units);
    waves(static_cast<int>(units * 300));
    by_value(static_cast<int>(units / 100));
    by_size(static_cast<int>(units / 100) * 3);
    bare_work(static_cast<int64_t>(units * 24000));
    step(units);
    double in_thread = units;
    pthread_t thread;
    if (pthread_create(&thread, nullptr, thread_body, &in_thread) == 0) pthread_join(thread, nullptr);
  }
  std::printf("main thread: %.6f s\n", cpu_s() - begin_s);
  MPI_Finalize();
  return 0;
}
