/* An account that the stand-ins keep of how long the host was in their calls, by function: the truth that a profile is
 * held against. It is written at exit to the file $GPU_STUB_ACCOUNT.PID, a line "FUNCTION SECONDS" each. */
#ifndef SCALEDIAG_SAMPLES_STUB_ACCOUNT_H
#define SCALEDIAG_SAMPLES_STUB_ACCOUNT_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct {
  const char* function;
  double seconds;
} account_rows[16];

static double account_now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* `function` is the same literal in all calls of it. */
static void account_add(const char* function, double begin_s) {
  const double seconds = account_now_s() - begin_s;
  for (int i = 0; i < 16; ++i) {
    if (account_rows[i].function == NULL) account_rows[i].function = function;
    if (account_rows[i].function != function) continue;
    account_rows[i].seconds += seconds;
    return;
  }
}
__attribute__((destructor)) static void account_write(void) {
  const char* prefix = getenv("GPU_STUB_ACCOUNT");
  char path[4096];
  if (prefix == NULL || account_rows[0].function == NULL) return;
  snprintf(path, sizeof path, "%s.%d", prefix, (int)getpid());
  FILE* file = fopen(path, "a");
  if (file == NULL) return;
  for (int i = 0; i < 16 && account_rows[i].function != NULL; ++i) {
    fprintf(file, "%s %.9f\n", account_rows[i].function, account_rows[i].seconds);
  }
  fclose(file);
}
/* The body of a waiting function: its call's result, with the time in the account. */
#define ACCOUNTED(function, call)           \
  do {                                      \
    const double begin_s = account_now_s(); \
    const int result = call;                \
    account_add(function, begin_s);         \
    return result;                          \
  } while (0)

#endif
