! A private procedure that the compiler inlines.
module meadow
  implicit none
  private :: tiny
contains
  subroutine has_inlined(x)
    real, intent(inout) :: x(:)
    call tiny(x)
  end subroutine
  subroutine tiny(x)
    real, intent(inout) :: x(:)
    integer :: i
    do i = 2, size(x)
      x(i) = x(i) + x(i - 1)
    end do
  end subroutine
end module
