// A halo of N x N numbers in a plane of ranks, exchanged ROUNDS times: `halo neighbor|begun|fence|post|lock|atomics N
// ROUNDS [MICROSECONDS of work]`. Each way of exchanging must bring the same numbers.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSides = 4 };
static int n_below[kSides];  // neighbours: below and above in each dimension
static int counts[kSides], offsets[kSides];
static double *sent, *halo;
static MPI_Comm plane;

static void work(double seconds) {
  const double until = MPI_Wtime() + seconds;
  while (MPI_Wtime() < until) {
  }
}

// Where the values of this side stand in the window of the rank there, which has the opposite side.
static MPI_Aint place(int side) {
  MPI_Aint at = 0;
  for (int i = 0; i < (side ^ 1); ++i) at += counts[i];
  return at;
}

static void put_all(MPI_Win win) {
  for (int i = 0; i < kSides; ++i)
    MPI_Put(sent + offsets[i], counts[i], MPI_DOUBLE, n_below[i], place(i), counts[i], MPI_DOUBLE, win);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4) return fprintf(stderr, "halo WAY N ROUNDS [MICROSECONDS]\n"), 2;
  const char* way = argv[1];
  const int n = atoi(argv[2]), rounds = atoi(argv[3]);
  const double seconds = argc > 4 ? 1e-6 * atof(argv[4]) : 0;
  int ranks, rank, sides[2] = {0, 0}, at[2], periods[2] = {0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, sides);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, 0, &plane);
  MPI_Comm_rank(plane, &rank);
  MPI_Cart_coords(plane, rank, 2, at);
  int total = 0;
  for (int d = 0; d < 2; ++d) {
    MPI_Cart_shift(plane, d, 1, &n_below[2 * d], &n_below[2 * d + 1]);
    for (int side = 2 * d; side < 2 * d + 2; ++side) {
      counts[side] = n / sides[1 - d];
      offsets[side] = total;
      total += counts[side];
    }
  }
  sent = malloc(sizeof(double) * total);
  MPI_Win win = MPI_WIN_NULL;
  MPI_Group all, beside;
  int partners[kSides], n_partners = 0;
  const int is_windowed = strcmp(way, "neighbor") != 0 && strcmp(way, "begun") != 0;
  if (is_windowed) {
    double* base = strcmp(way, "lock") == 0 ? sent : NULL;
    if (base != NULL) {
      MPI_Win_create(sent, sizeof(double) * total, sizeof(double), MPI_INFO_NULL, plane, &win);
      halo = malloc(sizeof(double) * total);
    } else {
      MPI_Win_allocate(sizeof(double) * total, sizeof(double), MPI_INFO_NULL, plane, &halo, &win);
    }
    MPI_Comm_group(plane, &all);
    for (int i = 0; i < kSides; ++i)
      if (n_below[i] != MPI_PROC_NULL) partners[n_partners++] = n_below[i];
    MPI_Group_incl(all, n_partners, partners, &beside);
  } else {
    halo = malloc(sizeof(double) * total);
  }
  memset(halo, 0, sizeof(double) * total);
  if (strcmp(way, "fence") == 0) MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Barrier(plane);
  const double begin = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < total; ++i) sent[i] = 1000.0 * round + rank;
    work(seconds);
    if (strcmp(way, "neighbor") == 0) {
      MPI_Neighbor_alltoallv(sent, counts, offsets, MPI_DOUBLE, halo, counts, offsets, MPI_DOUBLE, plane);
    } else if (strcmp(way, "begun") == 0) {
      MPI_Request request;
      MPI_Ineighbor_alltoallv(sent, counts, offsets, MPI_DOUBLE, halo, counts, offsets, MPI_DOUBLE, plane, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(way, "fence") == 0) {
      put_all(win);
      MPI_Win_fence(0, win);
    } else if (strcmp(way, "post") == 0) {
      MPI_Win_post(beside, 0, win);
      MPI_Win_start(beside, 0, win);
      put_all(win);
      MPI_Win_complete(win);
      MPI_Win_wait(win);
    } else if (strcmp(way, "lock") == 0) {
      MPI_Barrier(plane);
      for (int i = 0; i < kSides; ++i) {
        if (n_below[i] == MPI_PROC_NULL) continue;
        MPI_Win_lock(MPI_LOCK_SHARED, n_below[i], 0, win);
        MPI_Get(halo + offsets[i], counts[i], MPI_DOUBLE, n_below[i], place(i), counts[i], MPI_DOUBLE, win);
        MPI_Win_unlock(n_below[i], win);
      }
      MPI_Barrier(plane);
    } else {
      // Everybody adds to the first number of rank 0, one after another, and asks for it.
      double one = 1, was = 0;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      MPI_Fetch_and_op(&one, &was, MPI_DOUBLE, 0, 0, MPI_SUM, win);
      MPI_Win_flush(0, win);
      MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, win);
      MPI_Win_unlock(0, win);
    }
    for (int i = 0; i < kSides; ++i) {
      if (n_below[i] == MPI_PROC_NULL || strcmp(way, "atomics") == 0) continue;
      if (halo[offsets[i]] != 1000.0 * round + n_below[i]) {
        fprintf(stderr, "rank %d, side %d: %g\n", rank, i, halo[offsets[i]]);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
    // A rank may put the next round's numbers only when these have been looked at.
    if (strcmp(way, "fence") == 0) MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT, win);
  }
  const double took = MPI_Wtime() - begin;
  double longest;
  MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, plane);
  if (rank == 0) printf("%s: %.6f s\n", way, longest);
  if (is_windowed) MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
