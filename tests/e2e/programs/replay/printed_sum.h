/* A checksum of everything that a rank was given so far, which it prints at each step of the program: a run and its
 * replay print the same. */
#pragma once

#include <stddef.h>
#include <stdio.h>

static int rank, size; /* of MPI_COMM_WORLD; the program sets them */
static unsigned long sum = 5381;

static void add(const void* data, size_t bytes) {
  const unsigned char* p = data;
  for (size_t i = 0; i < bytes; ++i) sum = sum * 33 + p[i];
}

static void say(const char* what) {
  printf("rank %d: %s %lx\n", rank, what, sum);
  fflush(stdout);
}
