! Implicit upwind transport: a pipelined 2-D sweep with blocking MPI_Send and MPI_Recv. Bindings: mpif.h, fixed form.
!
!   wavefront [SIZE [STEPS]]        SIZE = N points a side, STEPS = S time steps
!
! A step is two half steps of u_t + v.grad u = 0 with first-order implicit upwind differences, the wind towards
! (+,+) in the first and towards (-,-) in the second:
!   (1 + a + b) u'(i,j) = u(i,j) + a u'(i-1,j) + b u'(i,j-1),  and with i+1, j+1 on the way back.
! Each point needs its upwind neighbours of the same half step, so the solution is a wave that runs over the grid.
! Products r**i s**j are eigenvectors of both half steps: each multiplies them by a known factor. With the inflow
! boundary set to the same, the field after any number of steps is known, and is verified.
!
! Rank k owns n_i = N/P columns (constant i), rounded up or down; a column is handed on in K = ceiling(N/16) blocks of
! 16 points (the last may be shorter), so that the next rank can start after the first block. Needs P <= N.
!
! Per rank and step:
!   sweep_up_block, sweep_down_block   K calls each, 5 operations a point: 10 N^2/P in all; each scales
!   receive_inflow, send_outflow       no arithmetic. In the first half step every rank except the last makes K
!                     MPI_Send, every rank except the first K MPI_Recv, of 8*16 = 128 bytes each (less in the last
!                     block), 8 N bytes in all; in the second half step the other way round.
!                     Over all ranks 2 K (P-1) messages and 16 N (P-1) bytes.
!   fill_inflow       2 calls of about n_i + 2 N values; does not scale, but is small
! Per run besides: fill_start N^2/P; check_field N^2/P and 1 MPI_Allreduce of 8 bytes.
!
! Stops scaling: waiting in MPI_Recv. With t the time of one block, N/P points wide, a half step takes (K + P - 1) t
! although each rank works for K t: the pipeline's efficiency is K/(K + P - 1), and t shrinks as 1/P while the
! message's latency does not. Messages and bytes of a rank do not fall with P.
      module wavefront_problem
        use, intrinsic :: iso_fortran_env, only: real64
        implicit none
        integer, parameter :: block_size = 16
! Courant numbers of a half step.
        real(real64), parameter :: a = 0.8_real64, b = 0.6_real64
! The eigenvector r**i s**j is exp(slope_i i/n + slope_j j/n).
        real(real64), parameter :: slope_i = 0.7_real64
        real(real64), parameter :: slope_j = -0.4_real64
      end module wavefront_problem

      program wavefront
        use sample_arguments
        implicit none
        include 'mpif.h'
        type(sample_usage), parameter :: usage = sample_usage(
     &    'wavefront', 'Implicit upwind transport, a pipelined sweep.',
     &    'points a side', 'time steps', 1024, 16, 30000, 800, 100000)
        integer rank, ranks, n, steps, status, ierror

        call MPI_INIT(ierror)
        call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
        call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
        call sample_read_arguments(usage, rank, n, steps, status)
        if (status == sample_run) then
          if (ranks > n) then
            call sample_too_many_ranks('wavefront', rank, ranks, n,
     &        ranks, status)
          else
            if (rank == 0) print '(3(a,i0))', 'wavefront: size ', n,
     &        ', steps ', steps, ', ranks ', ranks
            call run(n, steps, rank, ranks, status)
          end if
        end if
        call MPI_FINALIZE(ierror)
        call sample_exit(status)
      end program wavefront

      subroutine run(n, steps, rank, ranks, status)
        use wavefront_problem
        use sample_arguments, only: block_begin, sample_verdict
        implicit none
        include 'mpif.h'
        integer, intent(in) :: n, steps, rank, ranks
        integer, intent(out) :: status
        real(real64), allocatable :: u(:, :)
        real(real64) amplitude, factor_up, factor_down, mine, worst
        integer i_begin, n_i, step, before, after, ierror

        i_begin = block_begin(n, ranks, rank)
        n_i = block_begin(n, ranks, rank + 1) - i_begin
        before = merge(rank - 1, MPI_PROC_NULL, rank > 0)
        after = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
        factor_up = 1/(1 + a*(1 - exp(-slope_i/n))
     &    + b*(1 - exp(-slope_j/n)))
        factor_down = 1/(1 + a*(1 - exp(slope_i/n))
     &    + b*(1 - exp(slope_j/n)))

! j runs along a column, i over the columns; one more on each side for the inflow.
        allocate (u(0:n + 1, 0:n_i + 1))
        amplitude = 1
        call fill_start(n, n_i, i_begin, u)
        do step = 1, steps
          amplitude = amplitude*factor_up
          call fill_inflow(n, n_i, i_begin, amplitude, u)
          call sweep_up(n, n_i, before, after, u)
          amplitude = amplitude*factor_down
          call fill_inflow(n, n_i, i_begin, amplitude, u)
          call sweep_down(n, n_i, before, after, u)
        end do
        call check_field(n, n_i, i_begin, amplitude, u, mine)
        call MPI_ALLREDUCE(mine, worst, 1, MPI_DOUBLE_PRECISION,
     &    MPI_MAX, MPI_COMM_WORLD, ierror)
        if (rank == 0) print '(a,es9.2)', 'largest relative error ',
     &    worst
        call sample_verdict(rank, worst <= 1d-12 + 2d-15*steps, status)
      end subroutine run

      function mode_at(n, i, j) result(value)
        use wavefront_problem
        implicit none
        integer, intent(in) :: n, i, j
        real(real64) value
        value = exp((slope_i*i + slope_j*j)/n)
      end function mode_at

      subroutine fill_start(n, n_i, i_begin, u)
        use wavefront_problem
        implicit none
        integer, intent(in) :: n, n_i, i_begin
        real(real64), intent(out) :: u(0:n + 1, 0:n_i + 1)
        real(real64), external :: mode_at
        integer i, j
        do i = 0, n_i + 1
          do j = 0, n + 1
            u(j, i) = mode_at(n, i_begin + i, j)
          end do
        end do
      end subroutine fill_start

! The rim of the field at the end of the half step. Where a neighbour exists its values replace these before they
! are read.
      subroutine fill_inflow(n, n_i, i_begin, amplitude, u)
        use wavefront_problem
        implicit none
        integer, intent(in) :: n, n_i, i_begin
        real(real64), intent(in) :: amplitude
        real(real64), intent(inout) :: u(0:n + 1, 0:n_i + 1)
        real(real64), external :: mode_at
        integer i, j
        do i = 0, n_i + 1
          u(0, i) = amplitude*mode_at(n, i_begin + i, 0)
          u(n + 1, i) = amplitude*mode_at(n, i_begin + i, n + 1)
        end do
        do j = 1, n
          u(j, 0) = amplitude*mode_at(n, i_begin, j)
          u(j, n_i + 1) = amplitude*mode_at(n, i_begin + n_i + 1, j)
        end do
      end subroutine fill_inflow

      subroutine sweep_up(n, n_i, before, after, u)
        use wavefront_problem
        implicit none
        integer, intent(in) :: n, n_i, before, after
        real(real64), intent(inout) :: u(0:n + 1, 0:n_i + 1)
        integer first, last
        do first = 1, n, block_size
          last = min(first + block_size - 1, n)
          call receive_inflow(last - first + 1, u(first, 0), before)
          call sweep_up_block(n, n_i, first, last, u)
          call send_outflow(last - first + 1, u(first, n_i), after)
        end do
      end subroutine sweep_up

      subroutine sweep_down(n, n_i, before, after, u)
        use wavefront_problem
        implicit none
        integer, intent(in) :: n, n_i, before, after
        real(real64), intent(inout) :: u(0:n + 1, 0:n_i + 1)
        integer first, last
        do last = n, 1, -block_size
          first = max(last - block_size + 1, 1)
          call receive_inflow(last - first + 1, u(first, n_i + 1),
     &      after)
          call sweep_down_block(n, n_i, first, last, u)
          call send_outflow(last - first + 1, u(first, 1), before)
        end do
      end subroutine sweep_down

      subroutine receive_inflow(count, values, from)
        use wavefront_problem
        implicit none
        include 'mpif.h'
        integer, intent(in) :: count, from
        real(real64), intent(inout) :: values(count)
        integer ierror
        if (from == MPI_PROC_NULL) return
        call MPI_RECV(values, count, MPI_DOUBLE_PRECISION, from, 0,
     &    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      end subroutine receive_inflow

      subroutine send_outflow(count, values, to)
        use wavefront_problem
        implicit none
        include 'mpif.h'
        integer, intent(in) :: count, to
        real(real64), intent(in) :: values(count)
        integer ierror
        if (to == MPI_PROC_NULL) return
        call MPI_SEND(values, count, MPI_DOUBLE_PRECISION, to, 0,
     &    MPI_COMM_WORLD, ierror)
      end subroutine send_outflow

      subroutine sweep_up_block(n, n_i, first, last, u)
        use wavefront_problem
        implicit none
        integer, intent(in) :: n, n_i, first, last
        real(real64), intent(inout) :: u(0:n + 1, 0:n_i + 1)
        real(real64), parameter :: c = 1/(1 + a + b)
        integer i, j
        do i = 1, n_i
          do j = first, last
            u(j, i) = c*(u(j, i) + a*u(j, i - 1) + b*u(j - 1, i))
          end do
        end do
      end subroutine sweep_up_block

      subroutine sweep_down_block(n, n_i, first, last, u)
        use wavefront_problem
        implicit none
        integer, intent(in) :: n, n_i, first, last
        real(real64), intent(inout) :: u(0:n + 1, 0:n_i + 1)
        real(real64), parameter :: c = 1/(1 + a + b)
        integer i, j
        do i = n_i, 1, -1
          do j = last, first, -1
            u(j, i) = c*(u(j, i) + a*u(j, i + 1) + b*u(j + 1, i))
          end do
        end do
      end subroutine sweep_down_block

! Largest deviation on this rank from the known field, relative to it.
      subroutine check_field(n, n_i, i_begin, amplitude, u, worst)
        use wavefront_problem
        implicit none
        integer, intent(in) :: n, n_i, i_begin
        real(real64), intent(in) :: amplitude
        real(real64), intent(in) :: u(0:n + 1, 0:n_i + 1)
        real(real64), intent(out) :: worst
        real(real64), external :: mode_at
        real(real64) error, expected
        integer i, j
        worst = 0
        do i = 1, n_i
          do j = 1, n
            expected = amplitude*mode_at(n, i_begin + i, j)
            error = abs(u(j, i) - expected)/expected
! So written that NaN is kept.
            if (.not. error <= worst) worst = error
          end do
        end do
      end subroutine check_field
