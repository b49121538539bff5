! The calls of all_routines.c from Fortran; expected_routines.py derives the numbers. One source for the three
! interfaces: compile with -DUSE_MPIF, -DUSE_MPI or -DUSE_F08, and with -DMPICH for MPICH. With mpi_f08 the error code,
! which is optional there, is left out everywhere.
#if defined(USE_F08)
#define MPI_INTERFACE use mpi_f08
#define COMM_T type(MPI_Comm)
#define TYPE_T type(MPI_Datatype)
#define REQUEST_T type(MPI_Request)
#define MESSAGE_T type(MPI_Message)
#define GROUP_T type(MPI_Group)
#define WIN_T type(MPI_Win)
#define FILE_T type(MPI_File)
#define IE
#elif defined(USE_MPI)
#define MPI_INTERFACE use mpi
#else
#define MPI_INTERFACE
#endif
#ifndef COMM_T
#define COMM_T integer
#define TYPE_T integer
#define REQUEST_T integer
#define MESSAGE_T integer
#define GROUP_T integer
#define WIN_T integer
#define FILE_T integer
#define IE , ierr
#endif
#define DBL MPI_DOUBLE_PRECISION
#define NOST MPI_STATUS_IGNORE
#define NOSTS MPI_STATUSES_IGNORE

module shared
  MPI_INTERFACE
  implicit none
#ifdef USE_MPIF
  include 'mpif.h'
#endif
  integer, parameter :: np = 3, root = 1
  double precision, save :: s(1000) = 0, t(1000) = 0
  integer, save :: r, left, right, ierr
  COMM_T, save :: w
  ! The arguments that the collectives share: i elements from or to rank i - 1; r + i elements between ranks r and i -
  ! 1; integers where r + i - 1 is even, else doubles.
  integer, save :: ranked(np), offsets(np), pairwise(np), byte_offsets(np)
  TYPE_T, save :: pairwise_types(np)
end module shared

program all_routines
  use shared
  implicit none
  integer :: size, n
  double precision, save :: attached(2000)
#if defined(USE_F08)
  call detachable
#else
  call MPI_Init(ierr)
  w = MPI_COMM_WORLD
  call start
  call MPI_Buffer_attach(attached, 16000 IE)
  call middle
  call MPI_Buffer_detach(attached, n IE)
  call rest
#endif

contains

#if defined(USE_F08)
  subroutine detachable
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: address
    call MPI_Init()
    w = MPI_COMM_WORLD
    call start
    call MPI_Buffer_attach(attached, 16000)
    call middle
    call MPI_Buffer_detach(address, n)
    call rest
  end subroutine detachable
#endif

  subroutine start
    integer :: i
    call MPI_Comm_size(w, size IE)
    call MPI_Comm_rank(w, r IE)
    if (size /= np) call MPI_Abort(w, 2 IE)
    right = mod(r + 1, np)
    left = mod(r + np - 1, np)
    do i = 1, np
      ranked(i) = i
      offsets(i) = 10 * (i - 1)
      pairwise(i) = r + i
      byte_offsets(i) = 80 * (i - 1)
      pairwise_types(i) = DBL
      if (mod(r + i - 1, 2) == 0) pairwise_types(i) = MPI_INTEGER
    end do
  end subroutine start

  subroutine middle
    call point_to_point
    call derived_types
    call persistent
    call completion
  end subroutine middle

  subroutine rest
    call collectives
    call nonblocking_collectives
    call neighborhoods
    call one_sided
    call communicators
    call files
    call local
    call errors
    if (r == 0) print '(a)', 'all routines called'
    call MPI_Finalize(ierr)
  end subroutine rest

  subroutine point_to_point
    REQUEST_T :: q(2)
    MESSAGE_T :: m
    logical :: flag
    integer :: i

    call MPI_Irecv(t, 20, DBL, left, 1, w, q(1) IE)
    call MPI_Send(s, 11, DBL, right, 1, w IE)
    call MPI_Wait(q(1), NOST IE)
    call MPI_Irecv(t, 20, DBL, left, 1, w, q(1) IE)
    call MPI_Bsend(s, 12, DBL, right, 1, w IE)
    call MPI_Wait(q(1), NOST IE)
    call MPI_Irecv(t, 20, DBL, left, 1, w, q(1) IE)
    call MPI_Ssend(s, 13, DBL, right, 1, w IE)
    call MPI_Wait(q(1), NOST IE)
    call MPI_Irecv(t, 20, DBL, left, 1, w, q(1) IE)
    call MPI_Barrier(w IE)
    call MPI_Rsend(s, 14, DBL, right, 1, w IE)
    call MPI_Wait(q(1), NOST IE)

    call MPI_Isend(s, 15, DBL, right, 2, w, q(1) IE)
    call MPI_Recv(t, 21, DBL, left, 2, w, NOST IE)
    call MPI_Wait(q(1), NOST IE)
    call MPI_Sendrecv(s, 16, DBL, right, 3, t, 30, DBL, left, 3, w, NOST IE)
    call MPI_Sendrecv_replace(s, 17, DBL, right, 3, left, 3, w, NOST IE)

    call MPI_Isend(s, 18, DBL, right, 4, w, q(1) IE)
    call MPI_Probe(left, 4, w, NOST IE)
    call MPI_Recv(t, 18, DBL, left, 4, w, NOST IE)
    call MPI_Wait(q(1), NOST IE)
    call MPI_Isend(s, 19, DBL, right, 5, w, q(1) IE)
    call MPI_Mprobe(left, 5, w, m, NOST IE)
    call MPI_Mrecv(t, 22, DBL, m, NOST IE)
    call MPI_Wait(q(1), NOST IE)
    call MPI_Isend(s, 23, DBL, right, 6, w, q(1) IE)
    call MPI_Probe(left, 6, w, NOST IE)
    call MPI_Improbe(left, 6, w, flag, m, NOST IE)
    call MPI_Imrecv(t, 24, DBL, m, q(2) IE)
    call MPI_Waitall(2, q, NOSTS IE)

    do i = 1, 100
      call MPI_Iprobe(MPI_PROC_NULL, 1, w, flag, NOST IE)
    end do
    call MPI_Improbe(MPI_PROC_NULL, 1, w, flag, m, NOST IE)
    call MPI_Mrecv(t, 5, DBL, m, NOST IE)
    call MPI_Improbe(MPI_PROC_NULL, 1, w, flag, m, NOST IE)
    call MPI_Imrecv(t, 5, DBL, m, q(1) IE)
    call MPI_Wait(q(1), NOST IE)

    call MPI_Irecv(t, 28, DBL, left, 7, w, q(1) IE)
    call MPI_Ibsend(s, 25, DBL, right, 7, w, q(2) IE)
    call MPI_Waitall(2, q, NOSTS IE)
    call MPI_Irecv(t, 28, DBL, left, 7, w, q(1) IE)
    call MPI_Issend(s, 26, DBL, right, 7, w, q(2) IE)
    call MPI_Waitall(2, q, NOSTS IE)
    call MPI_Irecv(t, 28, DBL, left, 7, w, q(1) IE)
    call MPI_Barrier(w IE)
    call MPI_Irsend(s, 27, DBL, right, 7, w, q(2) IE)
    call MPI_Waitall(2, q, NOSTS IE)

    call MPI_Send(s, 99, DBL, MPI_PROC_NULL, 8, w IE)
    call MPI_Recv(t, 99, DBL, MPI_PROC_NULL, 8, w, NOST IE)
    call MPI_Irecv(t, 0, DBL, left, 8, w, q(1) IE)
    call MPI_Send(s, 0, DBL, right, 8, w IE)
    call MPI_Wait(q(1), NOST IE)

#ifdef MPICH
    call MPI_Isendrecv(s, 61, DBL, right, 9, t, 70, DBL, left, 9, w, q(1) IE)
    call MPI_Wait(q(1), NOST IE)
    call MPI_Isendrecv_replace(s, 62, DBL, right, 9, left, 9, w, q(1) IE)
    call MPI_Wait(q(1), NOST IE)
#endif
  end subroutine point_to_point

  subroutine derived_types
    TYPE_T :: made
    REQUEST_T :: q

    call MPI_Type_vector(3, 2, 4, DBL, made IE)
    call MPI_Type_commit(made IE)
    call MPI_Irecv(t, 12, DBL, left, 10, w, q IE)
    call MPI_Send(s, 2, made, right, 10, w IE)
    call MPI_Wait(q, NOST IE)
    call MPI_Type_free(made IE)

    call MPI_Type_contiguous(5, MPI_INTEGER, made IE)
    call MPI_Type_commit(made IE)
    call MPI_Irecv(t, 5, MPI_INTEGER, left, 11, w, q IE)
    call MPI_Send(s, 1, made, right, 11, w IE)
    call MPI_Wait(q, NOST IE)
    call MPI_Type_free(made IE)
  end subroutine derived_types

  subroutine start_twice_and_free(q)
    REQUEST_T :: q(2)
    integer :: i
    do i = 1, 2
      call MPI_Startall(2, q IE)
      call MPI_Waitall(2, q, NOSTS IE)
    end do
    call MPI_Request_free(q(1) IE)
    call MPI_Request_free(q(2) IE)
  end subroutine start_twice_and_free

  subroutine persistent
    REQUEST_T :: q(2)
    call MPI_Recv_init(t, 40, DBL, left, 12, w, q(1) IE)
    call MPI_Send_init(s, 31, DBL, right, 12, w, q(2) IE)
    call start_twice_and_free(q)
    call MPI_Recv_init(t, 40, DBL, left, 13, w, q(1) IE)
    call MPI_Bsend_init(s, 32, DBL, right, 13, w, q(2) IE)
    call start_twice_and_free(q)
    call MPI_Recv_init(t, 40, DBL, left, 14, w, q(1) IE)
    call MPI_Ssend_init(s, 33, DBL, right, 14, w, q(2) IE)
    call start_twice_and_free(q)

    call MPI_Recv_init(t, 40, DBL, left, 15, w, q(1) IE)
    call MPI_Rsend_init(s, 34, DBL, right, 15, w, q(2) IE)
    call MPI_Start(q(1) IE)
    call MPI_Barrier(w IE)
    call MPI_Start(q(2) IE)
    call MPI_Waitall(2, q, NOSTS IE)
    call MPI_Request_free(q(1) IE)
    call MPI_Request_free(q(2) IE)

    call MPI_Send_init(s, 50, DBL, MPI_PROC_NULL, 15, w, q(1) IE)
    call MPI_Start(q(1) IE)
    call MPI_Wait(q(1), NOST IE)
    call MPI_Request_free(q(1) IE)
  end subroutine persistent

  subroutine completion
    REQUEST_T :: q(2)
    integer :: index, indices(2), i
    logical :: flag
    q(1) = MPI_REQUEST_NULL
    q(2) = MPI_REQUEST_NULL
    call MPI_Wait(q(1), NOST IE)
    call MPI_Waitany(2, q, index, NOST IE)
    call MPI_Waitall(2, q, NOSTS IE)
    call MPI_Waitsome(2, q, index, indices, NOSTS IE)
    do i = 1, 70
      call MPI_Test(q(1), flag, NOST IE)
    end do
    call MPI_Testany(2, q, index, flag, NOST IE)
    call MPI_Testall(2, q, flag, NOSTS IE)
    call MPI_Testsome(2, q, index, indices, NOSTS IE)
    call MPI_Request_get_status(q(1), flag, NOST IE)
    call MPI_Irecv(t, 1, DBL, left, 999, w, q(1) IE)
    call MPI_Cancel(q(1) IE)
    call MPI_Wait(q(1), NOST IE)
  end subroutine completion

  subroutine collectives
    call MPI_Barrier(w IE)
    call MPI_Bcast(s, 41, DBL, root, w IE)
    call MPI_Gather(s, 3, DBL, t, 3, DBL, root, w IE)
    call MPI_Gatherv(s, r + 1, DBL, t, ranked, offsets, DBL, root, w IE)
    call MPI_Scatter(s, 5, DBL, t, 5, DBL, root, w IE)
    call MPI_Scatterv(s, ranked, offsets, DBL, t, r + 1, DBL, root, w IE)
    call MPI_Reduce(s, t, 8, DBL, MPI_SUM, root, w IE)
    if (r == root) then
      call MPI_Gather(MPI_IN_PLACE, 4, DBL, t, 4, DBL, root, w IE)
      call MPI_Gatherv(MPI_IN_PLACE, r + 1, DBL, t, ranked, offsets, DBL, root, w IE)
      call MPI_Scatter(s, 5, DBL, MPI_IN_PLACE, 5, DBL, root, w IE)
      call MPI_Scatterv(s, ranked, offsets, DBL, MPI_IN_PLACE, r + 1, DBL, root, w IE)
      call MPI_Reduce(MPI_IN_PLACE, t, 8, DBL, MPI_SUM, root, w IE)
    else
      call MPI_Gather(s, 4, DBL, t, 4, DBL, root, w IE)
      call MPI_Gatherv(s, r + 1, DBL, t, ranked, offsets, DBL, root, w IE)
      call MPI_Scatter(s, 5, DBL, t, 5, DBL, root, w IE)
      call MPI_Scatterv(s, ranked, offsets, DBL, t, r + 1, DBL, root, w IE)
      call MPI_Reduce(s, t, 8, DBL, MPI_SUM, root, w IE)
    end if
    call MPI_Allgather(s, 6, DBL, t, 6, DBL, w IE)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t, 6, DBL, w IE)
    call MPI_Allgatherv(s, r + 1, DBL, t, ranked, offsets, DBL, w IE)
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t, ranked, offsets, DBL, w IE)
    call MPI_Alltoall(s, 7, DBL, t, 7, DBL, w IE)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t, 7, DBL, w IE)
    call MPI_Alltoallv(s, pairwise, offsets, DBL, t, pairwise, offsets, DBL, w IE)
    call MPI_Alltoallv(MPI_IN_PLACE, pairwise, offsets, MPI_DATATYPE_NULL, t, pairwise, offsets, DBL, w IE)
    call MPI_Alltoallw(s, pairwise, byte_offsets, pairwise_types, t, pairwise, byte_offsets, pairwise_types, w IE)
    call MPI_Alltoallw(MPI_IN_PLACE, pairwise, byte_offsets, pairwise_types, &
                       t, pairwise, byte_offsets, pairwise_types, w IE)
    call MPI_Allreduce(s, t, 9, DBL, MPI_SUM, w IE)
    call MPI_Allreduce(MPI_IN_PLACE, t, 9, DBL, MPI_SUM, w IE)
    call MPI_Reduce_scatter(s, t, ranked, DBL, MPI_SUM, w IE)
    call MPI_Reduce_scatter(MPI_IN_PLACE, t, ranked, DBL, MPI_SUM, w IE)
    call MPI_Reduce_scatter_block(s, t, 4, DBL, MPI_SUM, w IE)
    call MPI_Reduce_scatter_block(MPI_IN_PLACE, t, 4, DBL, MPI_SUM, w IE)
    call MPI_Scan(s, t, 13, DBL, MPI_SUM, w IE)
    call MPI_Exscan(s, t, 14, DBL, MPI_SUM, w IE)
  end subroutine collectives

  subroutine finish(q)
    REQUEST_T :: q
    call MPI_Wait(q, NOST IE)
  end subroutine finish

  subroutine nonblocking_collectives
    REQUEST_T :: q
    call MPI_Ibarrier(w, q IE); call finish(q)
    call MPI_Ibcast(s, 41, DBL, root, w, q IE); call finish(q)
    call MPI_Igather(s, 3, DBL, t, 3, DBL, root, w, q IE); call finish(q)
    call MPI_Igatherv(s, r + 1, DBL, t, ranked, offsets, DBL, root, w, q IE); call finish(q)
    call MPI_Iscatter(s, 5, DBL, t, 5, DBL, root, w, q IE); call finish(q)
    call MPI_Iscatterv(s, ranked, offsets, DBL, t, r + 1, DBL, root, w, q IE); call finish(q)
    call MPI_Ireduce(s, t, 8, DBL, MPI_SUM, root, w, q IE); call finish(q)
    if (r == root) then
      call MPI_Igather(MPI_IN_PLACE, 4, DBL, t, 4, DBL, root, w, q IE); call finish(q)
      call MPI_Igatherv(MPI_IN_PLACE, r + 1, DBL, t, ranked, offsets, DBL, root, w, q IE); call finish(q)
      call MPI_Iscatter(s, 5, DBL, MPI_IN_PLACE, 5, DBL, root, w, q IE); call finish(q)
      call MPI_Iscatterv(s, ranked, offsets, DBL, MPI_IN_PLACE, r + 1, DBL, root, w, q IE); call finish(q)
      call MPI_Ireduce(MPI_IN_PLACE, t, 8, DBL, MPI_SUM, root, w, q IE); call finish(q)
    else
      call MPI_Igather(s, 4, DBL, t, 4, DBL, root, w, q IE); call finish(q)
      call MPI_Igatherv(s, r + 1, DBL, t, ranked, offsets, DBL, root, w, q IE); call finish(q)
      call MPI_Iscatter(s, 5, DBL, t, 5, DBL, root, w, q IE); call finish(q)
      call MPI_Iscatterv(s, ranked, offsets, DBL, t, r + 1, DBL, root, w, q IE); call finish(q)
      call MPI_Ireduce(s, t, 8, DBL, MPI_SUM, root, w, q IE); call finish(q)
    end if
    call MPI_Iallgather(s, 6, DBL, t, 6, DBL, w, q IE); call finish(q)
    call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t, 6, DBL, w, q IE); call finish(q)
    call MPI_Iallgatherv(s, r + 1, DBL, t, ranked, offsets, DBL, w, q IE); call finish(q)
    call MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t, ranked, offsets, DBL, w, q IE); call finish(q)
    call MPI_Ialltoall(s, 7, DBL, t, 7, DBL, w, q IE); call finish(q)
    call MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, t, 7, DBL, w, q IE); call finish(q)
    call MPI_Ialltoallv(s, pairwise, offsets, DBL, t, pairwise, offsets, DBL, w, q IE); call finish(q)
    call MPI_Ialltoallv(MPI_IN_PLACE, pairwise, offsets, MPI_DATATYPE_NULL, t, pairwise, offsets, DBL, w, q IE)
    call finish(q)
    call MPI_Ialltoallw(s, pairwise, byte_offsets, pairwise_types, t, pairwise, byte_offsets, pairwise_types, w, q IE)
    call finish(q)
    call MPI_Ialltoallw(MPI_IN_PLACE, pairwise, byte_offsets, pairwise_types, &
                        t, pairwise, byte_offsets, pairwise_types, w, q IE)
    call finish(q)
    call MPI_Iallreduce(s, t, 9, DBL, MPI_SUM, w, q IE); call finish(q)
    call MPI_Iallreduce(MPI_IN_PLACE, t, 9, DBL, MPI_SUM, w, q IE); call finish(q)
    call MPI_Ireduce_scatter(s, t, ranked, DBL, MPI_SUM, w, q IE); call finish(q)
    call MPI_Ireduce_scatter(MPI_IN_PLACE, t, ranked, DBL, MPI_SUM, w, q IE); call finish(q)
    call MPI_Ireduce_scatter_block(s, t, 4, DBL, MPI_SUM, w, q IE); call finish(q)
    call MPI_Ireduce_scatter_block(MPI_IN_PLACE, t, 4, DBL, MPI_SUM, w, q IE); call finish(q)
    call MPI_Iscan(s, t, 13, DBL, MPI_SUM, w, q IE); call finish(q)
    call MPI_Iexscan(s, t, 14, DBL, MPI_SUM, w, q IE); call finish(q)
  end subroutine nonblocking_collectives

  subroutine neighborhoods
    COMM_T :: grid, line, graph, ring, ring2
    REQUEST_T :: q
    TYPE_T :: send_types(2), receive_types(2)
    integer :: dims(1), index(np), edges(2 * np), sources(1), degrees(1), to(1), from(1)
    integer :: sends(2), receives(2), at(2), fours(2)
    logical :: periods(1), remain(1)
    integer(kind=MPI_ADDRESS_KIND) :: bytes_at(2)

    dims = np
    periods = .false.
    remain = .true.
    index = (/ 2, 4, 6 /)
    edges = (/ 1, 2, 0, 2, 0, 1 /)
    sources = r
    degrees = 1
    to = right
    from = left
    sends = (/ 6, 7 /)
    receives = (/ 7, 6 /)
    at = (/ 0, 10 /)
    fours = 4
    bytes_at(1) = 0
    bytes_at(2) = 80
    send_types(1) = MPI_INTEGER
    send_types(2) = DBL
    receive_types(1) = DBL
    receive_types(2) = MPI_INTEGER

    call MPI_Cart_create(w, 1, dims, periods, .false., grid IE)
    call MPI_Cart_sub(grid, remain, line IE)
    call MPI_Graph_create(w, np, index, edges, .false., graph IE)
    call MPI_Dist_graph_create(w, 1, sources, degrees, to, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring IE)
    call MPI_Dist_graph_create_adjacent(w, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., &
                                        ring2 IE)

    call MPI_Neighbor_allgather(s, 3, DBL, t, 3, DBL, line IE)
    call MPI_Neighbor_allgather(s, 2, DBL, t, 2, DBL, graph IE)
    call MPI_Neighbor_allgather(s, 1, DBL, t, 1, DBL, ring IE)
    call MPI_Neighbor_allgatherv(s, 4, DBL, t, fours, at, DBL, line IE)
    call MPI_Neighbor_alltoall(s, 5, DBL, t, 5, DBL, line IE)
    call MPI_Neighbor_alltoallv(s, sends, at, DBL, t, receives, at, DBL, line IE)
#if defined(USE_F08) && defined(MPICH)
    ! MPICH 4.0's mpi_f08 form stops with "No Distributed Graph topology" on any other topology.
    call MPI_Neighbor_alltoallw(s, sends, bytes_at, send_types, t, sends, bytes_at, send_types, ring2 IE)
#else
    call MPI_Neighbor_alltoallw(s, sends, bytes_at, send_types, t, receives, bytes_at, receive_types, line IE)
#endif

    call MPI_Ineighbor_allgather(s, 3, DBL, t, 3, DBL, ring2, q IE); call finish(q)
    call MPI_Ineighbor_allgatherv(s, 4, DBL, t, fours, at, DBL, ring2, q IE); call finish(q)
    call MPI_Ineighbor_alltoall(s, 5, DBL, t, 5, DBL, ring2, q IE); call finish(q)
    call MPI_Ineighbor_alltoallv(s, sends, at, DBL, t, sends, at, DBL, ring2, q IE); call finish(q)
    call MPI_Ineighbor_alltoallw(s, sends, bytes_at, send_types, t, sends, bytes_at, send_types, ring2, q IE)
    call finish(q)

    call MPI_Comm_free(grid IE)
    call MPI_Comm_free(line IE)
    call MPI_Comm_free(graph IE)
    call MPI_Comm_free(ring IE)
    call MPI_Comm_free(ring2 IE)
  end subroutine neighborhoods

  subroutine one_sided
#if !defined(USE_MPIF)
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: base
#else
    integer(kind=MPI_ADDRESS_KIND) :: base
#endif
    WIN_T :: win, other
    REQUEST_T :: q
    GROUP_T :: world, to, from
    integer(kind=MPI_ADDRESS_KIND) :: bytes, nowhere
    logical :: flag
    integer :: one(1), compare(1), old(1), ranks(1)
    double precision, save :: u(100)

    one = 1
    compare = 0
    nowhere = 0
    bytes = 8000
    call MPI_Win_create(t, bytes, 8, MPI_INFO_NULL, w, win IE)
    call MPI_Win_fence(0, win IE)
    call MPI_Put(s, 3, DBL, right, nowhere, 3, DBL, win IE)
    call MPI_Win_fence(0, win IE)
    call MPI_Get(s, 4, DBL, right, nowhere, 4, DBL, win IE)
    call MPI_Win_fence(0, win IE)
    call MPI_Accumulate(s, 5, DBL, right, nowhere, 5, DBL, MPI_SUM, win IE)
    call MPI_Win_fence(0, win IE)
    call MPI_Get_accumulate(s, 6, DBL, u, 6, DBL, right, nowhere, 6, DBL, MPI_SUM, win IE)
    call MPI_Win_fence(0, win IE)
    call MPI_Get_accumulate(s, 0, DBL, u, 7, DBL, right, nowhere, 7, DBL, MPI_NO_OP, win IE)
    call MPI_Win_fence(0, win IE)
    call MPI_Fetch_and_op(s, u, DBL, right, nowhere, MPI_SUM, win IE)
    call MPI_Win_fence(0, win IE)
    call MPI_Fetch_and_op(s, u, DBL, right, nowhere, MPI_NO_OP, win IE)
    call MPI_Win_fence(0, win IE)
    call MPI_Compare_and_swap(one, compare, old, MPI_INTEGER, right, nowhere, win IE)
    call MPI_Put(s, 99, DBL, MPI_PROC_NULL, nowhere, 99, DBL, win IE)
    call MPI_Win_fence(0, win IE)

    call MPI_Win_lock_all(0, win IE)
    call MPI_Rput(s, 8, DBL, right, nowhere, 8, DBL, win, q IE); call finish(q)
    call MPI_Rget(s, 9, DBL, right, nowhere, 9, DBL, win, q IE); call finish(q)
    call MPI_Raccumulate(s, 10, DBL, right, nowhere, 10, DBL, MPI_SUM, win, q IE); call finish(q)
    call MPI_Rget_accumulate(s, 11, DBL, u, 11, DBL, right, nowhere, 11, DBL, MPI_SUM, win, q IE); call finish(q)
    call MPI_Win_flush(right, win IE)
    call MPI_Win_flush_all(win IE)
    call MPI_Win_flush_local(right, win IE)
    call MPI_Win_flush_local_all(win IE)
    call MPI_Win_sync(win IE)
    call MPI_Win_unlock_all(win IE)
    call MPI_Barrier(w IE)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win IE)
    call MPI_Win_unlock(right, win IE)

    call MPI_Comm_group(w, world IE)
    ranks = right
    call MPI_Group_incl(world, 1, ranks, to IE)
    ranks = left
    call MPI_Group_incl(world, 1, ranks, from IE)
    call MPI_Barrier(w IE)
    call MPI_Win_post(from, 0, win IE)
    call MPI_Win_start(to, 0, win IE)
    call MPI_Put(s, 2, DBL, right, nowhere, 2, DBL, win IE)
    call MPI_Win_complete(win IE)
    call MPI_Win_wait(win IE)
    call MPI_Win_post(MPI_GROUP_EMPTY, 0, win IE)
    call MPI_Win_test(win, flag IE)
    call MPI_Group_free(world IE)
    call MPI_Group_free(to IE)
    call MPI_Group_free(from IE)
    call MPI_Win_free(win IE)

    bytes = 80
    call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, w, base, other IE)
    call MPI_Win_free(other IE)
    call MPI_Win_allocate_shared(bytes, 8, MPI_INFO_NULL, w, base, other IE)
    call MPI_Win_free(other IE)
    call MPI_Win_create_dynamic(MPI_INFO_NULL, w, other IE)
    call MPI_Win_free(other IE)
  end subroutine one_sided

  subroutine communicators
    COMM_T :: dup, with_info, idup, made, of_group, parity, node, inter, merged
    REQUEST_T :: q
    GROUP_T :: world
    integer :: color, r0

    color = mod(r, 2)
    call MPI_Comm_dup(w, dup IE)
    call MPI_Comm_dup_with_info(w, MPI_INFO_NULL, with_info IE)
    call MPI_Comm_idup(w, idup, q IE); call finish(q)
    call MPI_Comm_group(w, world IE)
    call MPI_Comm_create(w, world, made IE)
    call MPI_Comm_create_group(w, world, 5, of_group IE)
    call MPI_Group_free(world IE)
    call MPI_Comm_split(w, color, 0, parity IE)
    call MPI_Comm_split_type(w, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node IE)
    call MPI_Intercomm_create(parity, 0, w, 1 - color, 6, inter IE)
    call MPI_Intercomm_merge(inter, color == 1, merged IE)

    if (r == 0) call MPI_Send(s, 21, DBL, 1, 20, parity IE)
    if (r == 2) call MPI_Recv(t, 21, DBL, 0, 20, parity, NOST IE)
    if (r == 1) call MPI_Send(s, 57, DBL, 1, 21, inter IE)
    if (r == 2) call MPI_Recv(t, 57, DBL, 0, 21, inter, NOST IE)

    r0 = 0
    if (r == 0) r0 = MPI_ROOT
    if (r == 2) r0 = MPI_PROC_NULL
    call MPI_Bcast(s, 51, DBL, r0, inter IE)
    call MPI_Gather(s, 52, DBL, t, 52, DBL, r0, inter IE)
    call MPI_Scatter(s, 53, DBL, t, 53, DBL, r0, inter IE)
    call MPI_Reduce(s, t, 54, DBL, MPI_SUM, r0, inter IE)
    call MPI_Allgather(s, 55, DBL, t, 55, DBL, inter IE)
    call MPI_Alltoall(s, 56, DBL, t, 56, DBL, inter IE)

    call MPI_Barrier(MPI_COMM_SELF IE)
    call MPI_Comm_free(dup IE)
    call MPI_Comm_free(with_info IE)
    call MPI_Comm_free(idup IE)
    call MPI_Comm_free(made IE)
    call MPI_Comm_free(of_group IE)
    call MPI_Comm_free(parity IE)
    call MPI_Comm_free(node IE)
    call MPI_Comm_free(inter IE)
    call MPI_Comm_disconnect(merged IE)
  end subroutine communicators

  subroutine files
    FILE_T :: f
    REQUEST_T :: q
    integer(MPI_OFFSET_KIND) :: at, o, nowhere, room
    at = 100 * r
    nowhere = 0
    room = 16000
    call MPI_File_open(w, 'all_routines.data', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, f IE)
    call MPI_File_set_view(f, nowhere, DBL, DBL, 'native', MPI_INFO_NULL IE)
    call MPI_File_set_size(f, room IE)
    call MPI_File_preallocate(f, room IE)
    call MPI_File_set_info(f, MPI_INFO_NULL IE)
    call MPI_File_set_atomicity(f, .false. IE)
    call MPI_File_get_size(f, o IE)
    call MPI_File_seek(f, at, MPI_SEEK_SET IE)
    call MPI_File_seek_shared(f, nowhere, MPI_SEEK_SET IE)
    call MPI_File_get_position(f, o IE)
    call MPI_File_get_position_shared(f, o IE)
    call MPI_File_get_byte_offset(f, at, o IE)
    call MPI_File_write_at(f, at, s, 11, DBL, NOST IE)
    call MPI_File_read_at(f, at, t, 12, DBL, NOST IE)
    call MPI_File_write_at_all(f, at, s, 13, DBL, NOST IE)
    call MPI_File_read_at_all(f, at, t, 14, DBL, NOST IE)
    call MPI_File_iwrite_at(f, at, s, 15, DBL, q IE); call finish(q)
    call MPI_File_iread_at(f, at, t, 16, DBL, q IE); call finish(q)
    call MPI_File_iwrite_at_all(f, at, s, 17, DBL, q IE); call finish(q)
    call MPI_File_iread_at_all(f, at, t, 18, DBL, q IE); call finish(q)
    call MPI_File_write(f, s, 19, DBL, NOST IE)
    call MPI_File_read(f, t, 20, DBL, NOST IE)
    call MPI_File_write_all(f, s, 21, DBL, NOST IE)
    call MPI_File_read_all(f, t, 22, DBL, NOST IE)
    call MPI_File_iwrite(f, s, 23, DBL, q IE); call finish(q)
    call MPI_File_iread(f, t, 24, DBL, q IE); call finish(q)
    call MPI_File_iwrite_all(f, s, 25, DBL, q IE); call finish(q)
    call MPI_File_iread_all(f, t, 26, DBL, q IE); call finish(q)
    call MPI_File_write_shared(f, s, 27, DBL, NOST IE)
    call MPI_File_read_shared(f, t, 28, DBL, NOST IE)
    call MPI_File_iwrite_shared(f, s, 29, DBL, q IE); call finish(q)
    call MPI_File_iread_shared(f, t, 30, DBL, q IE); call finish(q)
    call MPI_File_write_ordered(f, s, 31, DBL, NOST IE)
    call MPI_File_read_ordered(f, t, 32, DBL, NOST IE)
    call MPI_File_write_at_all_begin(f, at, s, 33, DBL IE); call MPI_File_write_at_all_end(f, s, NOST IE)
    call MPI_File_read_at_all_begin(f, at, t, 34, DBL IE); call MPI_File_read_at_all_end(f, t, NOST IE)
    call MPI_File_write_all_begin(f, s, 35, DBL IE); call MPI_File_write_all_end(f, s, NOST IE)
    call MPI_File_read_all_begin(f, t, 36, DBL IE); call MPI_File_read_all_end(f, t, NOST IE)
    call MPI_File_write_ordered_begin(f, s, 37, DBL IE); call MPI_File_write_ordered_end(f, s, NOST IE)
    call MPI_File_read_ordered_begin(f, t, 38, DBL IE); call MPI_File_read_ordered_end(f, t, NOST IE)
    call MPI_File_sync(f IE)
    call MPI_File_close(f IE)
    call MPI_Barrier(w IE)
    call MPI_File_delete('all_routines.data', MPI_INFO_NULL IE)
  end subroutine files

  subroutine local
    integer :: at
    at = 0
    call MPI_Pack(s, 5, DBL, t, 8000, at, w IE)
    at = 0
    call MPI_Unpack(t, 8000, at, s, 5, DBL, w IE)
    call MPI_Reduce_local(s, t, 7, DBL, MPI_SUM IE)
  end subroutine local

  subroutine errors
    call MPI_Comm_set_errhandler(w, MPI_ERRORS_RETURN IE)
    call MPI_Send(s, 98, DBL, 77, 1, w IE)
    call MPI_Comm_set_errhandler(w, MPI_ERRORS_ARE_FATAL IE)
  end subroutine errors

end program all_routines
