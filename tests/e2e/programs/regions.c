/* Regions by several interfaces, and a main loop of 12 iterations. Each is timed by the program's own clock readings
 * just outside and just inside of it, so that its time lies between the two whatever else the machine does:
 * rank 0 prints "NAME LEAST MOST" with the sums over the ranks in seconds. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "scalediag_region.h"

enum { kIterations = 12, kNames = 8 };

typedef struct {
  const char* name;
  double least, most;
} Timed;
static Timed timed[kNames];

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Uses up that much CPU time of the calling thread. */
static void compute(double ms) {
  struct timespec begin, t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (1e3 * (double)(t.tv_sec - begin.tv_sec) + 1e-6 * (double)(t.tv_nsec - begin.tv_nsec) < ms);
}

/* Runs BODY between ENTER and LEAVE, and adds the time to what was read before of the same place. */
#define TIMED(place, label, ENTER, BODY, LEAVE)                  \
  do {                                                           \
    const double outer_begin##place = now_s();                   \
    ENTER;                                                       \
    const double inner_begin##place = now_s();                   \
    BODY;                                                        \
    const double inner_end##place = now_s();                     \
    LEAVE;                                                       \
    timed[place].name = label;                                   \
    timed[place].least += inner_end##place - inner_begin##place; \
    timed[place].most += now_s() - outer_begin##place;           \
  } while (0)

/* What Kokkos does with a library of tools. */
typedef void (*Named)(const char*);
typedef void (*Plain)(void);
typedef void (*Begins)(const char*, uint32_t, uint64_t*);
typedef void (*Ends)(uint64_t);
static Named push_region;
static Plain pop_region;
static Begins begin_for;
static Ends end_for;
#define FIND(pointer, name) *(void**)&(pointer) = dlsym(library, name)

static void load_tools(void) {
  const char* path = getenv("KOKKOS_TOOLS_LIBS");
  void* library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
  if (library == NULL) {
    printf("no tools\n");
    return;
  }
  void (*begin)(int, uint64_t, uint32_t, void*);
  FIND(begin, "kokkosp_init_library");
  FIND(push_region, "kokkosp_push_profile_region");
  FIND(pop_region, "kokkosp_pop_profile_region");
  FIND(begin_for, "kokkosp_begin_parallel_for");
  FIND(end_for, "kokkosp_end_parallel_for");
  begin(0, 20211015, 0, NULL);
}

static void kernels(void) {
  uint64_t first, second;
  if (push_region == NULL) return;
  TIMED(
      0, "update", push_region("update"),
      {
        /* Two at once, the first of which ends first. */
        begin_for("axpy", 1, &first);
        begin_for("dot", 1, &second);
        compute(20);
        end_for(first);
        end_for(second);
      },
      pop_region());
}

static void* work(void* argument) {
  SCALEDIAG_BEGIN("worker");
  compute(30);
  SCALEDIAG_END("worker");
  return argument;
}

int main(int argc, char** argv) {
  int rank, one = 1, sum = 0;
  pthread_t thread;
  (void)argc, (void)argv;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  load_tools();

  TIMED(
      1, "setup", SCALEDIAG_BEGIN("setup"),
      for (int i = 0; i < 3; ++i) {
        TIMED(
            2, "part", SCALEDIAG_BEGIN("part"),
            {
              compute(10 * (i + 1));
              SCALEDIAG_PARAMETER("rows", 100 * (i + 1) + rank);
            },
            SCALEDIAG_END("part"));
      },
      SCALEDIAG_END("setup"));
  TIMED(3, "assemble", MPI_Pcontrol(1, "assemble"), compute(30), MPI_Pcontrol(-1, "assemble"));
  TIMED(
      4, "level 7", MPI_Pcontrol(7, (char*)NULL),
      {
        compute(20);
        MPI_Barrier(MPI_COMM_WORLD);
      },
      MPI_Pcontrol(0, (char*)NULL));
  kernels();
  SCALEDIAG_END("never");
  if (pthread_create(&thread, NULL, work, NULL) == 0) pthread_join(thread, NULL);

  TIMED(
      5, "main-loop", MPI_Barrier(MPI_COMM_WORLD),
      for (int i = 0; i < kIterations; ++i) {
        compute(20);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      },
      MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD));

  for (int i = 0; i < kNames; ++i) {
    double mine[2] = {timed[i].least, timed[i].most}, all[2];
    MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && timed[i].name != NULL) printf("%s:%.6f:%.6f\n", timed[i].name, all[0], all[1]);
  }
  SCALEDIAG_BEGIN("open");
  MPI_Finalize();
  return 0;
}
