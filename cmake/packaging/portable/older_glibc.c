// Functions of glibc that would tie a program to the glibc that it was linked with. A program with this file in it
// starts on glibc 2.28 and every later one.
//
// glibc gives a function that changed or moved a new version, and the linker takes the newest. Every later glibc still
// has the first version, which is taken here. Functions that moved into another library are in the .map files beside
// this one, of which cmake/Portable.cmake makes stand-ins for the libraries that they lay in. Functions that older ones
// lack are written out. All definitions are weak: a library that exports a function of the same name keeps its own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

#ifndef __x86_64__
#error "the versions below are those of x86-64"
#endif

// FIRST(name, version): the function `name` jumps to the one of `version`.
#define FIRST(name, version)                                                                                       \
  __asm__(".symver first_" #name "," #name "@GLIBC_" version "\n.pushsection .text\n.weak " #name "\n.type " #name \
          ",@function\n" #name ":\n\tjmp first_" #name "@PLT\n.size " #name ",.-" #name "\n.popsection")

// The versions of glibc 2.29 and 2.35 (hypot) leave out a hook for errors that nobody uses; values are the same.
FIRST(exp, "2.2.5");
FIRST(exp2, "2.2.5");
FIRST(hypot, "2.2.5");
FIRST(log, "2.2.5");
FIRST(log2, "2.2.5");
FIRST(pow, "2.2.5");

// libstdc++ reads it to save atomic instructions in programs of one thread (glibc 2.32). Zero: there may be more.
WEAK char __libc_single_threaded = 0;

// Exported functions since glibc 2.33; before, headers made them calls of __xstat. The kernel's struct is glibc's on
// the processors that this file is for.
WEAK int fstatat(int folder, const char* restrict path, struct stat* restrict status, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}
WEAK int fstat(int descriptor, struct stat* status) { return (int)syscall(SYS_fstat, descriptor, status); }
WEAK int stat(const char* restrict path, struct stat* restrict status) { return fstatat(AT_FDCWD, path, status, 0); }
WEAK int lstat(const char* restrict path, struct stat* restrict status) {
  return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
WEAK int fstatat64(int folder, const char* restrict path, struct stat64* restrict status, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}
WEAK int fstat64(int descriptor, struct stat64* status) { return (int)syscall(SYS_fstat, descriptor, status); }
WEAK int stat64(const char* restrict path, struct stat64* restrict status) {
  return fstatat64(AT_FDCWD, path, status, 0);
}
WEAK int lstat64(const char* restrict path, struct stat64* restrict status) {
  return fstatat64(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

// Random bits from the kernel, as glibc 2.36 has them. A kernel without getrandom (before 3.17) ends the program.
WEAK void arc4random_buf(void* bits, size_t n) {
  for (char* at = bits; n > 0;) {
    const long got = syscall(SYS_getrandom, at, n, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) abort();
    at += got;
    n -= (size_t)got;
  }
}
WEAK uint32_t arc4random(void) {
  uint32_t bits = 0;
  arc4random_buf(&bits, sizeof bits);
  return bits;
}

// Names as glibc 2.32 has them, null where there is none.
WEAK const char* sigabbrev_np(int number) {
  static const char* const kNames[] = {
      [SIGHUP] = "HUP",    [SIGINT] = "INT",       [SIGQUIT] = "QUIT", [SIGILL] = "ILL",   [SIGTRAP] = "TRAP",
      [SIGABRT] = "ABRT",  [SIGBUS] = "BUS",       [SIGFPE] = "FPE",   [SIGKILL] = "KILL", [SIGUSR1] = "USR1",
      [SIGSEGV] = "SEGV",  [SIGUSR2] = "USR2",     [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM", [SIGTERM] = "TERM",
      [SIGCHLD] = "CHLD",  [SIGSTKFLT] = "STKFLT", [SIGCONT] = "CONT", [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
      [SIGTTIN] = "TTIN",  [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
      [SIGPROF] = "PROF",  [SIGVTALRM] = "VTALRM", [SIGIO] = "POLL",   [SIGPWR] = "PWR",   [SIGSYS] = "SYS",
      [SIGWINCH] = "WINCH"};
  return number > 0 && (size_t)number < sizeof kNames / sizeof *kNames ? kNames[number] : NULL;
}

WEAK const char* sigdescr_np(int number) { return sigabbrev_np(number) == NULL ? NULL : strsignal(number); }

// Waits until a time of another clock than the condition's (glibc 2.30): the time that is left is added to the
// condition's own clock, that of the calendar. A clock that is set meanwhile makes the wait too long or too short; its
// callers ask again for the time.
WEAK int pthread_cond_clockwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex, clockid_t clock,
                                const struct timespec* restrict until) {
  struct timespec now, end;
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &end) != 0) return EINVAL;
  end.tv_sec += until->tv_sec - now.tv_sec;
  end.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (end.tv_nsec < 0) {
    end.tv_nsec += 1000000000;
    --end.tv_sec;
  } else if (end.tv_nsec >= 1000000000) {
    end.tv_nsec -= 1000000000;
    ++end.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &end);
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
// The object that holds an address, for libgcc when an exception is thrown (glibc 2.35).
struct searched_object {
  uintptr_t address;
  struct dl_find_object* found;
};

static int is_searched_object(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  const struct searched_object* search = data;
  uintptr_t begin = UINTPTR_MAX, end = 0, frames = 0;
  int holds = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const uintptr_t first = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    const uintptr_t last = first + object->dlpi_phdr[i].p_memsz;
    if (object->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) frames = first;
    if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
    if (first < begin) begin = first;
    if (last > end) end = last;
    if (search->address >= first && search->address < last) holds = 1;
  }
  if (!holds || frames == 0) return 0;
  memset(search->found, 0, sizeof *search->found);
  search->found->dlfo_map_start = (void*)begin;
  search->found->dlfo_map_end = (void*)end;
  search->found->dlfo_eh_frame = (void*)frames;
  return 1;
}

WEAK int _dl_find_object(void* address, struct dl_find_object* found) {
  struct searched_object search = {(uintptr_t)address, found};
  return dl_iterate_phdr(is_searched_object, &search) == 1 ? 0 : -1;
}
#endif

#ifdef SCALEDIAG_PROGRAM
// Programs' start: since glibc 2.34 the C library runs a program's constructors itself and is handed no function for
// it. An older one runs only what it is handed. The linker puts this function in front (--wrap).
typedef int (*main_function)(int, char**, char**);
typedef void (*constructor)(int, char**, char**);
extern constructor __init_array_start[] __attribute__((visibility("hidden")));
extern constructor __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void) __attribute__((visibility("hidden")));
__asm__(".symver first_libc_start_main,__libc_start_main@GLIBC_2.2.5");
int first_libc_start_main(main_function, int, char**, constructor, void (*)(void), void (*)(void), void*);
int __wrap___libc_start_main(main_function, int, char**, constructor, void (*)(void), void (*)(void), void*);

static void run_constructors(int argc, char** argv, char** environment) {
  _init();
  for (constructor* next = __init_array_start; next != __init_array_end; ++next) (*next)(argc, argv, environment);
}

int __wrap___libc_start_main(main_function start, int argc, char** argv, constructor init, void (*fini)(void),
                             void (*loader_fini)(void), void* stack_end) {
  (void)init;
  return first_libc_start_main(start, argc, argv, run_constructors, fini, loader_fini, stack_end);
}
#endif
