// When does a rank answer the handshake of a large message: at once, or in its next call that waits? For two ranks.
//
//   mpirun -n 2 progress [MIDDLE [BYTES]]
//
// MIDDLE is a call that the computing rank makes in the middle of its 0.5 s: none, test, iprobe, send, isend, irecv.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* middle = "none";
static double begin;

static void compute_until(double s) {
  while (MPI_Wtime() < begin + s) {
  }
}

static void call(int other, MPI_Request* large) {
  static int in = 0;
  static int out = 1;
  int flag = 0;
  MPI_Request small = MPI_REQUEST_NULL;
  if (strcmp(middle, "test") == 0) MPI_Test(large, &flag, MPI_STATUS_IGNORE);
  if (strcmp(middle, "iprobe") == 0) MPI_Iprobe(other, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  if (strcmp(middle, "send") == 0) MPI_Send(&out, 1, MPI_INT, other, 50, MPI_COMM_WORLD);
  if (strcmp(middle, "isend") == 0) MPI_Isend(&out, 1, MPI_INT, other, 50, MPI_COMM_WORLD, &small);
  if (strcmp(middle, "irecv") == 0) MPI_Irecv(&in, 1, MPI_INT, other, 60, MPI_COMM_WORLD, &small);
  if (strcmp(middle, "irecv") == 0) MPI_Cancel(&small);
  if (small != MPI_REQUEST_NULL) MPI_Request_free(&small);
}

static void tell(const char* what) { printf("%s: %s %.3f\n", middle, what, MPI_Wtime() - begin); }

static void start(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  begin = MPI_Wtime();
}

static void compute_while_sending(int rank, char* message, int n) {
  start();
  if (rank == 1) {
    MPI_Recv(message, n, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tell("the sender computes until 0.5, the message is there at");
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(message, n, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
  compute_until(0.25);
  call(1, &request);
  compute_until(0.5);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The receive is posted at posted_s, the send begins at 0.05.
static void compute_while_receiving(int rank, char* message, int n, double posted_s) {
  start();
  if (rank == 0) {
    compute_until(0.05);
    MPI_Send(message, n, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    tell(posted_s > 0 ? "the receiver posts at 0.35 and computes until 0.5, the send is over at"
                      : "the receiver posts at 0 and computes until 0.5, the send is over at");
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  if (posted_s == 0) MPI_Irecv(message, n, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &request);
  compute_until(0.25);
  call(0, &request);
  compute_until(posted_s);
  if (posted_s > 0) MPI_Irecv(message, n, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &request);
  compute_until(0.5);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1) middle = argv[1];
  const int n = argc > 2 ? atoi(argv[2]) : 1000000;
  char* message = calloc((size_t)n, 1);
  char* other = calloc((size_t)n, 1);
  // So that ranks are connected.
  MPI_Sendrecv(message, n, MPI_CHAR, 1 - rank, 0, other, n, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  compute_while_sending(rank, message, n);
  compute_while_receiving(rank, message, n, 0);
  compute_while_receiving(rank, message, n, 0.35);
  MPI_Barrier(MPI_COMM_WORLD);
  free(message);
  free(other);
  MPI_Finalize();
  return 0;
}
