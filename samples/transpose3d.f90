! 3-D Fourier transform of a field distributed in slabs, transposed with MPI_Alltoall. Bindings: mpi_f08.
!
!   transpose3d [SIZE [STEPS]]      SIZE = N points a side, a power of two; STEPS = S steps
!
! A step transforms forward, moves the field by one grid point along x, y and z (in Fourier space a factor
! exp(-2 pi i (kx + ky + kz)/N)), and transforms back. After S steps the field has to be the first one moved by
! S points, whatever it was: here pseudo-random numbers. A transform, a transposition or a factor that is wrong for one
! element only is seen.
!
! In real space a rank owns n_z planes of constant z, in Fourier space n_y planes of constant y; N/P each, rounded up or
! down, at most c = ceiling(N/P). Blocks are padded to c x c x N so that MPI_Alltoall, which knows one size only, can
! be used with any P <= N.
!
! Per rank and step, W = 5 N log2 N operations of one radix-2 transform of N points (fft_pencil):
!   transform_planes     2 calls, 2 N n_z transforms each (along x and y): 4 W N^2/P; scales in steps of c
!   transform_columns    2 calls, N n_y transforms each (along z): 2 W N^2/P; scales in steps of c
!   shift_phase          N^2 n_y factors, 14 operations each; scales in steps of c
!   pack_*, unpack_*     2 calls each, no arithmetic, N^2 n_z or N^2 n_y elements of 16 bytes moved (whole rows
!                        at a time in *_planes, so that profiles show memmove there); scales in steps of c
!   MPI_Alltoall         2 calls; each sends 16 N c^2 bytes to each of P ranks, itself included. A call's volume
!                        16 N c^2 P is about 16 N^3/P a rank, but P-1 messages, each shrinking as 1/P^2.
! Per run besides: fill_field N^3/P; check_field N^3/P and 1 MPI_Allreduce of 8 bytes.
!
! Stops scaling: MPI_Alltoall, whose P-1 messages cost P-1 latencies; then all, where P nears N: work falls in steps of
! ceiling(N/P), and P > N is impossible.
module spectral_slabs
  use, intrinsic :: iso_fortran_env, only: real64, int64
  use mpi_f08
  use sample_arguments, only: block_begin
  implicit none
  private
  public :: slabs, make_slabs, fill_field, step_field, check_field

  real(real64), parameter :: two_pi = 6.283185307179586476925_real64

  type :: slabs
    integer :: n, ranks, rank, padded
    integer :: z_begin, n_z   ! planes of real space
    integer :: y_begin, n_y   ! planes of Fourier space
    integer, allocatable :: reversed(:)
    complex(real64), allocatable :: roots(:)  ! exp(-2 pi i k/n)
    complex(real64), allocatable :: columns(:, :, :), sent(:, :, :, :), received(:, :, :, :)
  end type slabs

contains

  subroutine make_slabs(s, n, ranks, rank)
    type(slabs), intent(out) :: s
    integer, intent(in) :: n, ranks, rank
    integer :: k, bits

    s%n = n
    s%ranks = ranks
    s%rank = rank
    s%padded = (n + ranks - 1)/ranks
    s%z_begin = block_begin(n, ranks, rank)
    s%n_z = block_begin(n, ranks, rank + 1) - s%z_begin
    s%y_begin = s%z_begin
    s%n_y = s%n_z
    bits = trailz(n)
    allocate (s%reversed(0:n - 1), s%roots(0:n - 1))
    s%reversed(0) = 0
    do k = 1, n - 1
      s%reversed(k) = ishft(s%reversed(ishft(k, -1)), -1) + ishft(iand(k, 1), bits - 1)
    end do
    do k = 0, n - 1
      s%roots(k) = cmplx(cos(two_pi*k/n), -sin(two_pi*k/n), real64)
    end do
    allocate (s%columns(0:n - 1, 0:n - 1, s%n_y))
    allocate (s%sent(0:n - 1, s%padded, s%padded, 0:ranks - 1))
    allocate (s%received(0:n - 1, s%padded, s%padded, 0:ranks - 1))
    s%sent = 0
  end subroutine make_slabs

  !> A number in [-1, 1) that depends on the place only, so that it is the same on every rank.
  pure real(real64) function value_at(n, x, y, z)
    integer, intent(in) :: n, x, y, z
    integer(int64) :: bits
    bits = x + int(n, int64)*(y + int(n, int64)*z)
    bits = mod(bits*1103515245_int64 + 12345_int64, 2147483648_int64)
    bits = mod(ieor(bits, ishft(bits, -15))*69069_int64 + 1_int64, 2147483648_int64)
    value_at = real(bits, real64)/1073741824.0_real64 - 1.0_real64
  end function value_at

  subroutine fill_field(s, field)
    type(slabs), intent(in) :: s
    complex(real64), intent(out), contiguous :: field(0:, 0:, :)
    integer :: x, y, z
    do z = 1, s%n_z
      do y = 0, s%n - 1
        do x = 0, s%n - 1
          field(x, y, z) = cmplx(value_at(s%n, x, y, s%z_begin + z - 1), 0, real64)
        end do
      end do
    end do
  end subroutine fill_field

  !> Radix-2 transform in place; inverse leaves out the factor 1/n.
  subroutine fft_pencil(s, pencil, inverse)
    type(slabs), intent(in) :: s
    complex(real64), intent(inout) :: pencil(0:s%n - 1)
    logical, intent(in) :: inverse
    complex(real64) :: root, even, odd
    integer :: k, half, first, stride
    do k = 0, s%n - 1
      if (s%reversed(k) > k) then
        even = pencil(k)
        pencil(k) = pencil(s%reversed(k))
        pencil(s%reversed(k)) = even
      end if
    end do
    half = 1
    do while (half < s%n)
      stride = s%n/(2*half)
      do k = 0, half - 1
        root = s%roots(k*stride)
        if (inverse) root = conjg(root)
        do first = k, s%n - 1, 2*half
          even = pencil(first)
          odd = root*pencil(first + half)
          pencil(first) = even + odd
          pencil(first + half) = even - odd
        end do
      end do
      half = 2*half
    end do
  end subroutine fft_pencil

  !> Along x and y of every plane of real space.
  subroutine transform_planes(s, field, inverse)
    type(slabs), intent(in) :: s
    complex(real64), intent(inout), contiguous :: field(0:, 0:, :)
    logical, intent(in) :: inverse
    complex(real64) :: pencil(0:s%n - 1)
    integer :: x, y, z
    do z = 1, s%n_z
      do y = 0, s%n - 1
        call fft_pencil(s, field(:, y, z), inverse)
      end do
      do x = 0, s%n - 1
        pencil = field(x, :, z)
        call fft_pencil(s, pencil, inverse)
        field(x, :, z) = pencil
      end do
    end do
  end subroutine transform_planes

  !> Along z, which the transposition has made the first dimension.
  subroutine transform_columns(s, inverse)
    type(slabs), intent(inout) :: s
    logical, intent(in) :: inverse
    integer :: x, y
    do y = 1, s%n_y
      do x = 0, s%n - 1
        call fft_pencil(s, s%columns(:, x, y), inverse)
      end do
    end do
  end subroutine transform_columns

  !> Moves the field by one point along each axis, and applies the 1/n^3 the inverse transforms leave out.
  subroutine shift_phase(s)
    type(slabs), intent(inout) :: s
    real(real64) :: scaling
    integer :: x, y, z
    scaling = 1.0_real64/real(s%n, real64)**3
    do y = 1, s%n_y
      do x = 0, s%n - 1
        do z = 0, s%n - 1
          s%columns(z, x, y) = s%columns(z, x, y)*(s%roots(iand(x + s%y_begin + y - 1 + z, s%n - 1))*scaling)
        end do
      end do
    end do
  end subroutine shift_phase

  subroutine pack_planes(s, field)
    type(slabs), intent(inout) :: s
    complex(real64), intent(in), contiguous :: field(0:, 0:, :)
    integer :: peer, y, z, y_begin
    do peer = 0, s%ranks - 1
      y_begin = block_begin(s%n, s%ranks, peer)
      do z = 1, s%n_z
        do y = 1, block_begin(s%n, s%ranks, peer + 1) - y_begin
          s%sent(:, y, z, peer) = field(:, y_begin + y - 1, z)
        end do
      end do
    end do
  end subroutine pack_planes

  subroutine unpack_columns(s)
    type(slabs), intent(inout) :: s
    integer :: peer, x, y, z, z_begin
    do peer = 0, s%ranks - 1
      z_begin = block_begin(s%n, s%ranks, peer)
      do y = 1, s%n_y
        do z = 1, block_begin(s%n, s%ranks, peer + 1) - z_begin
          do x = 0, s%n - 1
            s%columns(z_begin + z - 1, x, y) = s%received(x, y, z, peer)
          end do
        end do
      end do
    end do
  end subroutine unpack_columns

  subroutine pack_columns(s)
    type(slabs), intent(inout) :: s
    integer :: peer, x, y, z, z_begin
    do peer = 0, s%ranks - 1
      z_begin = block_begin(s%n, s%ranks, peer)
      do y = 1, s%n_y
        do z = 1, block_begin(s%n, s%ranks, peer + 1) - z_begin
          do x = 0, s%n - 1
            s%sent(x, y, z, peer) = s%columns(z_begin + z - 1, x, y)
          end do
        end do
      end do
    end do
  end subroutine pack_columns

  subroutine unpack_planes(s, field)
    type(slabs), intent(in) :: s
    complex(real64), intent(inout), contiguous :: field(0:, 0:, :)
    integer :: peer, y, z, y_begin
    do peer = 0, s%ranks - 1
      y_begin = block_begin(s%n, s%ranks, peer)
      do z = 1, s%n_z
        do y = 1, block_begin(s%n, s%ranks, peer + 1) - y_begin
          field(:, y_begin + y - 1, z) = s%received(:, y, z, peer)
        end do
      end do
    end do
  end subroutine unpack_planes

  subroutine exchange_blocks(s)
    type(slabs), intent(inout) :: s
    integer :: block
    block = s%n*s%padded**2
    call MPI_Alltoall(s%sent, block, MPI_DOUBLE_COMPLEX, s%received, block, MPI_DOUBLE_COMPLEX, MPI_COMM_WORLD)
  end subroutine exchange_blocks

  subroutine step_field(s, field)
    type(slabs), intent(inout) :: s
    complex(real64), intent(inout), contiguous :: field(0:, 0:, :)
    call transform_planes(s, field, .false.)
    call pack_planes(s, field)
    call exchange_blocks(s)
    call unpack_columns(s)
    call transform_columns(s, .false.)
    call shift_phase(s)
    call transform_columns(s, .true.)
    call pack_columns(s)
    call exchange_blocks(s)
    call unpack_planes(s, field)
    call transform_planes(s, field, .true.)
  end subroutine step_field

  !> Largest deviation on this rank from the first field moved by steps points along each axis.
  real(real64) function check_field(s, field, steps) result(worst)
    type(slabs), intent(in) :: s
    complex(real64), intent(in), contiguous :: field(0:, 0:, :)
    integer, intent(in) :: steps
    real(real64) :: error
    integer :: x, y, z
    worst = 0
    do z = 1, s%n_z
      do y = 0, s%n - 1
        do x = 0, s%n - 1
          error = abs(field(x, y, z) - value_at(s%n, modulo(x - steps, s%n), modulo(y - steps, s%n), &
                                                modulo(s%z_begin + z - 1 - steps, s%n)))
          if (.not. error <= worst) worst = error  ! so written that NaN is kept
        end do
      end do
    end do
  end function check_field

end module spectral_slabs

program transpose3d
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use sample_arguments
  use spectral_slabs
  implicit none
  type(sample_usage), parameter :: usage = sample_usage('transpose3d', &
    '3-D Fourier transforms in slabs, transposed with MPI_Alltoall.', 'points a side, a power of two', 'steps', &
    64, 2, 1024, 200, 1000000)
  integer :: rank, ranks, n, steps, status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call sample_read_arguments(usage, rank, n, steps, status)
  if (status == sample_run) then
    if (popcnt(n) /= 1) then
      status = sample_bad_usage
      if (rank == 0) write (0, '(a,i0,a/a)') 'error: transpose3d: SIZE ', n, ' is not a power of two', &
        'hint: transpose3d 64'
    else if (ranks > n) then
      call sample_too_many_ranks('transpose3d', rank, ranks, n, 2**(bit_size(ranks) - leadz(ranks - 1)), status)
    else
      if (rank == 0) print '(3(a,i0))', 'transpose3d: size ', n, ', steps ', steps, ', ranks ', ranks
      call run(status)
    end if
  end if
  call MPI_Finalize()
  call sample_exit(status)

contains

  subroutine run(exit_status)
    integer, intent(out) :: exit_status
    type(slabs) :: s
    complex(real64), allocatable :: field(:, :, :)
    real(real64) :: mine, worst
    integer :: step
    call make_slabs(s, n, ranks, rank)
    allocate (field(0:n - 1, 0:n - 1, s%n_z))
    call fill_field(s, field)
    do step = 1, steps
      call step_field(s, field)
    end do
    mine = check_field(s, field, steps)
    call MPI_Allreduce(mine, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    if (rank == 0) print '(a,es9.2)', 'largest error ', worst
    ! A transform there and back rounds by a few 2**-53 log2(n) of the field's norm.
    call sample_verdict(rank, worst <= 1e-14_real64*steps + 1e-13_real64, exit_status)
  end subroutine run

end program transpose3d
