/* The command line all samples share, `program SIZE STEPS`, for the ones in C and C++.
 *
 * Nothing here calls MPI, so that a profile shows the sample's own communication only. All ranks are given the
 * same arguments and come to the same conclusion; only rank 0 prints it. */
#ifndef SCALEDIAG_SAMPLES_COMMON_ARGUMENTS_H_
#define SCALEDIAG_SAMPLES_COMMON_ARGUMENTS_H_

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keeps a function in profiles under its own name: neither inlined nor cloned. */
#if defined(__GNUC__) && !defined(__clang__)
#define SAMPLE_KERNEL __attribute__((noinline, noclone))
#else
#define SAMPLE_KERNEL __attribute__((noinline))
#endif

typedef struct {
  const char* name;
  const char* summary;
  const char* size_meaning;
  const char* steps_meaning;
  long size_default, size_min, size_max;
  long steps_default, steps_max;
} sample_usage;

enum { kSampleRun = -1, kSampleHelp = 0, kSampleFailed = 1, kSampleBadUsage = 2 };

static inline int sample_read_number(const char* text, long min, long max, long* value) {
  char* end = NULL;
  errno = 0;
  const long number = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || number < min || number > max) return 0;
  *value = number;
  return 1;
}

/* Returns kSampleRun with *size and *steps set, or the exit status with which every rank should leave after
 * MPI_Finalize: kSampleHelp after --help, kSampleBadUsage after a message. */
static inline int sample_read_arguments(int argc, char** argv, const sample_usage* usage, int rank, long* size,
                                        long* steps) {
  *size = usage->size_default;
  *steps = usage->steps_default;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      if (rank == 0) {
        printf("usage: %s [SIZE [STEPS]]\n%s\n", usage->name, usage->summary);
        printf("  SIZE   %s, %ld to %ld (default %ld)\n", usage->size_meaning, usage->size_min, usage->size_max,
               usage->size_default);
        printf("  STEPS  %s, 1 to %ld (default %ld)\n", usage->steps_meaning, usage->steps_max, usage->steps_default);
      }
      return kSampleHelp;
    }
  }
  const char* wrong = NULL;
  const char* given = "";
  if (argc > 1 && !sample_read_number(argv[1], usage->size_min, usage->size_max, size)) {
    wrong = "SIZE is not a whole number within its limits";
    given = argv[1];
  } else if (argc > 2 && !sample_read_number(argv[2], 1, usage->steps_max, steps)) {
    wrong = "STEPS is not a whole number within its limits";
    given = argv[2];
  } else if (argc > 3) {
    wrong = "more than two arguments";
    given = argv[3];
  }
  if (wrong == NULL) return kSampleRun;
  if (rank == 0) {
    fprintf(stderr, "error: %s: %s: '%s'\nhint: %s --help\n", usage->name, wrong, given, usage->name);
  }
  return kSampleBadUsage;
}

/* Says on rank 0 that this number of ranks cannot hold the problem; returns the exit status. */
static inline int sample_too_many_ranks(const char* name, int rank, int ranks, long size, long size_needed) {
  if (rank == 0) {
    fprintf(stderr, "error: %s: SIZE %ld cannot be divided over %d ranks\nhint: %s %ld, or fewer ranks\n", name, size,
            ranks, name, size_needed);
  }
  return kSampleBadUsage;
}

/* Prints the verdict on rank 0; returns the exit status. `passed` has to be the same on all ranks. */
static inline int sample_verdict(int rank, int passed) {
  if (rank == 0) printf("verification: %s\n", passed ? "passed" : "failed");
  return passed ? 0 : kSampleFailed;
}

/* Block distribution of `count` things: the first count % ranks ranks own one more. */
static inline long sample_block_begin(long count, long ranks, long rank) {
  const long extra = count % ranks;
  return rank * (count / ranks) + (rank < extra ? rank : extra);
}

#endif /* SCALEDIAG_SAMPLES_COMMON_ARGUMENTS_H_ */
