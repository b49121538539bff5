/* Things that applications do beside MPI, and their visible results; the output must be the same under scalediag.
 *   surroundings MODE [ARGUMENT]
 *   fork             rank 0 forks a child that computes and exits with 7
 *   exec PROGRAM     rank 0 starts PROGRAM with fork and exec, prints its output and status
 *   system           rank 0 prints LD_PRELOAD and whether SCALEDIAG_ variables are seen by a shell that it starts
 *   dlopen FILE      loads FILE and spends its time in the function plugin_work of it
 *   sleeps           counts interrupted usleep, poll and epoll_wait calls while another thread computes
 *   threads          four threads compute at once, then a hundred short ones one after another
 *   perf             opens a perf event of its own and reads it
 *   signals          receives its own SIGALRM, SIGPROF and SIGUSR1 as often as it sent them
 *   limit            limits files to 64 bytes and writes beyond them, which gives it a signal
 *   preloaded        prints the result of the user's preloaded library
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int g_rank;

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Written so that the compiler keeps the loop although its result is not used. */
static volatile double g_sink;

__attribute__((noinline)) static void spin_surroundings(double seconds) {
  const double end = cpu_s() + seconds;
  double sum = 0;
  /* Half a millisecond or more, compared with which reading the clock costs nothing. */
  while (cpu_s() < end) {
    for (int i = 1; i < 500000; ++i) sum += 1.0 / i;
  }
  g_sink = sum;
}

static void* compute(void* seconds) {
  spin_surroundings(*(double*)seconds);
  return NULL;
}

static void do_fork(void) {
  const pid_t child = fork();
  if (child == 0) {
    spin_surroundings(0.1);
    exit(7); /* not _exit: the child's exit handlers run as well */
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static void do_exec(const char* program) {
  const pid_t child = fork();
  if (child == 0) {
    execl(program, program, "from a rank", (char*)NULL);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("program ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static void do_dlopen(const char* file) {
  void* handle = dlopen(file, RTLD_NOW);
  if (handle == NULL) {
    printf("dlopen: %s\n", dlerror());
    return;
  }
  double (*work)(double) = NULL;
  void* found = dlsym(handle, "plugin_work");
  memcpy(&work, &found, sizeof work); /* ISO C has no cast for it */
  printf("plugin %s\n", work(0.3) > 0 ? "worked" : "failed");
  dlclose(handle);
}

static void do_sleeps(void) {
  double seconds = 1.5;
  pthread_t thread;
  pthread_create(&thread, NULL, compute, &seconds);
  const int epoll = epoll_create1(0);
  int interrupted[3] = {0, 0, 0};
  for (int i = 0; i < 300; ++i) {
    struct epoll_event event;
    interrupted[0] += usleep(1000) != 0 && errno == EINTR;
    interrupted[1] += poll(NULL, 0, 1) < 0 && errno == EINTR;
    interrupted[2] += epoll_wait(epoll, &event, 1, 1) < 0 && errno == EINTR;
  }
  pthread_join(thread, NULL);
  close(epoll);
  printf("interrupted: usleep %d poll %d epoll_wait %d\n", interrupted[0], interrupted[1], interrupted[2]);
}

/* Shorter than the sampler's period. */
__attribute__((noinline)) static void* compute_briefly(void* unused) {
  const double end = cpu_s() + 0.002;
  double sum = 0;
  while (cpu_s() < end) {
    for (int i = 1; i < 20000; ++i) sum += 1.0 / i;
  }
  g_sink = sum;
  return unused;
}

static void do_threads(void) {
  double seconds = 0.3;
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, compute, &seconds);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 100; ++i) {
    pthread_create(&threads[0], NULL, compute_briefly, NULL);
    pthread_join(threads[0], NULL);
  }
  printf("threads ended\n");
}

static void do_perf(void) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.exclude_kernel = 1;
  const int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (fd < 0) {
    printf("perf_event_open: %s\n", strerror(errno));
    return;
  }
  spin_surroundings(0.2);
  unsigned long long nanoseconds = 0;
  const ssize_t n = read(fd, &nanoseconds, sizeof nanoseconds);
  printf("own perf event: %s\n", n == (ssize_t)sizeof nanoseconds && nanoseconds > 0 ? "counts" : "does not count");
  close(fd);
}

static volatile sig_atomic_t g_alarms, g_profs, g_users;
static void count_signal(int number) {
  if (number == SIGALRM) ++g_alarms;
  if (number == SIGPROF) ++g_profs;
  if (number == SIGUSR1) ++g_users;
}

static void do_signals(void) {
  signal(SIGALRM, count_signal);
  signal(SIGPROF, count_signal);
  signal(SIGUSR1, count_signal);
  for (int i = 0; i < 20; ++i) {
    raise(SIGALRM);
    raise(SIGPROF);
    raise(SIGUSR1);
    spin_surroundings(0.01);
  }
  printf("signals: alarm %d prof %d usr1 %d\n", (int)g_alarms, (int)g_profs, (int)g_users);
}

static volatile sig_atomic_t g_file_sizes;
static void count_file_size(int number) { g_file_sizes += number == SIGXFSZ; }

static void do_limit(void) {
  FILE* file = tmpfile();
  signal(SIGXFSZ, count_file_size);
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 64; /* what says in a raw file why it ends fits in */
  setrlimit(RLIMIT_FSIZE, &limit);
  const ssize_t n = pwrite(fileno(file), "x", 1, 64);
  const int refused = n < 0 && errno == EFBIG;
  spin_surroundings(2.5); /* what was measured is written at least once meanwhile */
  printf("limit: refused %d signals %d\n", refused, (int)g_file_sizes);
  signal(SIGXFSZ, SIG_DFL);
  fclose(file);
}

static void count_real_time_signal(int number) { g_users += number == SIGRTMAX - 3; }

static void do_all_signals(void) {
  const int number = SIGRTMAX - 3;
  signal(number, count_real_time_signal);
  for (int i = 0; i < 3; ++i) raise(number);
  for (int i = 32; i <= 64; ++i) signal(i, SIG_DFL);
  sigset_t all, mask;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  struct sigaction action;
  sigaction(number, NULL, &action);
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  spin_surroundings(0.4);
  double seconds = 0.4;
  pthread_t thread;
  pthread_create(&thread, NULL, compute, &seconds);
  pthread_join(thread, NULL);
  printf("real-time signal: received %d, default %d, blocked %d\n", (int)g_users, action.sa_handler == SIG_DFL,
         sigismember(&mask, number));
}

static void do_preloaded(void) {
  int (*answer)(void) = NULL;
  void* found = dlsym(RTLD_DEFAULT, "preloaded_answer");
  memcpy(&answer, &found, sizeof answer);
  printf("preloaded library answers %d\n", answer != NULL ? answer() : -1);
}

static void do_system(void) {
  fflush(stdout);
  if (system("echo \"LD_PRELOAD=$LD_PRELOAD\"; env | grep -c '^SCALEDIAG_'") < 0) printf("system failed\n");
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  const char* mode = argc > 1 ? argv[1] : "";
  const char* argument = argc > 2 ? argv[2] : "";
  if (g_rank == 0) {
    if (strcmp(mode, "fork") == 0) do_fork();
    if (strcmp(mode, "exec") == 0) do_exec(argument);
    if (strcmp(mode, "system") == 0) do_system();
    if (strcmp(mode, "dlopen") == 0) do_dlopen(argument);
    if (strcmp(mode, "sleeps") == 0) do_sleeps();
    if (strcmp(mode, "threads") == 0) do_threads();
    if (strcmp(mode, "perf") == 0) do_perf();
    if (strcmp(mode, "signals") == 0) do_signals();
    if (strcmp(mode, "limit") == 0) do_limit();
    if (strcmp(mode, "all_signals") == 0) do_all_signals();
    if (strcmp(mode, "preloaded") == 0) do_preloaded();
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
