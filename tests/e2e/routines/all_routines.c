/* Calls every intercepted MPI routine a known number of times with known sizes, on 3 ranks.
 * expected_routines.py derives the numbers, section by section in the order of this file;
 * all_routines.F90 makes the same calls from Fortran. Change the three together. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { P = 3, kRoom = 1000 };

static double s[kRoom], t[kRoom];
static int r, left, right;
static MPI_Comm W;

#define NOSTATUS MPI_STATUS_IGNORE
#define NOSTATUSES MPI_STATUSES_IGNORE
#define DOUBLES(buffer, n) buffer, n, MPI_DOUBLE

static void wait_for(MPI_Request* q) { MPI_Wait(q, NOSTATUS); }

static void point_to_point(void) {
  MPI_Request q[2];
  MPI_Message m;
  int flag;

  MPI_Irecv(DOUBLES(t, 20), left, 1, W, q);
  MPI_Send(DOUBLES(s, 11), right, 1, W);
  wait_for(q);
  MPI_Irecv(DOUBLES(t, 20), left, 1, W, q);
  MPI_Bsend(DOUBLES(s, 12), right, 1, W);
  wait_for(q);
  MPI_Irecv(DOUBLES(t, 20), left, 1, W, q);
  MPI_Ssend(DOUBLES(s, 13), right, 1, W);
  wait_for(q);
  MPI_Irecv(DOUBLES(t, 20), left, 1, W, q);
  MPI_Barrier(W);
  MPI_Rsend(DOUBLES(s, 14), right, 1, W);
  wait_for(q);

  MPI_Isend(DOUBLES(s, 15), right, 2, W, q);
  MPI_Recv(DOUBLES(t, 21), left, 2, W, NOSTATUS);
  wait_for(q);
  MPI_Sendrecv(DOUBLES(s, 16), right, 3, DOUBLES(t, 30), left, 3, W, NOSTATUS);
  MPI_Sendrecv_replace(DOUBLES(s, 17), right, 3, left, 3, W, NOSTATUS);

  MPI_Isend(DOUBLES(s, 18), right, 4, W, q);
  MPI_Probe(left, 4, W, NOSTATUS);
  MPI_Recv(DOUBLES(t, 18), left, 4, W, NOSTATUS);
  wait_for(q);
  MPI_Isend(DOUBLES(s, 19), right, 5, W, q);
  MPI_Mprobe(left, 5, W, &m, NOSTATUS);
  MPI_Mrecv(DOUBLES(t, 22), &m, NOSTATUS);
  wait_for(q);
  /* After Probe has seen the message, Improbe finds it at once. */
  MPI_Isend(DOUBLES(s, 23), right, 6, W, q);
  MPI_Probe(left, 6, W, NOSTATUS);
  MPI_Improbe(left, 6, W, &flag, &m, NOSTATUS);
  MPI_Imrecv(DOUBLES(t, 24), &m, q + 1);
  MPI_Waitall(2, q, NOSTATUSES);

  for (int i = 0; i < 100; ++i) MPI_Iprobe(MPI_PROC_NULL, 1, W, &flag, NOSTATUS);
  MPI_Improbe(MPI_PROC_NULL, 1, W, &flag, &m, NOSTATUS);
  MPI_Mrecv(DOUBLES(t, 5), &m, NOSTATUS);
  MPI_Improbe(MPI_PROC_NULL, 1, W, &flag, &m, NOSTATUS);
  MPI_Imrecv(DOUBLES(t, 5), &m, q);
  wait_for(q);

  MPI_Irecv(DOUBLES(t, 28), left, 7, W, q);
  MPI_Ibsend(DOUBLES(s, 25), right, 7, W, q + 1);
  MPI_Waitall(2, q, NOSTATUSES);
  MPI_Irecv(DOUBLES(t, 28), left, 7, W, q);
  MPI_Issend(DOUBLES(s, 26), right, 7, W, q + 1);
  MPI_Waitall(2, q, NOSTATUSES);
  MPI_Irecv(DOUBLES(t, 28), left, 7, W, q);
  MPI_Barrier(W);
  MPI_Irsend(DOUBLES(s, 27), right, 7, W, q + 1);
  MPI_Waitall(2, q, NOSTATUSES);

  MPI_Send(DOUBLES(s, 99), MPI_PROC_NULL, 8, W);
  MPI_Recv(DOUBLES(t, 99), MPI_PROC_NULL, 8, W, NOSTATUS);
  MPI_Irecv(DOUBLES(t, 0), left, 8, W, q);
  MPI_Send(DOUBLES(s, 0), right, 8, W);
  wait_for(q);

#if MPI_VERSION >= 4
  MPI_Isendrecv(DOUBLES(s, 61), right, 9, DOUBLES(t, 70), left, 9, W, q);
  wait_for(q);
  MPI_Isendrecv_replace(DOUBLES(s, 62), right, 9, left, 9, W, q);
  wait_for(q);
#endif
}

/* The second type may get the handle of the first. */
static void derived_types(void) {
  MPI_Datatype type;
  MPI_Request q;
  int numbers[5] = {0};

  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Irecv(DOUBLES(t, 12), left, 10, W, &q);
  MPI_Send(s, 2, type, right, 10, W);
  wait_for(&q);
  MPI_Type_free(&type);

  MPI_Type_contiguous(5, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Irecv(numbers, 5, MPI_INT, left, 11, W, &q);
  MPI_Send(s, 1, type, right, 11, W);
  wait_for(&q);
  MPI_Type_free(&type);
}

static void start_twice_and_free(MPI_Request q[2]) {
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, q);
    MPI_Waitall(2, q, NOSTATUSES);
  }
  MPI_Request_free(q);
  MPI_Request_free(q + 1);
}

static void persistent(void) {
  MPI_Request q[2];
  MPI_Recv_init(DOUBLES(t, 40), left, 12, W, q);
  MPI_Send_init(DOUBLES(s, 31), right, 12, W, q + 1);
  start_twice_and_free(q);
  MPI_Recv_init(DOUBLES(t, 40), left, 13, W, q);
  MPI_Bsend_init(DOUBLES(s, 32), right, 13, W, q + 1);
  start_twice_and_free(q);
  MPI_Recv_init(DOUBLES(t, 40), left, 14, W, q);
  MPI_Ssend_init(DOUBLES(s, 33), right, 14, W, q + 1);
  start_twice_and_free(q);

  MPI_Recv_init(DOUBLES(t, 40), left, 15, W, q);
  MPI_Rsend_init(DOUBLES(s, 34), right, 15, W, q + 1);
  MPI_Start(q);
  MPI_Barrier(W);
  MPI_Start(q + 1);
  MPI_Waitall(2, q, NOSTATUSES);
  MPI_Request_free(q);
  MPI_Request_free(q + 1);

  MPI_Send_init(DOUBLES(s, 50), MPI_PROC_NULL, 15, W, q);
  MPI_Start(q);
  wait_for(q);
  MPI_Request_free(q);
}

static void completion(void) {
  MPI_Request q[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int index, flag, indices[2];
  wait_for(q);
  MPI_Waitany(2, q, &index, NOSTATUS);
  MPI_Waitall(2, q, NOSTATUSES);
  MPI_Waitsome(2, q, &index, indices, NOSTATUSES);
  for (int i = 0; i < 70; ++i) MPI_Test(q, &flag, NOSTATUS);
  MPI_Testany(2, q, &index, &flag, NOSTATUS);
  MPI_Testall(2, q, &flag, NOSTATUSES);
  MPI_Testsome(2, q, &index, indices, NOSTATUSES);
  MPI_Request_get_status(q[0], &flag, NOSTATUS);
  MPI_Irecv(DOUBLES(t, 1), left, 999, W, q);
  MPI_Cancel(q);
  wait_for(q);
}

/* The arguments that all collectives share; root is rank 1. */
enum { kRoot = 1 };
static int ranked[P], offsets[P];            /* i + 1 elements from or to rank i */
static int pairwise[P], pairwise_offsets[P]; /* r + i + 1 elements between ranks r and i */
static int byte_offsets[P];
static MPI_Datatype pairwise_types[P]; /* MPI_INT where r + i is even, else MPI_DOUBLE */
static int ones[P];

static void prepare_collectives(void) {
  for (int i = 0; i < P; ++i) {
    ranked[i] = i + 1;
    offsets[i] = 10 * i;
    pairwise[i] = r + i + 1;
    pairwise_offsets[i] = 10 * i;
    byte_offsets[i] = 80 * i;
    pairwise_types[i] = (r + i) % 2 == 0 ? MPI_INT : MPI_DOUBLE;
    ones[i] = i + 1;
  }
}

static void collectives(void) {
  const void* in_place_at_root = r == kRoot ? MPI_IN_PLACE : s;
  MPI_Barrier(W);
  MPI_Bcast(DOUBLES(s, 41), kRoot, W);
  MPI_Gather(DOUBLES(s, 3), DOUBLES(t, 3), kRoot, W);
  MPI_Gather(in_place_at_root, 4, MPI_DOUBLE, DOUBLES(t, 4), kRoot, W);
  MPI_Gatherv(DOUBLES(s, r + 1), t, ranked, offsets, MPI_DOUBLE, kRoot, W);
  MPI_Gatherv(in_place_at_root, r + 1, MPI_DOUBLE, t, ranked, offsets, MPI_DOUBLE, kRoot, W);
  MPI_Scatter(DOUBLES(s, 5), DOUBLES(t, 5), kRoot, W);
  MPI_Scatter(DOUBLES(s, 5), r == kRoot ? MPI_IN_PLACE : t, 5, MPI_DOUBLE, kRoot, W);
  MPI_Scatterv(s, ranked, offsets, MPI_DOUBLE, DOUBLES(t, r + 1), kRoot, W);
  MPI_Scatterv(s, ranked, offsets, MPI_DOUBLE, r == kRoot ? MPI_IN_PLACE : t, r + 1, MPI_DOUBLE, kRoot, W);
  MPI_Allgather(DOUBLES(s, 6), DOUBLES(t, 6), W);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, DOUBLES(t, 6), W);
  MPI_Allgatherv(DOUBLES(s, r + 1), t, ranked, offsets, MPI_DOUBLE, W);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t, ranked, offsets, MPI_DOUBLE, W);
  MPI_Alltoall(DOUBLES(s, 7), DOUBLES(t, 7), W);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, DOUBLES(t, 7), W);
  MPI_Alltoallv(s, pairwise, pairwise_offsets, MPI_DOUBLE, t, pairwise, pairwise_offsets, MPI_DOUBLE, W);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, t, pairwise, pairwise_offsets, MPI_DOUBLE, W);
  MPI_Alltoallw(s, pairwise, byte_offsets, pairwise_types, t, pairwise, byte_offsets, pairwise_types, W);
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, t, pairwise, byte_offsets, pairwise_types, W);
  MPI_Reduce(s, DOUBLES(t, 8), MPI_SUM, kRoot, W);
  MPI_Reduce(in_place_at_root, DOUBLES(t, 8), MPI_SUM, kRoot, W);
  MPI_Allreduce(s, DOUBLES(t, 9), MPI_SUM, W);
  MPI_Allreduce(MPI_IN_PLACE, DOUBLES(t, 9), MPI_SUM, W);
  MPI_Reduce_scatter(s, t, ones, MPI_DOUBLE, MPI_SUM, W);
  MPI_Reduce_scatter(MPI_IN_PLACE, t, ones, MPI_DOUBLE, MPI_SUM, W);
  MPI_Reduce_scatter_block(s, DOUBLES(t, 4), MPI_SUM, W);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, DOUBLES(t, 4), MPI_SUM, W);
  MPI_Scan(s, DOUBLES(t, 13), MPI_SUM, W);
  MPI_Exscan(s, DOUBLES(t, 14), MPI_SUM, W);
}

static void nonblocking_collectives(void) {
  const void* in_place_at_root = r == kRoot ? MPI_IN_PLACE : s;
  MPI_Request q;
#define FINISH wait_for(&q)
  MPI_Ibarrier(W, &q), FINISH;
  MPI_Ibcast(DOUBLES(s, 41), kRoot, W, &q), FINISH;
  MPI_Igather(DOUBLES(s, 3), DOUBLES(t, 3), kRoot, W, &q), FINISH;
  MPI_Igather(in_place_at_root, 4, MPI_DOUBLE, DOUBLES(t, 4), kRoot, W, &q), FINISH;
  MPI_Igatherv(DOUBLES(s, r + 1), t, ranked, offsets, MPI_DOUBLE, kRoot, W, &q), FINISH;
  MPI_Igatherv(in_place_at_root, r + 1, MPI_DOUBLE, t, ranked, offsets, MPI_DOUBLE, kRoot, W, &q), FINISH;
  MPI_Iscatter(DOUBLES(s, 5), DOUBLES(t, 5), kRoot, W, &q), FINISH;
  MPI_Iscatter(DOUBLES(s, 5), r == kRoot ? MPI_IN_PLACE : t, 5, MPI_DOUBLE, kRoot, W, &q), FINISH;
  MPI_Iscatterv(s, ranked, offsets, MPI_DOUBLE, DOUBLES(t, r + 1), kRoot, W, &q), FINISH;
  MPI_Iscatterv(s, ranked, offsets, MPI_DOUBLE, r == kRoot ? MPI_IN_PLACE : t, r + 1, MPI_DOUBLE, kRoot, W, &q), FINISH;
  MPI_Iallgather(DOUBLES(s, 6), DOUBLES(t, 6), W, &q), FINISH;
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, DOUBLES(t, 6), W, &q), FINISH;
  MPI_Iallgatherv(DOUBLES(s, r + 1), t, ranked, offsets, MPI_DOUBLE, W, &q), FINISH;
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t, ranked, offsets, MPI_DOUBLE, W, &q), FINISH;
  MPI_Ialltoall(DOUBLES(s, 7), DOUBLES(t, 7), W, &q), FINISH;
  MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, DOUBLES(t, 7), W, &q), FINISH;
  MPI_Ialltoallv(s, pairwise, pairwise_offsets, MPI_DOUBLE, t, pairwise, pairwise_offsets, MPI_DOUBLE, W, &q), FINISH;
  MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, t, pairwise, pairwise_offsets, MPI_DOUBLE, W, &q), FINISH;
  MPI_Ialltoallw(s, pairwise, byte_offsets, pairwise_types, t, pairwise, byte_offsets, pairwise_types, W, &q), FINISH;
  MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, t, pairwise, byte_offsets, pairwise_types, W, &q), FINISH;
  MPI_Ireduce(s, DOUBLES(t, 8), MPI_SUM, kRoot, W, &q), FINISH;
  MPI_Ireduce(in_place_at_root, DOUBLES(t, 8), MPI_SUM, kRoot, W, &q), FINISH;
  MPI_Iallreduce(s, DOUBLES(t, 9), MPI_SUM, W, &q), FINISH;
  MPI_Iallreduce(MPI_IN_PLACE, DOUBLES(t, 9), MPI_SUM, W, &q), FINISH;
  MPI_Ireduce_scatter(s, t, ones, MPI_DOUBLE, MPI_SUM, W, &q), FINISH;
  MPI_Ireduce_scatter(MPI_IN_PLACE, t, ones, MPI_DOUBLE, MPI_SUM, W, &q), FINISH;
  MPI_Ireduce_scatter_block(s, DOUBLES(t, 4), MPI_SUM, W, &q), FINISH;
  MPI_Ireduce_scatter_block(MPI_IN_PLACE, DOUBLES(t, 4), MPI_SUM, W, &q), FINISH;
  MPI_Iscan(s, DOUBLES(t, 13), MPI_SUM, W, &q), FINISH;
  MPI_Iexscan(s, DOUBLES(t, 14), MPI_SUM, W, &q), FINISH;
}

static void neighborhoods(void) {
  MPI_Comm grid, line, graph, ring, ring2;
  MPI_Request q;
  const int dims[1] = {P}, periods[1] = {0}, remain[1] = {1};
  const int index[P] = {2, 4, 6}, edges[2 * P] = {1, 2, 0, 2, 0, 1};
  const int sources[1] = {r}, degrees[1] = {1};
  /* On the line: 6 elements down, 7 up, so 7 arrive from below and 6 from above. */
  const int sends[2] = {6, 7}, receives[2] = {7, 6}, at[2] = {0, 10};
  const MPI_Aint bytes_at[2] = {0, 80};
  const MPI_Datatype send_types[2] = {MPI_INT, MPI_DOUBLE}, receive_types[2] = {MPI_DOUBLE, MPI_INT};
  const int fours[2] = {4, 4};

  MPI_Cart_create(W, 1, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, remain, &line);
  MPI_Graph_create(W, P, index, edges, 0, &graph);
  MPI_Dist_graph_create(W, 1, sources, degrees, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  MPI_Dist_graph_create_adjacent(W, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring2);

  MPI_Neighbor_allgather(DOUBLES(s, 3), DOUBLES(t, 3), line);
  MPI_Neighbor_allgather(DOUBLES(s, 2), DOUBLES(t, 2), graph);
  MPI_Neighbor_allgather(DOUBLES(s, 1), DOUBLES(t, 1), ring);
  MPI_Neighbor_allgatherv(DOUBLES(s, 4), t, fours, at, MPI_DOUBLE, line);
  MPI_Neighbor_alltoall(DOUBLES(s, 5), DOUBLES(t, 5), line);
  MPI_Neighbor_alltoallv(s, sends, at, MPI_DOUBLE, t, receives, at, MPI_DOUBLE, line);
  MPI_Neighbor_alltoallw(s, sends, bytes_at, send_types, t, receives, bytes_at, receive_types, line);

  MPI_Ineighbor_allgather(DOUBLES(s, 3), DOUBLES(t, 3), ring2, &q), FINISH;
  MPI_Ineighbor_allgatherv(DOUBLES(s, 4), t, fours, at, MPI_DOUBLE, ring2, &q), FINISH;
  MPI_Ineighbor_alltoall(DOUBLES(s, 5), DOUBLES(t, 5), ring2, &q), FINISH;
  MPI_Ineighbor_alltoallv(s, sends, at, MPI_DOUBLE, t, sends, at, MPI_DOUBLE, ring2, &q), FINISH;
  MPI_Ineighbor_alltoallw(s, sends, bytes_at, send_types, t, sends, bytes_at, send_types, ring2, &q), FINISH;

  MPI_Comm_free(&grid);
  MPI_Comm_free(&line);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&ring2);
}

static void one_sided(void) {
  MPI_Win win, other;
  MPI_Request q;
  MPI_Group world, to, from;
  void* base;
  int flag, one = 1, compare = 0, old = 0;

  MPI_Win_create(t, sizeof t, 8, MPI_INFO_NULL, W, &win);
  MPI_Win_fence(0, win);
  MPI_Put(DOUBLES(s, 3), right, 0, 3, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Get(DOUBLES(s, 4), right, 0, 4, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(DOUBLES(s, 5), right, 0, 5, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get_accumulate(DOUBLES(s, 6), DOUBLES(s + 100, 6), right, 0, 6, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, DOUBLES(s + 100, 7), right, 0, 7, MPI_DOUBLE, MPI_NO_OP, win);
  MPI_Win_fence(0, win);
  MPI_Fetch_and_op(s, s + 100, MPI_DOUBLE, right, 0, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Fetch_and_op(s, s + 100, MPI_DOUBLE, right, 0, MPI_NO_OP, win);
  MPI_Win_fence(0, win);
  MPI_Compare_and_swap(&one, &compare, &old, MPI_INT, right, 0, win);
  MPI_Put(DOUBLES(s, 99), MPI_PROC_NULL, 0, 99, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);

  MPI_Win_lock_all(0, win);
  MPI_Rput(DOUBLES(s, 8), right, 0, 8, MPI_DOUBLE, win, &q), FINISH;
  MPI_Rget(DOUBLES(s, 9), right, 0, 9, MPI_DOUBLE, win, &q), FINISH;
  MPI_Raccumulate(DOUBLES(s, 10), right, 0, 10, MPI_DOUBLE, MPI_SUM, win, &q), FINISH;
  MPI_Rget_accumulate(DOUBLES(s, 11), DOUBLES(s + 100, 11), right, 0, 11, MPI_DOUBLE, MPI_SUM, win, &q), FINISH;
  MPI_Win_flush(right, win);
  MPI_Win_flush_all(win);
  MPI_Win_flush_local(right, win);
  MPI_Win_flush_local_all(win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(W);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win);
  MPI_Win_unlock(right, win);

  MPI_Comm_group(W, &world);
  MPI_Group_incl(world, 1, &right, &to);
  MPI_Group_incl(world, 1, &left, &from);
  MPI_Barrier(W);
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  MPI_Put(DOUBLES(s, 2), right, 0, 2, MPI_DOUBLE, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  /* Exposed to no rank: the first test succeeds. */
  MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
  MPI_Win_test(win, &flag);
  MPI_Group_free(&world);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Win_free(&win);

  MPI_Win_allocate(80, 8, MPI_INFO_NULL, W, &base, &other);
  MPI_Win_free(&other);
  MPI_Win_allocate_shared(80, 8, MPI_INFO_NULL, W, &base, &other);
  MPI_Win_free(&other);
  MPI_Win_create_dynamic(MPI_INFO_NULL, W, &other);
  MPI_Win_free(&other);
}

static void communicators(void) {
  MPI_Comm dup, with_info, idup, made, of_group, parity, node, inter, merged;
  MPI_Request q;
  MPI_Group world;
  const int color = r % 2;

  MPI_Comm_dup(W, &dup);
  MPI_Comm_dup_with_info(W, MPI_INFO_NULL, &with_info);
  MPI_Comm_idup(W, &idup, &q), FINISH;
  MPI_Comm_group(W, &world);
  MPI_Comm_create(W, world, &made);
  MPI_Comm_create_group(W, world, 5, &of_group);
  MPI_Group_free(&world);
  MPI_Comm_split(W, color, 0, &parity);
  MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  /* {0, 2} and {1}; the leaders are world ranks 0 and 1. */
  MPI_Intercomm_create(parity, 0, W, 1 - color, 6, &inter);
  MPI_Intercomm_merge(inter, color, &merged);

  /* Rank 1 of {0, 2} is world rank 2. */
  if (r == 0) MPI_Send(DOUBLES(s, 21), 1, 20, parity);
  if (r == 2) MPI_Recv(DOUBLES(t, 21), 0, 20, parity, NOSTATUS);
  /* From world rank 1 to rank 1 of the other side, world rank 2. */
  if (r == 1) MPI_Send(DOUBLES(s, 57), 1, 21, inter);
  if (r == 2) MPI_Recv(DOUBLES(t, 57), 0, 21, inter, NOSTATUS);

  /* The root of all of them is world rank 0; rank 2 is beside it and takes no part, rank 1 is on the other side. */
  const int root = r == 0 ? MPI_ROOT : r == 2 ? MPI_PROC_NULL : 0;
  MPI_Bcast(DOUBLES(s, 51), root, inter);
  MPI_Gather(DOUBLES(s, 52), DOUBLES(t, 52), root, inter);
  MPI_Scatter(DOUBLES(s, 53), DOUBLES(t, 53), root, inter);
  MPI_Reduce(s, DOUBLES(t, 54), MPI_SUM, root, inter);
  MPI_Allgather(DOUBLES(s, 55), DOUBLES(t, 55), inter);
  MPI_Alltoall(DOUBLES(s, 56), DOUBLES(t, 56), inter);

  MPI_Barrier(MPI_COMM_SELF);
  MPI_Comm_free(&dup);
  MPI_Comm_free(&with_info);
  MPI_Comm_free(&idup);
  MPI_Comm_free(&made);
  MPI_Comm_free(&of_group);
  MPI_Comm_free(&parity);
  MPI_Comm_free(&node);
  MPI_Comm_free(&inter);
  MPI_Comm_disconnect(&merged);
}

/* A file in the working directory; its size is that of the data that are read and written. */
static void files(void) {
  MPI_File f;
  MPI_Request q;
  MPI_Offset o;
  const MPI_Offset at = 100 * r;
  char name[] = "all_routines.data";
  MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
  MPI_File_set_view(f, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  MPI_File_set_size(f, 16000);
  MPI_File_preallocate(f, 16000);
  MPI_File_set_info(f, MPI_INFO_NULL);
  MPI_File_set_atomicity(f, 0);
  MPI_File_get_size(f, &o);
  MPI_File_seek(f, at, MPI_SEEK_SET);
  MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
  MPI_File_get_position(f, &o);
  MPI_File_get_position_shared(f, &o);
  MPI_File_get_byte_offset(f, at, &o);
  MPI_File_write_at(f, at, DOUBLES(s, 11), NOSTATUS);
  MPI_File_read_at(f, at, DOUBLES(t, 12), NOSTATUS);
  MPI_File_write_at_all(f, at, DOUBLES(s, 13), NOSTATUS);
  MPI_File_read_at_all(f, at, DOUBLES(t, 14), NOSTATUS);
  MPI_File_iwrite_at(f, at, DOUBLES(s, 15), &q);
  wait_for(&q);
  MPI_File_iread_at(f, at, DOUBLES(t, 16), &q);
  wait_for(&q);
  MPI_File_iwrite_at_all(f, at, DOUBLES(s, 17), &q);
  wait_for(&q);
  MPI_File_iread_at_all(f, at, DOUBLES(t, 18), &q);
  wait_for(&q);
  MPI_File_write(f, DOUBLES(s, 19), NOSTATUS);
  MPI_File_read(f, DOUBLES(t, 20), NOSTATUS);
  MPI_File_write_all(f, DOUBLES(s, 21), NOSTATUS);
  MPI_File_read_all(f, DOUBLES(t, 22), NOSTATUS);
  MPI_File_iwrite(f, DOUBLES(s, 23), &q);
  wait_for(&q);
  MPI_File_iread(f, DOUBLES(t, 24), &q);
  wait_for(&q);
  MPI_File_iwrite_all(f, DOUBLES(s, 25), &q);
  wait_for(&q);
  MPI_File_iread_all(f, DOUBLES(t, 26), &q);
  wait_for(&q);
  MPI_File_write_shared(f, DOUBLES(s, 27), NOSTATUS);
  MPI_File_read_shared(f, DOUBLES(t, 28), NOSTATUS);
  MPI_File_iwrite_shared(f, DOUBLES(s, 29), &q);
  wait_for(&q);
  MPI_File_iread_shared(f, DOUBLES(t, 30), &q);
  wait_for(&q);
  MPI_File_write_ordered(f, DOUBLES(s, 31), NOSTATUS);
  MPI_File_read_ordered(f, DOUBLES(t, 32), NOSTATUS);
  MPI_File_write_at_all_begin(f, at, DOUBLES(s, 33));
  MPI_File_write_at_all_end(f, s, NOSTATUS);
  MPI_File_read_at_all_begin(f, at, DOUBLES(t, 34));
  MPI_File_read_at_all_end(f, t, NOSTATUS);
  MPI_File_write_all_begin(f, DOUBLES(s, 35));
  MPI_File_write_all_end(f, s, NOSTATUS);
  MPI_File_read_all_begin(f, DOUBLES(t, 36));
  MPI_File_read_all_end(f, t, NOSTATUS);
  MPI_File_write_ordered_begin(f, DOUBLES(s, 37));
  MPI_File_write_ordered_end(f, s, NOSTATUS);
  MPI_File_read_ordered_begin(f, DOUBLES(t, 38));
  MPI_File_read_ordered_end(f, t, NOSTATUS);
  MPI_File_sync(f);
  MPI_File_close(&f);
  MPI_Barrier(W);
  MPI_File_delete(name, MPI_INFO_NULL); /* the file is there for the first of the ranks */
}

static void local(void) {
  int at = 0;
  void* memory;
  MPI_Pack(DOUBLES(s, 5), t, (int)sizeof t, &at, W);
  at = 0;
  MPI_Unpack(t, (int)sizeof t, &at, DOUBLES(s, 5), W);
  MPI_Reduce_local(s, t, 7, MPI_DOUBLE, MPI_SUM);
  MPI_Alloc_mem(64, MPI_INFO_NULL, &memory);
  MPI_Free_mem(memory);
}

/* A call that fails is counted; it moves no bytes. */
static void errors(void) {
  MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
  if (MPI_Send(DOUBLES(s, 98), 77, 1, W) == MPI_SUCCESS) MPI_Abort(W, 1);
  MPI_Comm made;
  char port[MPI_MAX_PORT_NAME] = "";
  char* command = (char*)"none";
  char** no_argv = MPI_ARGV_NULL;
  const int one = 1;
  const MPI_Info no_info = MPI_INFO_NULL;
  MPI_Comm_spawn(command, no_argv, 1, no_info, -9, W, &made, MPI_ERRCODES_IGNORE);
  MPI_Comm_spawn_multiple(1, &command, &no_argv, &one, &no_info, -9, W, &made, MPI_ERRCODES_IGNORE);
  MPI_Comm_accept(port, no_info, -9, W, &made);
  MPI_Comm_connect(port, no_info, -9, W, &made);
#ifndef OPEN_MPI /* which reads from a socket that is none for ever */
  MPI_Comm_join(-1, &made);
#endif
  MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  int size, n;
  void* detached;
  const int buffer_bytes = 8 * (12 + 25 + 3 * 32) + 8 * MPI_BSEND_OVERHEAD;
  MPI_Init(&argc, &argv);
  W = MPI_COMM_WORLD;
  MPI_Comm_size(W, &size);
  MPI_Comm_rank(W, &r);
  if (size != P) MPI_Abort(W, 2);
  right = (r + 1) % P;
  left = (r + P - 1) % P;
  for (int i = 0; i < kRoom; ++i) s[i] = t[i] = 0;
  MPI_Buffer_attach(malloc((size_t)buffer_bytes), buffer_bytes);
  point_to_point();
  derived_types();
  persistent();
  completion();
  MPI_Buffer_detach(&detached, &n);
  free(detached);
  prepare_collectives();
  collectives();
  nonblocking_collectives();
  neighborhoods();
  one_sided();
  communicators();
  files();
  local();
  errors();
  if (r == 0) printf("all routines called\n");
  MPI_Finalize();
  return 0;
}
