! A region with a number, named in Fortran.
program regions_fortran
  use mpi
  use scalediag_region
  implicit none
  integer :: error, i, rank
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  do i = 1, 5
    call scalediag_begin("step  ")
    call scalediag_parameter("cells", real(10 * i, kind(1d0)))
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call scalediag_end("step")
  end do
  call MPI_Pcontrol(3)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
