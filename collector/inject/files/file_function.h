// The functions of the C library on files that are counted.
#pragma once

#include <cstdint>

namespace scalediag::inject::files {

// The functions that are told apart; those with other names for the same thing (pread64, __pread_chk) count as these.
enum class Function : uint8_t {
  kOpen,
  kClose,
  kRead,
  kWrite,
  kPread,
  kPwrite,
  kReadv,
  kWritev,
  kPreadv,
  kPwritev,
  kSync,
  kFopen,
  kFclose,
  kFread,
  kFwrite,
  kFgets,
  kGetline,
  kFputs,
  kFprintf,
  kFflush,
  kCount
};

}  // namespace scalediag::inject::files
