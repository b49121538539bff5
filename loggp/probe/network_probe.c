// Measures messages between two ranks by the PRTT method (Hoefler et al. 2007): rank 0 is the client, another rank the
// server. One program for each MPI; `scalediag network` starts it and turns its lines into parameters.
//
//   network_probe BUDGET_S SEED MAX_SYNC OTHERS MOST_S SIZE...
//     BUDGET_S  the time for one size, in seconds, about; where messages take longer than that, everything is done only
//               once or twice (measuring_plan.h has the numbers)
//     SEED      of the order of sizes
//     MAX_SYNC  largest message for the late-receiver test, which comes first; 0 leaves it out, and the overheads
//               with it
//     OTHERS    the behaviour of ranks that do not measure: sleep, or wait in MPI, as those of a program do
//     MOST_S    seconds after which no other size is begun, but the first eight of each class of link; sizes that were
//               not begun have no line
//
// Lines on stdout; times in seconds, quantiles are 10 %, 50 %, 90 %:
//   scalediag-network-probe 3
//   library TEXT
//   ranks N
//   reduction SECONDS                        to add a byte of doubles to another
//   copy SECONDS                             to copy a byte of 16 MiB
//   exchange BYTES SECONDS                   time until every rank has sent that much (512 KiB, at most MAX_SYNC) to
//                                            every other one, all at once; only with MAX_SYNC, and where every rank
//                                            of 3 to 64 is on a node of its own
//   retransmitted SEGMENTS                   number of segments that TCP of these nodes sent again meanwhile, also of
//                                            other programs; only with an exchange, and where all nodes know it
//   link same_node|other_node HOST HOST
//   connect SECONDS                          time by which the first round trip between two ranks is longer than the
//                                            second, median over rank 0 and the others of the class; only with
//                                            MAX_SYNC
//   sync BYTES|none                          largest message that does not wait for its receiver; none: all up to
//                                            MAX_SYNC
//   sync_below_zero                          instead: even an empty message waits
//   size BYTES half_round_trip Q Q Q gap Q Q Q send_overhead Q receive_overhead Q repeats N
//   took SECONDS                             everything above, after MPI_Init
//   end
// A gap is (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1). Overheads are nan where they were not measured: above S_sync,
// where a send or a receive takes as long as the other side lets it.
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  kLine = 64,               // bytes, of a cache: each message begins one, as arrays do
  kLarge = 524288,          // bytes
  kBeyondCaches = 1 << 26,  // bytes
  kBurst = 10,              // as network_measurement.h has it
  kMostRepeats = 400,
  kTag = 1,
  kReplyTag = 2,
  kCommandTag = 3,
  kMostExchangedBytes = 524288,
  kMostExchanging = 64,
  kMostFirst = 64,
  kLeastSizes = 8,  // which parameters can be fitted to
  kHostLength = MPI_MAX_PROCESSOR_NAME
};
enum { kPingPong, kBurstOnce, kPaced, kTimedReceives, kLateReceive, kStop };

typedef struct {
  int64_t what;
  int64_t bytes;
  int64_t count;   // of ping-pongs
  double pause_s;  // between the messages of kPaced and kTimedReceives; the lateness of the receiver of kLateReceive
} Command;

static char* buffer;          // of a rank that measures
static int64_t buffer_bytes;  // kBurst messages of the largest size, or kBeyondCaches where some are large

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void spin(double seconds) {
  const double end_s = now_s() + seconds;
  while (now_s() < end_s) {
  }
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static double quantile(const double* sorted, int n, double q) {
  const double at = q * (n - 1);
  const int below = (int)at;
  if (below + 1 >= n) return sorted[n - 1];
  return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

// The duration of a pair of clock readings, in seconds, which is subtracted from calls that are timed one by one.
static double clock_cost_s(void) {
  double least_s = 1;
  for (int i = 0; i < 2000; ++i) {
    const double begin_s = now_s();
    const double taken_s = now_s() - begin_s;
    if (taken_s < least_s) least_s = taken_s;
  }
  return least_s;
}

static void command(int server, int what, int64_t bytes, int64_t count, double pause_s) {
  Command c = {what, bytes, count, pause_s};
  MPI_Send(&c, sizeof c, MPI_BYTE, server, kCommandTag, MPI_COMM_WORLD);
}

// The memory of message `i` of a burst, or of the only one, 0. From kLarge on messages come from and go to other memory
// each time, as those of programs do, which compute meanwhile: a cache has it only if it holds most of the buffers of
// both ranks. Smaller ones stay in the caches.
static char* part(int i, int64_t bytes) {
  static int64_t turn = 0;
  const int64_t stride = (bytes + kLine - 1) / kLine * kLine;
  return buffer + stride * (bytes < kLarge ? i : turn++ % (buffer_bytes / stride));
}

// --- the server ---

static void serve_receives(int client, int64_t bytes, int answers) {
  MPI_Request requests[kBurst];
  for (int i = 0; i < kBurst; ++i) {
    MPI_Irecv(part(i, bytes), (int)bytes, MPI_BYTE, client, kTag, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Send(NULL, 0, MPI_BYTE, client, kReplyTag, MPI_COMM_WORLD);  // the receives are posted
  MPI_Waitall(kBurst, requests, MPI_STATUSES_IGNORE);
  MPI_Send(answers ? part(0, bytes) : buffer, answers ? (int)bytes : 0, MPI_BYTE, client, kTag, MPI_COMM_WORLD);
}

// The messages are sent at once; every receive but the first begins when its message has arrived.
static void serve_timed_receives(int client, int64_t bytes, double pause_s, double clock_s) {
  double total_s = 0;
  MPI_Send(NULL, 0, MPI_BYTE, client, kReplyTag, MPI_COMM_WORLD);
  MPI_Recv(part(0, bytes), (int)bytes, MPI_BYTE, client, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < kBurst; ++i) {
    spin(pause_s);
    const double begin_s = now_s();
    MPI_Recv(part(0, bytes), (int)bytes, MPI_BYTE, client, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    total_s += now_s() - begin_s - clock_s;
  }
  total_s /= kBurst - 1;
  MPI_Send(&total_s, 1, MPI_DOUBLE, client, kTag, MPI_COMM_WORLD);
}

static void serve(int client) {
  const double clock_s = clock_cost_s();
  for (;;) {
    Command c;
    MPI_Recv(&c, sizeof c, MPI_BYTE, client, kCommandTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    switch (c.what) {
      case kPingPong:
        for (int64_t i = 0; i < c.count; ++i) {
          MPI_Recv(part(0, c.bytes), (int)c.bytes, MPI_BYTE, client, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Send(part(0, c.bytes), (int)c.bytes, MPI_BYTE, client, kTag, MPI_COMM_WORLD);
        }
        break;
      case kBurstOnce: serve_receives(client, c.bytes, 1); break;
      case kPaced: serve_receives(client, c.bytes, 0); break;
      case kTimedReceives: serve_timed_receives(client, c.bytes, c.pause_s, clock_s); break;
      case kLateReceive:
        MPI_Send(NULL, 0, MPI_BYTE, client, kReplyTag, MPI_COMM_WORLD);
        spin(c.pause_s);
        MPI_Recv(part(0, c.bytes), (int)c.bytes, MPI_BYTE, client, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
      default: return;
    }
  }
}

// --- the client ---

static void await_ready(int server) {
  MPI_Recv(NULL, 0, MPI_BYTE, server, kReplyTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// PRTT(1, 0, bytes), `count` of them; one more before them warms up.
static void ping_pongs(int server, int64_t bytes, int count, double* to) {
  command(server, kPingPong, bytes, count + 1, 0);
  for (int i = -1; i < count; ++i) {
    const double begin_s = now_s();
    MPI_Send(part(0, bytes), (int)bytes, MPI_BYTE, server, kTag, MPI_COMM_WORLD);
    MPI_Recv(part(0, bytes), (int)bytes, MPI_BYTE, server, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i >= 0) to[i] = now_s() - begin_s;
  }
}

// PRTT(n, 0, bytes). Sends are nonblocking, so that above S_sync their handshakes overlap: the gap is to be measured.
static double burst(int server, int64_t bytes) {
  MPI_Request requests[kBurst];
  command(server, kBurstOnce, bytes, 0, 0);
  await_ready(server);
  const double begin_s = now_s();
  for (int i = 0; i < kBurst; ++i) {
    MPI_Isend(part(i, bytes), (int)bytes, MPI_BYTE, server, kTag, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(kBurst, requests, MPI_STATUSES_IGNORE);
  MPI_Recv(part(0, bytes), (int)bytes, MPI_BYTE, server, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return now_s() - begin_s;
}

// o_s, the duration of an undisturbed send. The method subtracts the pauses from the whole; timing the calls themselves
// gives the same without the network's jitter.
static double paced(int server, int64_t bytes, double pause_s, double clock_s) {
  MPI_Request requests[kBurst];
  double total_s = 0;
  command(server, kPaced, bytes, 0, 0);
  await_ready(server);
  for (int i = 0; i < kBurst; ++i) {
    if (i > 0) spin(pause_s);
    const double begin_s = now_s();
    MPI_Isend(part(i, bytes), (int)bytes, MPI_BYTE, server, kTag, MPI_COMM_WORLD, &requests[i]);
    if (i > 0) total_s += now_s() - begin_s - clock_s;
  }
  MPI_Waitall(kBurst, requests, MPI_STATUSES_IGNORE);
  MPI_Recv(NULL, 0, MPI_BYTE, server, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return total_s / (kBurst - 1);
}

static double timed_receives(int server, int64_t bytes, double pause_s) {
  double result_s = 0;
  command(server, kTimedReceives, bytes, 0, pause_s);
  await_ready(server);
  for (int i = 0; i < kBurst; ++i) MPI_Send(part(0, bytes), (int)bytes, MPI_BYTE, server, kTag, MPI_COMM_WORLD);
  MPI_Recv(&result_s, 1, MPI_DOUBLE, server, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return result_s;
}

// Whether a send waits for a receiver that is late. Between a quarter and three quarters of the delay is no answer.
static int send_waits(int server, int64_t bytes) {
  double round_trips_s[2];
  ping_pongs(server, bytes, 2, round_trips_s);
  const double late_s = 0.04 + 4 * (round_trips_s[0] < round_trips_s[1] ? round_trips_s[0] : round_trips_s[1]);
  double taken_s = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    command(server, kLateReceive, bytes, 0, late_s);
    await_ready(server);
    const double begin_s = now_s();
    MPI_Send(part(0, bytes), (int)bytes, MPI_BYTE, server, kTag, MPI_COMM_WORLD);
    taken_s = now_s() - begin_s;
    if (taken_s < 0.25 * late_s || taken_s > 0.75 * late_s) break;
  }
  return taken_s > 0.5 * late_s;
}

// The largest message whose send does not wait; -1: all do.
static int64_t find_sync(int server, int64_t largest) {
  if (send_waits(server, 0)) {
    printf("sync_below_zero\n");
    return -1;
  }
  // Powers of two first: 2^below does not wait (or is no size, -1), 2^above does or is not tried.
  int below = -1;
  int above = 0;
  while (((int64_t)1 << above) <= largest) ++above;
  const int untried = above;
  while (above - below > 1) {
    const int middle = (below + above) / 2;
    if (send_waits(server, (int64_t)1 << middle)) {
      above = middle;
    } else {
      below = middle;
    }
  }
  if (above == untried) {
    printf("sync none\n");
    return INT64_MAX;
  }
  int64_t passes = below < 0 ? 0 : (int64_t)1 << below;
  int64_t waits = (int64_t)1 << above;
  while (waits - passes > 1) {
    const int64_t middle = passes + (waits - passes) / 2;
    if (send_waits(server, middle)) {
      waits = middle;
    } else {
      passes = middle;
    }
  }
  printf("sync %lld\n", (long long)passes);
  return passes;
}

static void measure_size(int server, int64_t bytes, double budget_s, double clock_s, int overheads) {
  static double round_trips[kMostRepeats];
  static double gaps[kMostRepeats];
  static double sends[kMostRepeats];
  static double receives[kMostRepeats];
  int n_round_trips = 0;
  for (const double end_s = now_s() + 0.3 * budget_s; n_round_trips < 2 || now_s() < end_s;) {
    if (n_round_trips + 10 > kMostRepeats) break;
    const int count = n_round_trips == 0 ? 2 : 3;
    ping_pongs(server, bytes, count, round_trips + n_round_trips);
    n_round_trips += count;
  }
  qsort(round_trips, (size_t)n_round_trips, sizeof(double), compare);
  const double round_trip_s = quantile(round_trips, n_round_trips, 0.5);

  int n_gaps = 0;
  const int least_gaps = burst(server, bytes) > 0.4 * budget_s ? 1 : 3;
  for (const double end_s = now_s() + 0.4 * budget_s; n_gaps < least_gaps || now_s() < end_s;) {
    if (n_gaps == kMostRepeats) break;
    gaps[n_gaps++] = (burst(server, bytes) - round_trip_s) / (kBurst - 1);
  }
  qsort(gaps, (size_t)n_gaps, sizeof(double), compare);

  int n_overheads = 0;
  for (const double end_s = now_s() + 0.3 * budget_s; overheads && (n_overheads < 1 || now_s() < end_s);) {
    if (n_overheads == kMostRepeats) break;
    sends[n_overheads] = paced(server, bytes, round_trip_s, clock_s);
    receives[n_overheads++] = timed_receives(server, bytes, round_trip_s);
  }
  qsort(sends, (size_t)n_overheads, sizeof(double), compare);
  qsort(receives, (size_t)n_overheads, sizeof(double), compare);

  printf("size %lld half_round_trip", (long long)bytes);
  for (int q = 1; q < 10; q += 4) printf(" %.9e", 0.5 * quantile(round_trips, n_round_trips, 0.1 * q));
  printf(" gap");
  for (int q = 1; q < 10; q += 4) printf(" %.9e", quantile(gaps, n_gaps, 0.1 * q));
  printf(" send_overhead %.9e receive_overhead %.9e repeats %d\n",
         n_overheads > 0 ? quantile(sends, n_overheads, 0.5) : NAN,
         n_overheads > 0 ? quantile(receives, n_overheads, 0.5) : NAN, n_round_trips);
  fflush(stdout);
}

static double reduction_s_per_byte(void) {
  enum { kDoubles = 32768 };
  double* from = calloc(kDoubles, sizeof(double));
  double* to = calloc(kDoubles, sizeof(double));
  double taken_s[21];
  if (from == NULL || to == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int i = 0; i < 21; ++i) {
    const double begin_s = now_s();
    MPI_Reduce_local(from, to, kDoubles, MPI_DOUBLE, MPI_SUM);
    taken_s[i] = now_s() - begin_s;
  }
  free(from);
  free(to);
  qsort(taken_s, 21, sizeof(double), compare);
  return taken_s[10] / (kDoubles * sizeof(double));
}

static double copy_s_per_byte(void) {
  enum { kBytes = 1 << 24, kTimes = 7 };
  char* from = malloc(kBytes);
  char* to = malloc(kBytes);
  double taken_s[kTimes];
  if (from == NULL || to == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  memset(from, 1, kBytes);  // so that both have pages of their own
  memset(to, 2, kBytes);
  for (int i = 0; i < kTimes; ++i) {
    const double begin_s = now_s();
    memcpy(to, from, kBytes);
    taken_s[i] = now_s() - begin_s;
    from[i] = to[kBytes - 1 - i];  // so that no copy may be left out
  }
  free(from);
  free(to);
  qsort(taken_s, kTimes, sizeof(double), compare);
  return taken_s[kTimes / 2] / kBytes;
}

// The seconds by which rank 0's first round trip with each other rank is longer than its second, by rank; for at most
// kMostFirst of them. Nothing has been sent before, so that MPI makes a connection for the first, where it does so at
// all.
static void first_round_trips(int rank, int n_ranks, double* longer_s) {
  // Ranks come out of MPI_Init one after another, and no message may be sent to find out when the last one has.
  const struct timespec until_all_wait = {0, 300000000};
  char byte = 0;
  if (rank == 0) nanosleep(&until_all_wait, NULL);
  for (int other = 1; other < n_ranks && other <= kMostFirst; ++other) {
    double taken_s[2];
    for (int i = 0; i < 2; ++i) {
      const double begin_s = now_s();
      if (rank == 0) {
        MPI_Send(&byte, 1, MPI_BYTE, other, kTag, MPI_COMM_WORLD);
        MPI_Recv(&byte, 1, MPI_BYTE, other, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == other) {
        MPI_Recv(&byte, 1, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&byte, 1, MPI_BYTE, 0, kTag, MPI_COMM_WORLD);
      }
      taken_s[i] = now_s() - begin_s;
    }
    longer_s[other] = taken_s[0] > taken_s[1] ? taken_s[0] - taken_s[1] : 0;
  }
}

// The median of those that share rank 0's host, or of those that do not.
static double connect_s(const char* hosts, int n_ranks, int apart, const double* longer_s) {
  double of_class[kMostFirst];
  int n = 0;
  for (int r = 1; r < n_ranks && r <= kMostFirst; ++r) {
    if ((strcmp(hosts, hosts + (size_t)r * kHostLength) != 0) == apart) of_class[n++] = longer_s[r];
  }
  qsort(of_class, (size_t)n, sizeof(double), compare);
  return n == 0 ? 0 : quantile(of_class, n, 0.5);
}

// Segments that TCP of this node sent again since it started; -1 where the system does not tell.
static long retransmitted_segments(void) {
  char names[4096];
  char values[4096];
  long result = -1;
  FILE* file = fopen("/proc/self/net/snmp", "r");
  if (file == NULL) return -1;
  // Each protocol has two lines: names in the first, values in the second.
  while (fgets(names, sizeof names, file) != NULL && fgets(values, sizeof values, file) != NULL) {
    if (strncmp(names, "Tcp:", 4) != 0) continue;
    char* next_name = names;
    char* next_value = values;
    for (;;) {
      const char* name = strsep(&next_name, " \n");
      const char* value = strsep(&next_value, " \n");
      if (name == NULL || value == NULL) break;
      if (strcmp(name, "RetransSegs") == 0) result = atol(value);
    }
  }
  fclose(file);
  return result;
}

// All to all; the median over repeats of the slowest rank's time: seven, or three where they take longer than usual_s,
// or fewer where they, with one more before them, take longer than most_s.
// *retransmitted: segments that all nodes sent again during those repeats, for rank 0; -1 where a node does not tell.
static double exchange_s(int rank, int n_ranks, int64_t bytes, double usual_s, double most_s, long* retransmitted) {
  enum { kRepeats = 7, kLeastRepeats = 3 };
  double taken_s[kRepeats];
  double all_s = 0;
  int n_taken = 0;
  char* from = calloc((size_t)n_ranks, (size_t)bytes);
  char* to = calloc((size_t)n_ranks, (size_t)bytes);
  MPI_Request* requests = calloc(2 * (size_t)n_ranks, sizeof *requests);
  if (from == NULL || to == NULL || requests == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  long before = 0;
  double first_s = 0;  // makes connections
  for (int i = -1; i < kRepeats; ++i) {
    const int enough = n_taken >= kLeastRepeats ? all_s >= usual_s : n_taken > 0 && first_s + all_s >= most_s;
    if (enough) break;
    if (i == 0) before = retransmitted_segments();
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = now_s();
    int n = 0;
    for (int k = 1; k < n_ranks; ++k) {
      const int other = (rank + k) % n_ranks;
      MPI_Irecv(to + other * bytes, (int)bytes, MPI_BYTE, other, kTag, MPI_COMM_WORLD, &requests[n++]);
    }
    for (int k = 1; k < n_ranks; ++k) {
      const int other = (rank + k) % n_ranks;
      MPI_Isend(from + other * bytes, (int)bytes, MPI_BYTE, other, kTag, MPI_COMM_WORLD, &requests[n++]);
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    const double mine_s = now_s() - begin_s;
    double slowest_s = 0;
    MPI_Allreduce(&mine_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (i < 0) first_s = slowest_s;
    if (i < 0) continue;
    taken_s[n_taken++] = slowest_s;
    all_s += slowest_s;
  }
  free(from);
  free(to);
  free(requests);
  const long after = retransmitted_segments();
  const int tells = before >= 0 && after >= before;
  const long mine[2] = {tells ? after - before : 0, tells ? 0 : 1};
  long all[2] = {0, 0};
  MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  *retransmitted = all[1] == 0 ? all[0] : -1;
  qsort(taken_s, (size_t)n_taken, sizeof(double), compare);
  return taken_s[n_taken / 2];
}

// Whether no two of the ranks share a host.
static int all_apart(const char* hosts, int n_ranks) {
  for (int a = 0; a < n_ranks; ++a) {
    for (int b = 0; b < a; ++b) {
      if (strcmp(hosts + (size_t)a * kHostLength, hosts + (size_t)b * kHostLength) == 0) return 0;
    }
  }
  return 1;
}

// No size is begun after end_s, but the first eight.
static void measure_link(int server, double budget_s, int64_t largest_sync, double end_s, int n_sizes,
                         const int64_t* sizes) {
  const double clock_s = clock_cost_s();
  double warm_up[10];
  const double warm_s = now_s() + 0.5;
  for (int i = 0; i < 5 && (i == 0 || now_s() < warm_s); ++i) ping_pongs(server, 8, 10, warm_up);
  const int64_t sync = largest_sync > 0 ? find_sync(server, largest_sync) : -1;
  fflush(stdout);
  for (int i = 0; i < n_sizes && (i < kLeastSizes || now_s() < end_s); ++i) {
    measure_size(server, sizes[i], budget_s, clock_s, sizes[i] <= sync);
  }
  command(server, kStop, 0, 0, 0);
}

// Ranks that sleep take no core from those that measure.
static void until_end(int asleep) {
  MPI_Request request;
  int over = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  if (!asleep) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  while (!over) {
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    MPI_Test(&request, &over, MPI_STATUS_IGNORE);
  }
}

static void shuffle(int64_t* values, int n, uint64_t state) {
  for (int i = n - 1; i > 0; --i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const int other = (int)((state >> 33) % (uint64_t)(i + 1));
    const int64_t value = values[i];
    values[i] = values[other];
    values[other] = value;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double begun_s = now_s();
  int rank = 0;
  int n_ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  const int asleep = argc > 4 && strcmp(argv[4], "sleep") == 0;
  if (argc < 7 || n_ranks < 2 || (!asleep && strcmp(argv[4], "wait") != 0)) {
    if (rank == 0)
      fprintf(stderr, "network_probe: wants two ranks and BUDGET_S SEED MAX_SYNC sleep|wait MOST_S SIZE...\n");
    MPI_Finalize();
    return 2;
  }
  const double budget_s = atof(argv[1]);
  const int64_t largest_sync = atoll(argv[3]);
  const double most_s = atof(argv[5]);
  const int n_sizes = argc - 6;
  int64_t* sizes = calloc((size_t)n_sizes, sizeof *sizes);
  if (sizes == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  int64_t largest = largest_sync > 0 ? 2 * largest_sync / kBurst + 1 : 1;
  for (int i = 0; i < n_sizes; ++i) {
    sizes[i] = atoll(argv[6 + i]);
    if (sizes[i] > largest) largest = sizes[i];
  }
  double longer_s[kMostFirst + 1] = {0};
  if (largest_sync > 0) first_round_trips(rank, n_ranks, longer_s);

  char host[kHostLength] = "";
  int length = 0;
  MPI_Get_processor_name(host, &length);
  char* hosts = calloc((size_t)n_ranks, kHostLength);
  if (hosts == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Allgather(host, kHostLength, MPI_CHAR, hosts, kHostLength, MPI_CHAR, MPI_COMM_WORLD);
  int servers[2] = {0, 0};  // on rank 0's node, on another
  for (int r = n_ranks - 1; r > 0; --r) servers[strcmp(hosts, hosts + (size_t)r * kHostLength) != 0] = r;
  if (rank == 0 || rank == servers[0] || rank == servers[1]) {
    buffer_bytes = kBurst * ((largest + kLine - 1) / kLine * kLine);
    if (largest >= kLarge && buffer_bytes < kBeyondCaches) buffer_bytes = kBeyondCaches;
    buffer = aligned_alloc(kLine, (size_t)buffer_bytes);
    if (buffer == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
    memset(buffer, 1, (size_t)buffer_bytes);
  }
  shuffle(sizes, n_sizes, strtoull(argv[2], NULL, 10));
  const int exchanges = largest_sync > 0 && n_ranks > 2 && n_ranks <= kMostExchanging && all_apart(hosts, n_ranks);
  const int64_t exchanged = largest_sync < kMostExchangedBytes ? largest_sync : kMostExchangedBytes;
  long retransmitted = -1;
  const double exchanged_s =
      exchanges ? exchange_s(rank, n_ranks, exchanged, 10 * budget_s, most_s / 3, &retransmitted) : 0;

  if (rank == 0) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    printf("scalediag-network-probe 3\nlibrary %s\nranks %d\nreduction %.9e\ncopy %.9e\n", library, n_ranks,
           reduction_s_per_byte(), copy_s_per_byte());
    if (exchanges) printf("exchange %lld %.9e\n", (long long)exchanged, exchanged_s);
    if (retransmitted >= 0) printf("retransmitted %ld\n", retransmitted);
    for (int other = 0; other < 2; ++other) {
      if (servers[other] == 0) continue;
      printf("link %s %s %s\n", other ? "other_node" : "same_node", hosts,
             hosts + (size_t)servers[other] * kHostLength);
      if (largest_sync > 0) printf("connect %.9e\n", connect_s(hosts, n_ranks, other, longer_s));
      // The first of two classes has half of the time.
      const double left_s = begun_s + most_s - now_s();
      const double share = other == 0 && servers[1] != 0 ? 0.5 : 1;
      measure_link(servers[other], budget_s, largest_sync, now_s() + share * left_s, n_sizes, sizes);
    }
    printf("took %.9e\nend\n", now_s() - begun_s);
    fflush(stdout);
  } else if (rank == servers[0] || rank == servers[1]) {
    serve(0);
  }
  until_end(asleep);
  free(hosts);
  free(buffer);
  free(sizes);
  MPI_Finalize();
  return 0;
}
