! The causes of planted.c in Fortran: planted serial | root_sends | root_receives | imbalance | replicated
module planted_work
  use, intrinsic :: iso_fortran_env, only: real64, int64
  implicit none
  integer, parameter :: steps = 60
  real(real64), parameter :: work = 2e9_real64
  real(real64), parameter :: planted = 8e6_real64
contains
  subroutine solve(x, units)
    real(real64), intent(inout) :: x
    real(real64), intent(in) :: units
    integer(int64) :: i
    do i = 1, int(units, int64)
      x = x*0.999999_real64 + 1e-7_real64
    end do
  end subroutine solve

  subroutine write_summary(x, units)
    real(real64), intent(inout) :: x
    real(real64), intent(in) :: units
    integer(int64) :: i
    do i = 1, int(units, int64)
      x = x*0.999998_real64 + 2e-7_real64
    end do
  end subroutine write_summary

  subroutine refine(x, units)
    real(real64), intent(inout) :: x
    real(real64), intent(in) :: units
    integer(int64) :: i
    do i = 1, int(units, int64)
      x = x*0.999997_real64 + 3e-7_real64
    end do
  end subroutine refine

  subroutine build_table(x, units)
    real(real64), intent(inout) :: x
    real(real64), intent(in) :: units
    integer(int64) :: i
    do i = 1, int(units, int64)
      x = x*0.999996_real64 + 4e-7_real64
    end do
  end subroutine build_table
end module planted_work

program planted_causes
  use mpi
  use planted_work
  implicit none
  character(len=32) :: cause
  integer :: rank, ranks, step, ierr
  real(real64) :: x, total

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, cause)
  x = rank
  if (cause == "replicated") call build_table(x, planted)
  do step = 1, steps
    call solve(x, work/steps/ranks)
    if (cause == "imbalance") then
      if (rank == 0) then
        call refine(x, work/4/steps/sqrt(real(ranks, real64)))
      else
        call refine(x, work/4/steps/ranks)
      end if
    end if
    if (cause == "serial" .and. rank == 0) call write_summary(x, planted/steps)
    if (mod(step, 10) == 0) then
      call MPI_Allreduce(x, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
      x = total/ranks
    end if
  end do
  if (cause == "root_sends") call between_root_and_all(40, 160000, .false.)
  if (cause == "root_receives") call between_root_and_all(200, 4096, .true.)
  if (rank == 0) print *, trim(cause), x
  call MPI_Finalize(ierr)

contains

  subroutine between_root_and_all(messages, bytes, to_root)
    integer, intent(in) :: messages, bytes
    logical, intent(in) :: to_root
    character, allocatable :: buffer(:)
    integer :: m, other, status(MPI_STATUS_SIZE)
    allocate (buffer(bytes))
    buffer = "x"
    do m = 1, messages
      do other = 1, ranks - 1
        if (to_root) then
          if (rank == other) call MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, ierr)
          if (rank == 0) call MPI_Recv(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, status, ierr)
        else
          if (rank == 0) call MPI_Send(buffer, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, ierr)
          if (rank == other) call MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, status, ierr)
        end if
      end do
    end do
  end subroutine between_root_and_all
end program planted_causes
