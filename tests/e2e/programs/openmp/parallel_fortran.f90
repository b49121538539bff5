! Two entries of a parallel region in a module's procedure, and one of an anonymous loop in the main program. A thread's
! work is to wait: 50 ms on the first one, 100 ms on the other, so that 50 of 200 ms are idle.
module solver
  use omp_lib
  implicit none
contains
  subroutine wait_s(seconds)
    double precision, intent(in) :: seconds
    double precision :: until
    until = omp_get_wtime() + seconds
    do while (omp_get_wtime() < until)
    end do
  end subroutine

  subroutine relax()
    !$omp parallel num_threads(2)
    call wait_s(0.05d0 * (1 + omp_get_thread_num()))
    !$omp end parallel
  end subroutine
end module

program parallel_fortran
  use mpi
  use solver
  implicit none
  integer :: error, i
  double precision :: begin, total
  call MPI_Init(error)
  begin = omp_get_wtime()
  call relax()
  call relax()
  total = omp_get_wtime() - begin
  !$omp parallel do num_threads(2) schedule(static, 1)
  do i = 1, 2
    call wait_s(0.05d0)
  end do
  !$omp end parallel do
  print '(a,f10.6)', 'relax:', total
  call MPI_Finalize(error)
end program
