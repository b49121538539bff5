#include "core/raw/c_library.h"

#include <gtest/gtest.h>

#include "core/raw/file_libraries.h"

namespace scalediag::raw {
namespace {

TEST(CLibrary, IsKnownByTheNamesOfItsFiles) {
  for (const char* path : {"/lib/x86_64-linux-gnu/libc.so.6", "libc-2.31.so", "/lib64/libpthread.so.0",
                           "/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1"}) {
    EXPECT_TRUE(is_c_library(path)) << path;
    EXPECT_TRUE(is_file_library(path)) << path;
  }
  for (const char* path :
       {"/usr/lib/libc-client.so.2007e", "libcrypto.so.3", "/opt/libc.so.d/solver", "", "libm.so.6"}) {
    EXPECT_FALSE(is_c_library(path)) << path;
  }
}

TEST(FileLibraries, AreTheCLibraryAndThoseOfLanguagesAndFormats) {
  EXPECT_TRUE(is_file_library("/usr/lib/libhdf5_serial.so.103"));
  EXPECT_FALSE(is_file_library("/opt/app/libsolver.so"));
}

}  // namespace
}  // namespace scalediag::raw
