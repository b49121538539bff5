! Reductions through the program's own module, and a broadcast without it.
module mpi_layer
  use mpi
  implicit none
contains
  subroutine global_sum(x)
    double precision, intent(inout) :: x
    integer :: error
    call MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (error /= 0) stop 1
  end subroutine
end module

module physics
  use mpi_layer
  implicit none
contains
  subroutine pressure(x)
    double precision, intent(inout) :: x
    call global_sum(x)
    x = x + 1
  end subroutine
  subroutine velocity(x)
    double precision, intent(inout) :: x
    call global_sum(x)
    call global_sum(x)
    x = x + 1
  end subroutine
  subroutine share(x)
    double precision, intent(inout) :: x
    integer :: error
    call MPI_Bcast(x, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
    if (error /= 0) stop 1
  end subroutine
end module

program call_sites
  use mpi
  use physics
  implicit none
  integer :: error, step
  double precision :: x
  call MPI_Init(error)
  x = 1
  do step = 1, 10
    call pressure(x)
    call velocity(x)
    call share(x)
    x = 1
  end do
  call MPI_Finalize(error)
end program
