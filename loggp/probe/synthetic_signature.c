// Executes the communication of a scaled trace, a phase at a time, with few processes: some act for ranks of the
// program and are measured, others (black holes) stand for everybody whom a measured rank talks to besides.
// One program for each MPI; `scalediag synth` writes its plan, starts it and reads its lines.
//
//   synthetic_signature PLAN sleep|spin
//     PLAN         read by process 0 only (loggp/synth/signature_plan.h has the format)
//     sleep, spin  what computation is; black holes look for messages without a pause where it is spin
//
// Lines on stdout; times in seconds:
//   scalediag-synthetic-signature 1
//   library TEXT
//   processes N
//   round_trip SECONDS                    the longest one between process 0 and another
//   times RUN PROCESS BEGIN MARK END      of a measured process, since the run's common beginning, which all know to
//                                         within their clocks: when it began, when its measured part began, when it
//                                         ended; of the last time that the run was executed
//   hole RUN PROCESS N MEAN MOST          of a black hole: by how much it acted later than it was due
//   took SECONDS                          everything, after MPI_Init
//   end
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <errno.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kTag = 32767, kPings = 10, kMostArena = 1 << 26 };

static int rank, n_ranks;
static int spins;
static double clock_offset_s;  // this process's clock minus that of process 0
static double longest_trip_s;  // of process 0

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char* what) {
  fprintf(stderr, "synthetic_signature: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 3);
  exit(3);
}

static void* room(size_t bytes) {
  void* p = malloc(bytes > 0 ? bytes : 1);
  if (p == NULL) fail("there is not enough memory");
  return p;
}

// Until this clock's time.
static void pause_until(double end_s) {
  for (double left_s; (left_s = end_s - now_s()) > 0;) {
    if (spins) continue;
    struct timespec t = {(time_t)left_s, (long)((left_s - (double)(time_t)left_s) * 1e9)};
    nanosleep(&t, NULL);
  }
}

// Sleeping takes longer than asked: what a computation took too long, the next ones take less, and those that are too
// short to sleep for are put together.
static double owed_s;
static void compute(double seconds) {
  static const double kShortest_s = 20e-6;
  owed_s += seconds;
  if (owed_s <= (spins ? 0 : kShortest_s)) return;
  const double begin_s = now_s();
  pause_until(begin_s + owed_s);
  owed_s -= now_s() - begin_s;
}

// --- before the runs ---

// The offsets of clocks, by the shortest of some round trips with process 0.
static void compare_clocks(void) {
  for (int other = 1; other < n_ranks; ++other) {
    double best_s = 1e9, answer[2] = {0, 0};
    for (int i = 0; i < kPings; ++i) {
      if (rank == 0) {
        const double begin_s = now_s();
        double theirs_s;
        MPI_Send(NULL, 0, MPI_BYTE, other, kTag, MPI_COMM_WORLD);
        MPI_Recv(&theirs_s, 1, MPI_DOUBLE, other, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const double trip_s = now_s() - begin_s;
        if (trip_s >= best_s) continue;
        best_s = trip_s;
        answer[0] = theirs_s - begin_s - trip_s / 2;
      } else if (rank == other) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const double mine_s = now_s();
        MPI_Send(&mine_s, 1, MPI_DOUBLE, 0, kTag, MPI_COMM_WORLD);
      }
    }
    if (rank == 0) {
      if (best_s > longest_trip_s) longest_trip_s = best_s;
      MPI_Send(answer, 1, MPI_DOUBLE, other, kTag, MPI_COMM_WORLD);
    } else if (rank == other) {
      MPI_Recv(&clock_offset_s, 1, MPI_DOUBLE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

// MPI makes connections with the first messages, which no run is to wait for.
static void connect_all(void) {
  for (int k = 1; k < n_ranks; ++k) {
    MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + k) % n_ranks, kTag, NULL, 0, MPI_BYTE, (rank + n_ranks - k) % n_ranks, kTag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// This clock's time at which all begin: process 0 tells it to each, once each has told what it did before.
static double agree_on_beginning(double* mine, int n_mine, double* all) {
  double at_s = 0;
  if (rank != 0) {
    MPI_Send(mine, n_mine, MPI_DOUBLE, 0, kTag, MPI_COMM_WORLD);
    MPI_Recv(&at_s, 1, MPI_DOUBLE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return at_s + clock_offset_s;
  }
  memcpy(all, mine, (size_t)n_mine * sizeof(double));
  for (int r = 1; r < n_ranks; ++r) {
    MPI_Recv(all + (size_t)r * (size_t)n_mine, n_mine, MPI_DOUBLE, r, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  at_s = now_s() + longest_trip_s + 0.002;
  for (int r = 1; r < n_ranks; ++r) MPI_Send(&at_s, 1, MPI_DOUBLE, r, kTag, MPI_COMM_WORLD);
  return at_s;
}

// --- the text of a plan ---

typedef struct {
  char what;  // c: computation, s: send, r: receive, w: wait, m: the measured part begins
  int process;
  int tag;
  int64_t bytes;
  int request;  // of s and r; of w: how many
  int first;    // of w: in `waited`
  int anchor;   // of a black hole: the action whose message it follows; -1: the beginning
  double seconds;
} Action;

typedef struct {
  int is_hole;
  int n_actions;
  int n_requests;
  double begin_s;
  Action* actions;
  int* waited;
} Part;

static char* at;  // the text that is left

static double number(void) {
  char* end;
  const double value = strtod(at, &end);
  if (end == at) fail("the plan is damaged");
  at = end;
  return value;
}

// The first letter of the next word.
static char word(void) {
  while (*at == ' ' || *at == '\n') ++at;
  const char first = *at;
  while (*at >= 'a' && *at <= 'z') ++at;
  return first;
}

static Part read_part(char* text) {
  Part p = {0, 0, 0, 0, NULL, NULL};
  at = text;
  p.is_hole = word() == 'h';
  p.begin_s = number();
  p.n_actions = (int)number();
  p.n_requests = (int)number();
  const int n_waited = (int)number();
  if (p.n_actions < 0 || p.n_requests < 0 || n_waited < 0) fail("the plan is damaged");
  p.actions = room((size_t)p.n_actions * sizeof(Action));
  p.waited = room((size_t)n_waited * sizeof(int));
  int next_waited = 0;
  for (int i = 0; i < p.n_actions; ++i) {
    Action a = {word(), 0, 0, 0, 0, 0, -1, 0};
    if (a.what == 'c') {
      a.seconds = number();
    } else if (a.what == 's' || a.what == 'r') {
      a.process = (int)number();
      a.tag = (int)number();
      a.bytes = (int64_t)number();
      a.request = p.is_hole ? i : (int)number();
      if (p.is_hole) a.anchor = (int)number();
      if (p.is_hole) a.seconds = number();
      if (a.bytes > INT32_MAX) fail("a message has more than 2147483647 bytes, which MPI does not send at once");
      if (a.process < 0 || a.process >= n_ranks || a.bytes < 0 || a.request < 0 || a.request >= p.n_requests ||
          a.anchor >= p.n_actions) {
        fail("the plan is damaged");
      }
    } else if (a.what == 'w') {
      a.request = (int)number();
      a.first = next_waited;
      if (a.request < 0 || next_waited + a.request > n_waited) fail("the plan is damaged");
      for (int k = 0; k < a.request; ++k) {
        p.waited[next_waited] = (int)number();
        if (p.waited[next_waited] < 0 || p.waited[next_waited] >= p.n_requests) fail("the plan is damaged");
        ++next_waited;
      }
    } else if (a.what != 'm') {
      fail("the plan is damaged");
    }
    p.actions[i] = a;
  }
  return p;
}

// --- a run ---

static char* sent;   // what messages hold is of no matter
static char* arena;  // where they are received, each somewhere else as far as there is room
static int64_t arena_bytes;
static int64_t arena_used;

static void make_room(const Part* p) {
  int64_t most = 0, sum = 0;
  for (int i = 0; i < p->n_actions; ++i) {
    if (p->actions[i].bytes > most) most = p->actions[i].bytes;
    sum += p->actions[i].bytes;
  }
  int64_t wanted = sum < kMostArena ? sum : kMostArena;
  if (wanted < most) wanted = most;
  arena_used = 0;
  if (arena != NULL && wanted <= arena_bytes) return;
  free(arena);
  free(sent);
  arena_bytes = wanted;
  arena = room((size_t)arena_bytes);
  sent = room((size_t)arena_bytes);
  memset(arena, 0, (size_t)arena_bytes);
  memset(sent, 0, (size_t)arena_bytes);
}

static void begin_message(const Action* a, MPI_Request* request) {
  if (a->what == 's') {
    MPI_Isend(sent, (int)a->bytes, MPI_BYTE, a->process, a->tag, MPI_COMM_WORLD, request);
    return;
  }
  if (arena_used + a->bytes > arena_bytes) arena_used = 0;
  MPI_Irecv(arena + arena_used, (int)a->bytes, MPI_BYTE, a->process, a->tag, MPI_COMM_WORLD, request);
  arena_used += a->bytes;
}

// times: when it began, when the measured part did, when it ended.
static void act_for_rank(const Part* p, double zero_s, MPI_Request* requests, double* times) {
  MPI_Request* together = room((size_t)p->n_requests * sizeof(MPI_Request));
  owed_s = 0;
  pause_until(zero_s + p->begin_s);
  times[0] = now_s() - zero_s;
  times[1] = times[0];
  for (int i = 0; i < p->n_actions; ++i) {
    const Action* a = &p->actions[i];
    switch (a->what) {
      case 'c': compute(a->seconds); break;
      case 'm': times[1] = now_s() - zero_s + owed_s; break;
      case 'w':
        for (int k = 0; k < a->request; ++k) together[k] = requests[p->waited[a->first + k]];
        MPI_Waitall(a->request, together, MPI_STATUSES_IGNORE);
        for (int k = 0; k < a->request; ++k) requests[p->waited[a->first + k]] = MPI_REQUEST_NULL;
        break;
      default: begin_message(a, &requests[a->request]);
    }
  }
  times[2] = now_s() - zero_s + owed_s;
  MPI_Waitall(p->n_requests, requests, MPI_STATUSES_IGNORE);
  free(together);
}

// times: number of actions, mean and most by which they were late.
static void act_for_all_others(const Part* p, double zero_s, MPI_Request* requests, double* times) {
  static const double kPause_s = 20e-6;
  static const double kSoon_s = 250e-6;  // MPI is not asked any more before an action that is as near
  const int n = p->n_actions;
  double* due_s = room((size_t)n * sizeof(double));           // of those whose time is known
  int* waiting = room((size_t)n * sizeof(int));               // their numbers, rising, until they begin
  int* first_after = room((size_t)n * sizeof(int));           // the first action that follows a receive; -1: none
  int* next_after = room((size_t)n * sizeof(int));            // the next one that follows the same receive
  MPI_Request* open = room((size_t)n * sizeof(MPI_Request));  // receives
  int* of_open = room((size_t)n * sizeof(int));
  int* done = room((size_t)n * sizeof(int));
  int n_open = 0, n_waiting = 0, n_begun = 0, n_received = 0, n_receives = 0;
  double late_s = 0, most_late_s = 0;
  for (int i = 0; i < n; ++i) first_after[i] = -1;
  for (int i = n - 1; i >= 0; --i) {
    const int anchor = p->actions[i].anchor;
    if (anchor < 0) continue;
    next_after[i] = first_after[anchor];
    first_after[anchor] = i;
  }
  for (int i = 0; i < n; ++i) {
    if (p->actions[i].anchor < 0) {
      due_s[i] = zero_s + p->actions[i].seconds;
      waiting[n_waiting++] = i;
    }
    n_receives += p->actions[i].what == 'r';
  }
  while (n_begun < n || n_received < n_receives) {
    double next_s = 1e300;
    int still_waiting = 0;
    for (int k = 0; k < n_waiting; ++k) {
      const int i = waiting[k];
      const double is_s = now_s();
      if (due_s[i] > is_s) {
        if (due_s[i] < next_s) next_s = due_s[i];
        waiting[still_waiting++] = i;
        continue;
      }
      begin_message(&p->actions[i], &requests[i]);
      ++n_begun;
      if (p->actions[i].what == 'r') {
        of_open[n_open] = i;
        open[n_open++] = requests[i];
        requests[i] = MPI_REQUEST_NULL;
      } else {
        const double by_s = is_s - due_s[i];
        late_s += by_s;
        if (by_s > most_late_s) most_late_s = by_s;
      }
    }
    n_waiting = still_waiting;
    if (next_s - now_s() < kSoon_s) {
      pause_until(next_s);
      continue;
    }
    int n_done = 0;
    if (n_open > 0) MPI_Testsome(n_open, open, &n_done, done, MPI_STATUSES_IGNORE);
    if (n_done == MPI_UNDEFINED) n_done = 0;
    const double is_s = now_s();
    for (int k = 0; k < n_done; ++k) {
      ++n_received;
      for (int i = first_after[of_open[done[k]]]; i >= 0; i = next_after[i]) {
        due_s[i] = is_s + p->actions[i].seconds;
        int place = n_waiting++;
        for (; place > 0 && waiting[place - 1] > i; --place) waiting[place] = waiting[place - 1];
        waiting[place] = i;
      }
    }
    if (n_done > 0) {
      int kept = 0;
      for (int k = 0; k < n_open; ++k) {
        if (open[k] == MPI_REQUEST_NULL) continue;
        open[kept] = open[k];
        of_open[kept++] = of_open[k];
      }
      n_open = kept;
    } else if (!spins) {
      pause_until(is_s + kPause_s);
    }
  }
  MPI_Waitall(p->n_requests, requests, MPI_STATUSES_IGNORE);
  const int n_sends = n - n_receives;
  times[0] = n_sends;
  times[1] = n_sends > 0 ? late_s / n_sends : 0;
  times[2] = most_late_s;
  free(due_s);
  free(waiting);
  free(first_after);
  free(next_after);
  free(open);
  free(of_open);
  free(done);
}

enum { kNumbers = 4 };  // 0: idle, 1: measured, 2: black hole; its times

static void print_times(int run, const double* all) {
  for (int r = 0; r < n_ranks; ++r) {
    const double* of = all + kNumbers * (size_t)r;
    if (of[0] == 1) printf("times %d %d %.9f %.9f %.9f\n", run, r, of[1], of[2], of[3]);
    if (of[0] == 2) printf("hole %d %d %.0f %.9f %.9f\n", run, r, of[1], of[2], of[3]);
  }
  fflush(stdout);
}

// Executes a run as often as it says, and leaves this process's times of the last one in `mine`. The times of the run
// before are in `mine` until then, and get to process 0 with the first agreement.
static void execute(int run, char* text, double* mine, double* all) {
  Part p = {0, 0, 0, 0, NULL, NULL};
  MPI_Request* requests = NULL;
  const int times = *text == '2' ? 2 : 1;
  if (text[1] != '\0') {
    p = read_part(text + 1);
    make_room(&p);
    requests = room((size_t)p.n_requests * sizeof(MPI_Request));
  }
  for (int i = 0; i < times; ++i) {
    const double zero_s = agree_on_beginning(mine, kNumbers, all);
    if (rank == 0 && i == 0 && run > 0) print_times(run - 1, all);
    mine[0] = requests == NULL ? 0 : p.is_hole ? 2 : 1;
    if (requests == NULL) continue;
    for (int k = 0; k < p.n_requests; ++k) requests[k] = MPI_REQUEST_NULL;
    (p.is_hole ? act_for_all_others : act_for_rank)(&p, zero_s, requests, mine + 1);
  }
  free(requests);
  free(p.actions);
  free(p.waited);
}

// --- the plan ---

// A process's part of each run, as text: how often the run is executed, and what it does then, if anything.
static char** take_parts(FILE* plan, int n_runs) {
  char** mine = room((size_t)n_runs * sizeof(char*));
  char** texts = rank == 0 ? room((size_t)n_ranks * sizeof(char*)) : NULL;
  for (int run = 0; run < n_runs; ++run) {
    int times = 0, n_parts = 0, of_run = -1;
    for (int r = 0; rank == 0 && r < n_ranks; ++r) texts[r] = NULL;
    if (rank == 0 && (fscanf(plan, " run %d %d %d", &of_run, &times, &n_parts) != 3 || of_run != run)) {
      fail("the plan is damaged");
    }
    for (int i = 0; i < n_parts; ++i) {
      int process;
      long long bytes;
      if (fscanf(plan, " part %d %lld", &process, &bytes) != 2 || bytes < 0 || bytes >= INT32_MAX || process < 0 ||
          process >= n_ranks || texts[process] != NULL) {
        fail("the plan is damaged");
      }
      fgetc(plan);
      char* text = texts[process] = room((size_t)bytes + 2);
      if (fread(text + 1, 1, (size_t)bytes, plan) != (size_t)bytes) fail("the plan is cut off");
      text[bytes + 1] = '\0';
    }
    for (int r = n_ranks - 1; rank == 0 && r >= 0; --r) {
      if (texts[r] == NULL) {
        texts[r] = room(2);
        texts[r][1] = '\0';
      }
      texts[r][0] = times == 2 ? '2' : '1';
      if (r == 0) {
        mine[run] = texts[0];
        break;
      }
      const int length = (int)strlen(texts[r]);
      MPI_Send(&length, 1, MPI_INT, r, kTag, MPI_COMM_WORLD);
      MPI_Send(texts[r], length, MPI_CHAR, r, kTag, MPI_COMM_WORLD);
      free(texts[r]);
    }
    if (rank != 0) {
      int length = 0;
      MPI_Recv(&length, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      mine[run] = room((size_t)length + 1);
      MPI_Recv(mine[run], length, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      mine[run][length] = '\0';
    }
  }
  free(texts);
  return mine;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double begin_s = now_s();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
#ifdef __linux__
  prctl(PR_SET_TIMERSLACK, 1UL);  // sleeping ends when it was asked to
#endif
  if (argc != 3) fail("wants PLAN sleep|spin");
  spins = strcmp(argv[2], "spin") == 0;
  FILE* plan = NULL;
  int wanted[2] = {0, 0};  // processes, runs
  if (rank == 0) {
    plan = fopen(argv[1], "rb");
    if (plan == NULL || fscanf(plan, "scalediag-synth-plan 1 processes %d runs %d", &wanted[0], &wanted[1]) != 2) {
      char what[512];
      snprintf(what, sizeof what, "process 0 cannot read the plan %.400s: %s", argv[1],
               plan == NULL ? strerror(errno) : "it is damaged");
      fail(what);
    }
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(library, &length);
    for (int i = 0; i < length; ++i) library[i] = library[i] == '\n' ? ' ' : library[i];
    printf("scalediag-synthetic-signature 1\nlibrary %s\nprocesses %d\n", library, n_ranks);
  }
  MPI_Bcast(wanted, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (wanted[0] != n_ranks) fail("the launcher started another number of processes than the plan is for");
  connect_all();
  compare_clocks();
  if (rank == 0) printf("round_trip %.9f\n", longest_trip_s);
  char** parts = take_parts(plan, wanted[1]);
  double mine[kNumbers] = {0, 0, 0, 0};
  double* all = room((size_t)n_ranks * sizeof mine);
  for (int run = 0; run < wanted[1]; ++run) {
    execute(run, parts[run], mine, all);
    free(parts[run]);
  }
  free(parts);
  agree_on_beginning(mine, kNumbers, all);
  if (rank == 0 && wanted[1] > 0) print_times(wanted[1] - 1, all);
  free(all);
  if (rank == 0) printf("took %.6f\nend\n", now_s() - begin_s);
  if (plan != NULL) fclose(plan);
  free(sent);
  free(arena);
  MPI_Finalize();
  return 0;
}
