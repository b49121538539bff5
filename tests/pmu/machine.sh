#!/usr/bin/env bash
# An arm64 machine whose performance monitoring unit counts: QEMU emulates one, and Debian's packages fill it.
#
#   machine.sh --build-only           makes it, and $PMU_DIR/toolchain.cmake for cross-building
#   machine.sh -s FOLDER -- COMMAND   runs a shell command in it, with FOLDER as /host; exits with its status
#
# PMU_DIR (default: scalediag-pmu in the user's cache folder) keeps it, half a gigabyte. It needs the packages that
# `cmake/install-packages.sh pmu` installs, and Debian's for arm64 from this machine's own sources. With -icount every
# emulated instruction takes one nanosecond of the guest's clock, so that the counts are the same each time, whatever
# runs beside it.
set -euo pipefail
dir=${PMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/scalediag-pmu}
shared=$dir
limit_s=${PMU_TIMEOUT:-900}
build_only=0
while [ $# -gt 0 ]; do
  case $1 in
  --build-only) build_only=1; shift ;;
  -s) shared=$2; shift 2 ;;
  --) shift; break ;;
  *) echo "usage: machine.sh --build-only | -s FOLDER -- COMMAND" >&2; exit 2 ;;
  esac
done

fail() { echo "machine.sh: $*" >&2; exit 1; }

check_tools() {
  local tool
  for tool in qemu-system-aarch64 mmdebstrap cpio mke2fs aarch64-linux-gnu-g++; do
    command -v $tool >/dev/null || fail "there is no $tool: cmake/install-packages.sh pmu installs what is needed"
  done
}

# Packages are unpacked and not configured, for which arm64 programs would have to run here; the rest is done below.
unpack_root() {
  # shellcheck disable=SC1091
  local release; release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  local packages=bash,coreutils,grep,sed,findutils,mawk,libc-bin,libc6-dev,libstdc++-12-dev,zlib1g-dev
  packages+=,libpapi-dev,openmpi-bin,libopenmpi-dev,busybox-static,linux-image-arm64
  rm -rf "$dir/root"
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$packages" "$release" "$dir/root" \
    "$(first_of /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list)" >"$dir/unpack.log" 2>&1 ||
    fail "the packages for arm64 cannot be had: see $dir/unpack.log"
}

first_of() {
  local file
  for file in "$@"; do [ -s "$file" ] && echo "$file" && return; done
  fail "none of $* is there"
}

finish_root() {
  local root=$dir/root link target
  rm -rf "${root:?}"/dev/*
  # An absolute link would lead out of a sysroot.
  find "$root" -type l -lname '/*' | while read -r link; do
    target=$root$(readlink "$link")
    if [ -e "$target" ]; then ln -sfr "$target" "$link"; fi
  done
  ln -sf mpirun.openmpi "$root/usr/bin/mpirun"
  [ -e "$root/bin/sh" ] || ln -s bash "$root/bin/sh"
  for link in awk mount; do
    [ -e "$root/usr/bin/$link" ] || [ -e "$root/bin/$link" ] || ln -s /bin/busybox "$root/usr/bin/$link"
  done
  # BLAS and LAPACK of Debian are chosen when they are configured.
  local libraries=$root/usr/lib/aarch64-linux-gnu
  for link in "$libraries"/{blas,lapack,openmpi/lib}/*.so*; do
    if [ -e "$link" ] && [ ! -e "$libraries/$(basename "$link")" ]; then ln -sr "$link" "$libraries/"; fi
  done
  mkdir -p "$root"/{proc,sys,dev,tmp,run,root,host,etc}
  echo 'root:x:0:0:root:/root:/bin/bash' >"$root/etc/passwd"
  echo 'root:x:0:' >"$root/etc/group"
  echo '127.0.0.1 localhost guest' >"$root/etc/hosts"
  ldconfig -r "$root" 2>/dev/null || true
}

# Debian's kernel has the file systems as modules: an initramfs loads them, with what they depend on before them.
add_module() {
  local file needed
  file=$(find "$modules" -name "$1.ko" -o -name "${1//_/-}.ko" | head -n 1)
  [ -n "$file" ] || return 0
  grep -qx "$(basename "$file")" "$initramfs/order" && return 0
  # The information of a module is strings that end in zero bytes.
  for needed in $(grep -za '^depends=' "$file" | tr '\0,' '  ' | sed 's/depends=//'); do add_module "$needed"; done
  cp "$file" "$initramfs/"
  basename "$file" >>"$initramfs/order"
}

make_boot() {
  local root=$dir/root initramfs=$dir/initramfs modules name
  modules=$(echo "$root"/lib/modules/*)
  [ -d "$modules" ] || modules=$(echo "$root"/usr/lib/modules/*)
  rm -rf "$initramfs"
  mkdir -p "$initramfs"/{bin,dev,proc,new,control}
  cp "$root/bin/busybox" "$initramfs/bin/" 2>/dev/null || cp "$root/usr/bin/busybox" "$initramfs/bin/"
  : >"$initramfs/order"
  for name in virtio_mmio virtio_blk crc32c_generic ext4 9pnet_virtio 9p; do add_module $name; done
  cat >"$initramfs/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
echo 0 >/proc/sys/kernel/printk
exec </dev/console >/dev/console 2>&1
stty -opost -echo
for module in $(cat /order); do insmod /$module; done
mount -o noatime /dev/vda /new
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 control /control
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 host /new/host
mount -o move /proc /new/proc
mount -o move /dev /new/dev
mount -t sysfs sys /new/sys
mkdir -p /new/dev/shm
for folder in dev/shm tmp run; do mount -t tmpfs tmpfs /new/$folder; done
ifconfig lo 127.0.0.1 up
hostname guest
echo -1 >/new/proc/sys/kernel/perf_event_paranoid
# Samples must not be reduced because the emulated machine is slow.
echo 0 >/new/proc/sys/kernel/perf_cpu_time_max_percent
cp /control/command /new/run/command
chroot /new /bin/bash /run/command
echo $? >/control/status
sync
poweroff -f
INIT
  chmod +x "$initramfs/init"
  (cd "$initramfs" && find . | cpio --quiet -o -H newc | gzip -1) >"$dir/initramfs.gz"
  cp "$root"/boot/vmlinuz-* "$dir/kernel"
  rm -rf "$root"/boot "$modules" "$root"/usr/share/{doc,man,locale}
  rm -f "$dir/disk"
  truncate -s $(($(du -sm "$root" | cut -f 1) * 3 / 2 + 64))M "$dir/disk"
  mke2fs -q -t ext4 -O ^has_journal -d "$root" "$dir/disk"
}

write_toolchain() {
  cat >"$dir/toolchain.cmake" <<'TOOLCHAIN'
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/root)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# FindMPI asks a compiler wrapper, which is a program of the other machine.
set(openmpi ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/openmpi)
set(MPI_SKIP_COMPILER_WRAPPER TRUE)
set(MPI_CXX_SKIP_MPICXX TRUE CACHE BOOL "")
set(MPI_CXX_HEADER_DIR ${openmpi}/include CACHE PATH "")
set(MPI_CXX_LIB_NAMES mpi CACHE STRING "")
set(MPI_mpi_LIBRARY ${openmpi}/lib/libmpi.so CACHE FILEPATH "")
TOOLCHAIN
}

mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9
check_tools
if [ ! -e "$dir/made" ]; then
  echo "machine.sh: making the emulated machine in $dir" >&2
  unpack_root
  finish_root
  make_boot
  write_toolchain
  touch "$dir/made"
fi
exec 9>&-
[ $build_only = 0 ] || exit 0

control=$(mktemp -d)
trap 'rm -rf "$control"' EXIT
cat >"$control/command" <<COMMAND
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_plm_rsh_agent=/bin/false OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 PMIX_MCA_gds=hash
cd /host
$*
COMMAND
# cortex-a57: of the units that QEMU emulates PAPI knows this one.
timeout --foreground "$limit_s" qemu-system-aarch64 -M virt -cpu cortex-a57 -m 1G -icount shift=0,sleep=off \
  -nodefaults -display none -no-reboot -serial stdio -kernel "$dir/kernel" -initrd "$dir/initramfs.gz" \
  -append "console=ttyAMA0 panic=-1 rdinit=/init quiet loglevel=1 mitigations=off" \
  -drive "file=$dir/disk,format=raw,if=none,id=disk,snapshot=on" -device virtio-blk-device,drive=disk \
  -fsdev "local,id=host,path=$shared,security_model=none" -device virtio-9p-device,fsdev=host,mount_tag=host \
  -fsdev "local,id=control,path=$control,security_model=none" -device virtio-9p-device,fsdev=control,mount_tag=control \
  </dev/null || fail "the emulator ended with status $? (124: it took longer than $limit_s s)"
[ -s "$control/status" ] || fail "the emulated machine stopped before the command ended"
exit "$(cat "$control/status")"
