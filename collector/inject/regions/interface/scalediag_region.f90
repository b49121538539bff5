! Names parts of a program for scalediag, in Fortran: compile it with the program. Without scalediag every call is a
! test of a pointer.
!
!   use scalediag_region
!   call scalediag_begin("solve")
!   call scalediag_parameter("rows", real(n_rows, kind(1d0)))
!   call scalediag_end("solve")
module scalediag_region
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: scalediag_begin, scalediag_end, scalediag_parameter

  abstract interface
    subroutine named(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine named_value(name, value) bind(c)
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
    end subroutine
  end interface
  interface
    ! Of the C library: a symbol of the program or of any library that is loaded.
    function dlsym(handle, name) bind(c) result(found)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: found
    end function
  end interface

  logical, save :: looked = .false.
  procedure(named), pointer, save :: begins => null(), ends => null()
  procedure(named_value), pointer, save :: parameter_is => null()

contains

  subroutine look()
    type(c_funptr) :: found
    found = dlsym(c_null_ptr, "scalediag_region_begin" // c_null_char)
    if (c_associated(found)) call c_f_procpointer(found, begins)
    found = dlsym(c_null_ptr, "scalediag_region_end" // c_null_char)
    if (c_associated(found)) call c_f_procpointer(found, ends)
    found = dlsym(c_null_ptr, "scalediag_region_parameter" // c_null_char)
    if (c_associated(found)) call c_f_procpointer(found, parameter_is)
    looked = .true.
  end subroutine

  subroutine scalediag_begin(name)
    character(*), intent(in) :: name
    if (.not. looked) call look()
    if (associated(begins)) call begins(trim(name) // c_null_char)
  end subroutine

  subroutine scalediag_end(name)
    character(*), intent(in) :: name
    if (.not. looked) call look()
    if (associated(ends)) call ends(trim(name) // c_null_char)
  end subroutine

  subroutine scalediag_parameter(name, value)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: value
    if (.not. looked) call look()
    if (associated(parameter_is)) call parameter_is(trim(name) // c_null_char, value)
  end subroutine

end module
