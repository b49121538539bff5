// The duration of messages and collectives, measured plainly: the truth for network_parameters.py and collectives.py.
//
//   network_times ping_pong REPEATS BYTES...           half round trips between ranks 0 and 1
//   network_times COLLECTIVE REPEATS CALLS BYTES...    barrier bcast reduce allreduce allgather alltoall
//
// A line for each size and repeat on stdout: BYTES SECONDS. BYTES are of the whole buffer for bcast, reduce and
// allreduce, of one rank's block for allgather and alltoall. SECONDS of a collective: CALLS of it one after another
// begin behind a barrier; the time of the rank that takes longest, divided by CALLS. Roots go round, or the root of
// one call would be done with the next before others have begun.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;
static char *sent, *received;

static double half_round_trip_s(int bytes) {
  enum { kTrips = 5 };
  const double begin_s = MPI_Wtime();
  for (int i = 0; i < kTrips; ++i) {
    if (rank == 0) {
      MPI_Send(sent, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(received, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(received, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(sent, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
  return (MPI_Wtime() - begin_s) / kTrips / 2;
}

static void call(const char *what, int bytes, int root) {
  const MPI_Comm world = MPI_COMM_WORLD;
  if (strcmp(what, "barrier") == 0) {
    MPI_Barrier(world);
  } else if (strcmp(what, "bcast") == 0) {
    MPI_Bcast(sent, bytes, MPI_BYTE, root, world);
  } else if (strcmp(what, "reduce") == 0) {
    MPI_Reduce(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, root, world);
  } else if (strcmp(what, "allreduce") == 0) {
    MPI_Allreduce(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, world);
  } else if (strcmp(what, "allgather") == 0) {
    MPI_Allgather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, world);
  } else if (strcmp(what, "alltoall") == 0) {
    MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, world);
  } else {
    fprintf(stderr, "network_times: unknown: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static double longest_s(const char *what, int bytes, int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call(what, bytes, i % ranks);
  const double mine_s = MPI_Wtime() - begin_s;
  double longest = 0;
  MPI_Allreduce(&mine_s, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest / calls;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4 || ranks < 2) {
    if (rank == 0) fprintf(stderr, "network_times WHAT REPEATS [CALLS] BYTES..., at least two ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int is_ping_pong = strcmp(argv[1], "ping_pong") == 0;
  const int repeats = atoi(argv[2]);
  const int calls = is_ping_pong ? 1 : atoi(argv[3]);
  const int first = is_ping_pong ? 3 : 4;
  size_t largest = 8;
  for (int i = first; i < argc; ++i) {
    if ((size_t)atoi(argv[i]) > largest) largest = (size_t)atoi(argv[i]);
  }
  sent = calloc((size_t)ranks, largest);
  received = calloc((size_t)ranks, largest);
  if (sent == NULL || received == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = first; i < argc; ++i) {
    const int bytes = atoi(argv[i]);
    for (int repeat = -1; repeat < repeats; ++repeat) {  // the first, which makes connections, is not printed
      const double seconds = is_ping_pong ? half_round_trip_s(bytes) : longest_s(argv[1], bytes, calls);
      if (rank == 0 && repeat >= 0) printf("%d %.9f\n", bytes, seconds);
    }
    fflush(stdout);
  }
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
