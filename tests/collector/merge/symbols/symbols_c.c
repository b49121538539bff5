// Functions with names, lines and addresses that the symbolizer's test knows.
#include <stdio.h>

volatile int sink;

static inline __attribute__((always_inline)) void innermost(int a) {
  for (int i = 0; i < a; ++i) sink += i * a;
}

static inline __attribute__((always_inline)) void middle(int a) {
  sink *= a;
  innermost(a + 1);
  sink ^= a;
}

void outer(int a) {
  sink -= a;
  middle(a);
  sink /= 3;
}

static __attribute__((noinline)) int hidden(int a) {
  for (int i = 0; i < a; ++i) sink += a;
  return sink;
}

int exported(int a) { return hidden(a) + 1; }
int other_name_of_exported(int a) __attribute__((alias("exported")));
int a_weak_one(int a) __attribute__((weak, alias("exported")));

__attribute__((cold, noinline)) void complain(int a) { fprintf(stderr, "%d\n", a); }

int with_cold_part(int a) {
  for (int i = 0; i < a; ++i) {
    sink += i;
    if (sink == 12345) {
      complain(i);
      complain(sink);
      sink = 0;
    }
  }
  return hidden(a) * 2;
}

int calls_another_library(const char* s) { return puts(s); }
