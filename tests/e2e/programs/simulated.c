/* Work with a known number of instructions, around calls of MPI with an unknown one.  simulated [MODE]
 *   plain [STEPS TURNS]  steps of work with an Allreduce and a poll in each
 *   threads the same, and two threads beside it that work on their own, the first of which exists before MPI_Init
 *   fork    rank 0 forks a child that works and exits, before the steps
 *   avx512  one instruction of AVX-512 first, without asking the processor, as in a program built for AVX-512
 *   exit    leaves without MPI_Finalize
 *   long    works until it is killed
 *   unlike [N]  rank 1 works on its own besides, N million turns (300: ten times as long as all the rest takes)
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kSteps = 20, kTurns = 50000, kThreadTurns = 300000 };

/* Two instructions a turn. */
static void turn(long turns) {
  __asm__ volatile(
      "1: dec %0\n"
      "   jnz 1b\n"
      : "+r"(turns)
      :
      : "cc");
}

__attribute__((noinline)) static void known_work(long turns) { turn(turns); }
__attribute__((noinline)) static void threads_work(void) { turn(kThreadTurns); }
__attribute__((noinline)) static void childs_work(void) { turn(kTurns); }
__attribute__((noinline)) static void unlike_work(long turns) { turn(turns); }

/* One load and one store an element. */
__attribute__((noinline, optimize("no-tree-vectorize"))) static void copy_words(const volatile long* from,
                                                                                volatile long* to, long n) {
  for (long i = 0; i < n; ++i) to[i] = from[i];
}

/* The number of polls depends on the time at which the message comes: the only function whose count varies. */
__attribute__((noinline)) static void poll_for_message(void) {
  for (int there = 0; !there;) MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}

static pthread_barrier_t initialised;

static void* thread_main(void* waits) {
  if (waits != NULL) pthread_barrier_wait(&initialised);
  threads_work();
  return NULL;
}

static void fork_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    childs_work();
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

/* Under valgrind the processor says that it has no AVX-512, so a program that asks would not use it. */
static int use_avx512(void) {
#ifdef __x86_64__
  __asm__ volatile("vpxorq %%zmm0, %%zmm0, %%zmm0" ::: "xmm0");
  return 1;
#else
  return 0;
#endif
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "plain";
  enum { kWords = 1000 };
  static long from[kWords], to[kWords];
  pthread_t early, late;
  const int threads = strcmp(mode, "threads") == 0;
  if (threads) {
    pthread_barrier_init(&initialised, NULL, 2);
    if (pthread_create(&early, NULL, thread_main, (void*)&threads) != 0) return 1;
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (threads) pthread_barrier_wait(&initialised);
  if (strcmp(mode, "avx512") == 0 && !use_avx512()) return 77; /* another architecture */
  if (strcmp(mode, "fork") == 0 && rank == 0) fork_child();
  if (threads && pthread_create(&late, NULL, thread_main, NULL) != 0) return 1;
  if (strcmp(mode, "unlike") == 0 && rank == 1) unlike_work(1000000L * (argc > 2 ? atoi(argv[2]) : 300));
  const int forever = strcmp(mode, "long") == 0, is_given = strcmp(mode, "plain") == 0 && argc > 3;
  const int steps = is_given ? atoi(argv[2]) : kSteps;
  const long turns = is_given ? atol(argv[3]) : kTurns;
  for (int step = 0; step < steps || forever; ++step) {
    known_work(turns);
    copy_words(from, to, kWords);
    double mine = step, all = 0;
    if (size > 1 && rank < 2) {
      char token = 0;
      if (rank == 0) {
        MPI_Send(&token, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      } else {
        poll_for_message();
        MPI_Recv(&token, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (threads) {
    pthread_join(early, NULL);
    pthread_join(late, NULL);
  }
  if (rank == 0) printf("the application's output\n");
  if (strcmp(mode, "exit") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    exit(0);
  }
  MPI_Finalize();
  return 0;
}
