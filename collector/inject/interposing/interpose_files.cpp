// The C library's functions for files, in front of its own: collector/inject/files says what is counted. They are
// called from signal handlers, while the program is loaded and in children of fork, so that nothing here takes a lock,
// allocates or changes errno.
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "collector/inject/files/file_totals.h"
#include "collector/inject/interposing/next_function.h"
#include "core/raw/own_descriptor.h"
#include "pmpi-comm/call_sites.h"
#include "pmpi-comm/ticks.h"

namespace files = scalediag::inject::files;
using scalediag::pmpi::Caller;
using scalediag::raw::OwnDescriptor;

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace {

// The C library's function. Looked up without the guard of a static variable, which a signal handler could find taken.
template <class Signature> class Real {
 public:
  constexpr explicit Real(const char* name) : name_(name) {}
  Signature* get() {
    Signature* found = found_.load(std::memory_order_relaxed);
    if (__builtin_expect(found == nullptr, 0)) {
      found = scalediag::inject::next_function<Signature*>(name_);
      found_.store(found, std::memory_order_relaxed);
    }
    return found;
  }
  template <class... Argument> auto operator()(Argument... arguments) { return get()(arguments...); }

 private:
  const char* const name_;
  std::atomic<Signature*> found_{nullptr};
};

// A call that moves `bytes_of(result)`.
template <class Call, class BytesOf>
auto moves(files::Function function, Caller caller, bool counts, Call call, BytesOf bytes_of) {
  if (!counts) return call();
  const uint64_t begin = scalediag::pmpi::ticks();
  const auto result = call();
  const uint64_t elapsed = scalediag::pmpi::ticks() - begin;
  files::add(function, caller, bytes_of(result), elapsed);
  return result;
}

// A call whose result is its number of bytes.
template <class Call> auto moves(files::Function function, Caller caller, bool counts, Call call) {
  return moves(function, caller, counts, call, [](auto result) { return static_cast<int64_t>(result); });
}

constexpr auto no_bytes = [](auto) { return int64_t{0}; };

template <class File> bool counts(File file) { return files::counts_here() && files::is_regular(file); }

// Opens a file and notes its kind.
template <class Call> int opens(Caller caller, Call call) {
  if (!files::counts_here()) {
    const int descriptor = call();
    files::forget(descriptor);
    return descriptor;
  }
  const uint64_t begin = scalediag::pmpi::ticks();
  const int descriptor = call();
  const uint64_t elapsed = scalediag::pmpi::ticks() - begin;
  files::forget(descriptor);
  if (files::is_regular(descriptor)) files::add(files::Function::kOpen, caller, 0, elapsed);
  return descriptor;
}

template <class Call> std::FILE* opens_stream(Caller caller, Call call) {
  const bool counted = files::counts_here();
  const uint64_t begin = counted ? scalediag::pmpi::ticks() : 0;
  std::FILE* const file = call();
  const uint64_t elapsed = counted ? scalediag::pmpi::ticks() - begin : 0;
  if (file == nullptr) return file;
  files::forget(fileno(file));
  if (counted && files::is_regular(file)) files::add(files::Function::kFopen, caller, 0, elapsed);
  return file;
}

bool has_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

int64_t length_of(const char* text) { return text != nullptr ? static_cast<int64_t>(std::strlen(text)) : 0; }

}  // namespace

// Of the exported function that it stands in: where the application called it.
#define SCALEDIAG_CALLER                                                                                         \
  Caller {                                                                                                       \
    reinterpret_cast<uintptr_t>(__builtin_return_address(0)), reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()) \
  }

// The mode follows only flags that create a file.
#define SCALEDIAG_MODE_OF(flags)      \
  mode_t mode = 0;                    \
  if (has_mode(flags)) {              \
    va_list arguments;                \
    va_start(arguments, flags);       \
    mode = va_arg(arguments, mode_t); \
    va_end(arguments);                \
  }

#define SCALEDIAG_OPEN(name)                                                       \
  SCALEDIAG_SHOWN int name(const char* path, int flags, ...) {                     \
    static Real<int(const char*, int, ...)> real(#name);                           \
    SCALEDIAG_MODE_OF(flags)                                                       \
    return opens(SCALEDIAG_CALLER, [&] { return real.get()(path, flags, mode); }); \
  }
#define SCALEDIAG_OPENAT(name)                                                             \
  SCALEDIAG_SHOWN int name(int folder, const char* path, int flags, ...) {                 \
    static Real<int(int, const char*, int, ...)> real(#name);                              \
    SCALEDIAG_MODE_OF(flags)                                                               \
    return opens(SCALEDIAG_CALLER, [&] { return real.get()(folder, path, flags, mode); }); \
  }
SCALEDIAG_OPEN(open)
SCALEDIAG_OPEN(open64)
SCALEDIAG_OPENAT(openat)
SCALEDIAG_OPENAT(openat64)

// Calls of fortified programs; they create no file.
SCALEDIAG_SHOWN int __open_2(const char* path, int flags) {
  static Real<int(const char*, int)> real("__open_2");
  return opens(SCALEDIAG_CALLER, [&] { return real(path, flags); });
}
SCALEDIAG_SHOWN int __open64_2(const char* path, int flags) {
  static Real<int(const char*, int)> real("__open64_2");
  return opens(SCALEDIAG_CALLER, [&] { return real(path, flags); });
}

SCALEDIAG_SHOWN int creat(const char* path, mode_t mode) {
  static Real<int(const char*, mode_t)> real("creat");
  return opens(SCALEDIAG_CALLER, [&] { return real(path, mode); });
}
SCALEDIAG_SHOWN int creat64(const char* path, mode_t mode) {
  static Real<int(const char*, mode_t)> real("creat64");
  return opens(SCALEDIAG_CALLER, [&] { return real(path, mode); });
}

// Programs that close all descriptors, or all but a few, do not know of those that the collector keeps, which stay
// open.
SCALEDIAG_SHOWN int close(int file) {
  static Real<int(int)> real("close");
  if (OwnDescriptor::is_own(file)) return 0;
  const bool counted = counts(file);
  files::forget(file);
  return moves(
      files::Function::kClose, SCALEDIAG_CALLER, counted, [&] { return real(file); }, no_bytes);
}

// The C library has these two since 2.34.
SCALEDIAG_SHOWN int close_range(unsigned first, unsigned last, int flags) noexcept {
  constexpr unsigned kOnExec = 4;  // CLOSE_RANGE_CLOEXEC, which ours have anyhow
  const auto close_all = [flags](unsigned from, unsigned to) {
    return static_cast<int>(syscall(SYS_close_range, from, to, flags));
  };
  if (first > last || (static_cast<unsigned>(flags) & kOnExec) != 0) return close_all(first, last);
  files::forget(first, last);
  while (const auto own = OwnDescriptor::lowest_own(first, last)) {
    if (const int failed = *own > first ? close_all(first, *own - 1) : 0; failed != 0) return failed;
    first = *own + 1;
  }
  return first <= last ? close_all(first, last) : 0;
}
SCALEDIAG_SHOWN void closefrom(int first) noexcept {
  static Real<void(int)> real("closefrom");
  const bool closed = close_range(static_cast<unsigned>(std::max(0, first)), ~0U, 0) == 0;
  if (!closed && real.get() != nullptr) real(first);
}

SCALEDIAG_SHOWN int dup2(int from, int to) noexcept {
  static Real<int(int, int)> real("dup2");
  files::forget(to);
  return real(from, to);
}
SCALEDIAG_SHOWN int dup3(int from, int to, int flags) noexcept {
  static Real<int(int, int, int)> real("dup3");
  files::forget(to);
  return real(from, to, flags);
}

SCALEDIAG_SHOWN ssize_t read(int file, void* data, size_t bytes) {
  static Real<ssize_t(int, void*, size_t)> real("read");
  return moves(files::Function::kRead, SCALEDIAG_CALLER, counts(file), [&] { return real(file, data, bytes); });
}
SCALEDIAG_SHOWN ssize_t __read_chk(int file, void* data, size_t bytes, size_t room) {
  static Real<ssize_t(int, void*, size_t, size_t)> real("__read_chk");
  return moves(files::Function::kRead, SCALEDIAG_CALLER, counts(file), [&] { return real(file, data, bytes, room); });
}
SCALEDIAG_SHOWN ssize_t write(int file, const void* data, size_t bytes) {
  static Real<ssize_t(int, const void*, size_t)> real("write");
  return moves(files::Function::kWrite, SCALEDIAG_CALLER, counts(file), [&] { return real(file, data, bytes); });
}

#define SCALEDIAG_PREAD(name)                                                  \
  SCALEDIAG_SHOWN ssize_t name(int file, void* data, size_t bytes, off_t at) { \
    static Real<ssize_t(int, void*, size_t, off_t)> real(#name);               \
    return moves(files::Function::kPread, SCALEDIAG_CALLER, counts(file),      \
                 [&] { return real(file, data, bytes, at); });                 \
  }
#define SCALEDIAG_PREAD_CHK(name)                                                           \
  SCALEDIAG_SHOWN ssize_t name(int file, void* data, size_t bytes, off_t at, size_t room) { \
    static Real<ssize_t(int, void*, size_t, off_t, size_t)> real(#name);                    \
    return moves(files::Function::kPread, SCALEDIAG_CALLER, counts(file),                   \
                 [&] { return real(file, data, bytes, at, room); });                        \
  }
#define SCALEDIAG_PWRITE(name)                                                       \
  SCALEDIAG_SHOWN ssize_t name(int file, const void* data, size_t bytes, off_t at) { \
    static Real<ssize_t(int, const void*, size_t, off_t)> real(#name);               \
    return moves(files::Function::kPwrite, SCALEDIAG_CALLER, counts(file),           \
                 [&] { return real(file, data, bytes, at); });                       \
  }
#define SCALEDIAG_VECTOR(name, function)                                                                           \
  SCALEDIAG_SHOWN ssize_t name(int file, const iovec* parts, int n) {                                              \
    static Real<ssize_t(int, const iovec*, int)> real(#name);                                                      \
    return moves(files::Function::function, SCALEDIAG_CALLER, counts(file), [&] { return real(file, parts, n); }); \
  }
#define SCALEDIAG_VECTOR_AT(name, function)                                                                            \
  SCALEDIAG_SHOWN ssize_t name(int file, const iovec* parts, int n, off_t at) {                                        \
    static Real<ssize_t(int, const iovec*, int, off_t)> real(#name);                                                   \
    return moves(files::Function::function, SCALEDIAG_CALLER, counts(file), [&] { return real(file, parts, n, at); }); \
  }
#define SCALEDIAG_SYNC(name)                                                                           \
  SCALEDIAG_SHOWN int name(int file) {                                                                 \
    static Real<int(int)> real(#name);                                                                 \
    return moves(                                                                                      \
        files::Function::kSync, SCALEDIAG_CALLER, counts(file), [&] { return real(file); }, no_bytes); \
  }
SCALEDIAG_PREAD(pread)
SCALEDIAG_PREAD(pread64)
SCALEDIAG_PREAD_CHK(__pread_chk)
SCALEDIAG_PREAD_CHK(__pread64_chk)
SCALEDIAG_PWRITE(pwrite)
SCALEDIAG_PWRITE(pwrite64)
SCALEDIAG_VECTOR(readv, kReadv)
SCALEDIAG_VECTOR(writev, kWritev)
SCALEDIAG_VECTOR_AT(preadv, kPreadv)
SCALEDIAG_VECTOR_AT(preadv64, kPreadv)
SCALEDIAG_VECTOR_AT(pwritev, kPwritev)
SCALEDIAG_VECTOR_AT(pwritev64, kPwritev)
SCALEDIAG_SYNC(fsync)
SCALEDIAG_SYNC(fdatasync)

SCALEDIAG_SHOWN std::FILE* fopen(const char* path, const char* mode) {
  static Real<std::FILE*(const char*, const char*)> real("fopen");
  return opens_stream(SCALEDIAG_CALLER, [&] { return real(path, mode); });
}
SCALEDIAG_SHOWN std::FILE* fopen64(const char* path, const char* mode) {
  static Real<std::FILE*(const char*, const char*)> real("fopen64");
  return opens_stream(SCALEDIAG_CALLER, [&] { return real(path, mode); });
}

SCALEDIAG_SHOWN int fclose(std::FILE* file) {
  static Real<int(std::FILE*)> real("fclose");
  const bool counted = counts(file);
  const int error = errno;  // fileno sets it for streams in memory
  files::forget(fileno(file));
  errno = error;
  return moves(
      files::Function::kFclose, SCALEDIAG_CALLER, counted, [&] { return real(file); }, no_bytes);
}

SCALEDIAG_SHOWN int fflush(std::FILE* file) {
  static Real<int(std::FILE*)> real("fflush");
  return moves(
      files::Function::kFflush, SCALEDIAG_CALLER, counts(file), [&] { return real(file); }, no_bytes);
}

#define SCALEDIAG_FREAD(name)                                                                               \
  SCALEDIAG_SHOWN size_t name(void* data, size_t size, size_t n, std::FILE* file) {                         \
    static Real<size_t(void*, size_t, size_t, std::FILE*)> real(#name);                                     \
    return moves(                                                                                           \
        files::Function::kFread, SCALEDIAG_CALLER, counts(file), [&] { return real(data, size, n, file); }, \
        [&](size_t done) { return static_cast<int64_t>(done * size); });                                    \
  }
#define SCALEDIAG_FREAD_CHK(name)                                                                                 \
  SCALEDIAG_SHOWN size_t name(void* data, size_t room, size_t size, size_t n, std::FILE* file) {                  \
    static Real<size_t(void*, size_t, size_t, size_t, std::FILE*)> real(#name);                                   \
    return moves(                                                                                                 \
        files::Function::kFread, SCALEDIAG_CALLER, counts(file), [&] { return real(data, room, size, n, file); }, \
        [&](size_t done) { return static_cast<int64_t>(done * size); });                                          \
  }
#define SCALEDIAG_FWRITE(name)                                                                               \
  SCALEDIAG_SHOWN size_t name(const void* data, size_t size, size_t n, std::FILE* file) {                    \
    static Real<size_t(const void*, size_t, size_t, std::FILE*)> real(#name);                                \
    return moves(                                                                                            \
        files::Function::kFwrite, SCALEDIAG_CALLER, counts(file), [&] { return real(data, size, n, file); }, \
        [&](size_t done) { return static_cast<int64_t>(done * size); });                                     \
  }
SCALEDIAG_FREAD(fread)
SCALEDIAG_FREAD(fread_unlocked)
SCALEDIAG_FREAD_CHK(__fread_chk)
SCALEDIAG_FWRITE(fwrite)
SCALEDIAG_FWRITE(fwrite_unlocked)

SCALEDIAG_SHOWN char* fgets(char* text, int room, std::FILE* file) {
  static Real<char*(char*, int, std::FILE*)> real("fgets");
  return moves(
      files::Function::kFgets, SCALEDIAG_CALLER, counts(file), [&] { return real(text, room, file); }, length_of);
}
SCALEDIAG_SHOWN char* __fgets_chk(char* text, size_t bytes, int room, std::FILE* file) {
  static Real<char*(char*, size_t, int, std::FILE*)> real("__fgets_chk");
  return moves(
      files::Function::kFgets, SCALEDIAG_CALLER, counts(file), [&] { return real(text, bytes, room, file); },
      length_of);
}
SCALEDIAG_SHOWN ssize_t getline(char** line, size_t* room, std::FILE* file) {
  static Real<ssize_t(char**, size_t*, std::FILE*)> real("getline");
  return moves(files::Function::kGetline, SCALEDIAG_CALLER, counts(file), [&] { return real(line, room, file); });
}
SCALEDIAG_SHOWN int fputs(const char* text, std::FILE* file) {
  static Real<int(const char*, std::FILE*)> real("fputs");
  return moves(
      files::Function::kFputs, SCALEDIAG_CALLER, counts(file), [&] { return real(text, file); },
      [&](int result) { return result < 0 ? 0 : length_of(text); });
}

namespace {

int print(Caller caller, std::FILE* file, const char* format, va_list arguments) {
  static Real<int(std::FILE*, const char*, va_list)> real("vfprintf");
  return moves(files::Function::kFprintf, caller, counts(file), [&] { return real.get()(file, format, arguments); });
}

int print_checked(Caller caller, std::FILE* file, int flag, const char* format, va_list arguments) {
  static Real<int(std::FILE*, int, const char*, va_list)> real("__vfprintf_chk");
  return moves(files::Function::kFprintf, caller, counts(file),
               [&] { return real.get()(file, flag, format, arguments); });
}

}  // namespace

SCALEDIAG_SHOWN int vfprintf(std::FILE* file, const char* format, va_list arguments) {
  return print(SCALEDIAG_CALLER, file, format, arguments);
}
SCALEDIAG_SHOWN int __vfprintf_chk(std::FILE* file, int flag, const char* format, va_list arguments) {
  return print_checked(SCALEDIAG_CALLER, file, flag, format, arguments);
}
SCALEDIAG_SHOWN int fprintf(std::FILE* file, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = print(SCALEDIAG_CALLER, file, format, arguments);
  va_end(arguments);
  return n;
}
SCALEDIAG_SHOWN int __fprintf_chk(std::FILE* file, int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = print_checked(SCALEDIAG_CALLER, file, flag, format, arguments);
  va_end(arguments);
  return n;
}
