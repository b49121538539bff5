! Procedures whose names, lines and addresses the symbolizer's test knows.
module grid
  implicit none
  interface
    module subroutine relax(x)
      real, intent(inout) :: x(:)
    end subroutine
  end interface
contains
  subroutine smooth(x)
    real, intent(inout) :: x(:)
    integer :: i
    do i = 1, size(x)
      call inner(i)
    end do
  contains
    subroutine inner(k)
      integer, intent(in) :: k
      x(k) = x(k) * 2
    end subroutine
  end subroutine
  subroutine parallel_part(x)
    real, intent(inout) :: x(:)
    integer :: i
    !$omp parallel do
    do i = 1, size(x)
      x(i) = x(i) + 1
    end do
  end subroutine
end module

submodule (grid) solver
contains
  module subroutine relax(x)
    real, intent(inout) :: x(:)
    call helper(x)
  end subroutine
  subroutine helper(x)
    real, intent(inout) :: x(:)
    x = x * 3
  end subroutine
end submodule

subroutine outside(x)
  real, intent(inout) :: x(10)
  x = x + 1
end subroutine

program heat
  use grid
  implicit none
  real :: a(10)
  a = 1
  call smooth(a)
  call parallel_part(a)
  call relax(a)
  call outside(a)
  call finish
contains
  subroutine finish
    print *, a(1)
  end subroutine
end program
