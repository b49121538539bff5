!> The command line all samples share, `program SIZE STEPS`, for the ones in Fortran.
!>
!> Nothing here calls MPI, so that a profile shows the sample's own communication only. All ranks are given the
!> same arguments and come to the same conclusion; only rank 0 prints it.
module sample_arguments
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit, int64
  implicit none
  private
  public :: sample_usage, sample_read_arguments, sample_too_many_ranks, sample_verdict, sample_exit, block_begin

  integer, parameter, public :: sample_run = -1, sample_help = 0, sample_failed = 1, sample_bad_usage = 2

  type :: sample_usage
    character(len=32) :: name
    character(len=160) :: summary
    character(len=80) :: size_meaning
    character(len=80) :: steps_meaning
    integer :: size_default, size_min, size_max
    integer :: steps_default, steps_max
  end type sample_usage

contains

  !> status is sample_run with n and steps set, or the exit status with which every rank should leave after
  !> MPI_Finalize: sample_help after --help, sample_bad_usage after a message.
  subroutine sample_read_arguments(usage, rank, n, steps, status)
    type(sample_usage), intent(in) :: usage
    integer, intent(in) :: rank
    integer, intent(out) :: n, steps, status
    character(len=64) :: argument
    integer :: i
    logical :: ok

    n = usage%size_default
    steps = usage%steps_default
    status = sample_run
    do i = 1, command_argument_count()
      call get_command_argument(i, argument)
      if (argument == '--help' .or. argument == '-h') then
        if (rank == 0) call print_help(usage)
        status = sample_help
        return
      end if
    end do
    if (command_argument_count() >= 1) then
      call get_command_argument(1, argument)
      call read_number(argument, usage%size_min, usage%size_max, n, ok)
      if (.not. ok) call complain('SIZE is not a whole number within its limits')
    end if
    if (status == sample_run .and. command_argument_count() >= 2) then
      call get_command_argument(2, argument)
      call read_number(argument, 1, usage%steps_max, steps, ok)
      if (.not. ok) call complain('STEPS is not a whole number within its limits')
    end if
    if (status == sample_run .and. command_argument_count() >= 3) then
      call get_command_argument(3, argument)
      call complain('more than two arguments')
    end if

  contains

    subroutine complain(wrong)
      character(len=*), intent(in) :: wrong
      status = sample_bad_usage
      if (rank == 0) then
        write (error_unit, '(7a)') 'error: ', trim(usage%name), ': ', wrong, ": '", trim(argument), "'"
        write (error_unit, '(3a)') 'hint: ', trim(usage%name), ' --help'
      end if
    end subroutine complain

  end subroutine sample_read_arguments

  !> Digits only: list-directed reading would take "12,5" or "3*7" for a number.
  subroutine read_number(text, low, high, number, ok)
    character(len=*), intent(in) :: text
    integer, intent(in) :: low, high
    integer, intent(inout) :: number
    logical, intent(out) :: ok
    integer(int64) :: wide
    integer :: error

    ok = len_trim(text) > 0 .and. len_trim(text) <= 18 .and. verify(trim(text), '0123456789') == 0
    if (.not. ok) return
    read (text, '(i20)', iostat=error) wide
    ok = error == 0 .and. wide >= low .and. wide <= high
    if (ok) number = int(wide)
  end subroutine read_number

  subroutine print_help(usage)
    type(sample_usage), intent(in) :: usage
    write (output_unit, '(3a)') 'usage: ', trim(usage%name), ' [SIZE [STEPS]]'
    write (output_unit, '(a)') trim(usage%summary)
    write (output_unit, '(3a,i0,a,i0,a,i0,a)') '  SIZE   ', trim(usage%size_meaning), ', ', usage%size_min, ' to ', &
      usage%size_max, ' (default ', usage%size_default, ')'
    write (output_unit, '(3a,i0,a,i0,a)') '  STEPS  ', trim(usage%steps_meaning), ', 1 to ', usage%steps_max, &
      ' (default ', usage%steps_default, ')'
  end subroutine print_help

  !> Says on rank 0 that this number of ranks cannot hold the problem.
  subroutine sample_too_many_ranks(name, rank, ranks, n, n_needed, status)
    character(len=*), intent(in) :: name
    integer, intent(in) :: rank, ranks, n, n_needed
    integer, intent(out) :: status
    status = sample_bad_usage
    if (rank /= 0) return
    write (error_unit, '(3a,i0,a,i0,a)') 'error: ', trim(name), ': SIZE ', n, ' cannot be divided over ', ranks, ' ranks'
    write (error_unit, '(3a,i0,a)') 'hint: ', trim(name), ' ', n_needed, ', or fewer ranks'
  end subroutine sample_too_many_ranks

  !> Prints the verdict on rank 0. passed has to be the same on all ranks.
  subroutine sample_verdict(rank, passed, status)
    integer, intent(in) :: rank
    logical, intent(in) :: passed
    integer, intent(out) :: status
    status = merge(0, sample_failed, passed)
    if (rank == 0) write (output_unit, '(2a)') 'verification: ', trim(merge('passed', 'failed', passed))
  end subroutine sample_verdict

  !> Leaves with this status, without Fortran's own remarks on standard error.
  subroutine sample_exit(status)
    integer, intent(in) :: status
    flush (output_unit)
    stop status, quiet=.true.
  end subroutine sample_exit

  !> Block distribution of total things: the first mod(total, ranks) ranks own one more. Counts from 0.
  pure integer function block_begin(total, ranks, rank)
    integer, intent(in) :: total, ranks, rank
    block_begin = rank*(total/ranks) + min(rank, mod(total, ranks))
  end function block_begin

end module sample_arguments
