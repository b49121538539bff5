#include "collector/merge/symbols/kernel_of_function.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "collector/merge/symbols/debug_package.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::merge {
namespace {

TEST(KernelOfFunction, RoutinesOfMemoryAndStringsAreOneKernelOfTheirLibrary) {
  for (const char* name :
       {"__memset_avx512_unaligned_erms", "__memcpy_avx_unaligned", "__strlen_avx2", "malloc", "__libc_malloc", "cfree",
        "_int_free.part.0", "_int_malloc", "malloc_consolidate", "unlink_chunk.constprop.0", "free@@GLIBC_2.2.5"}) {
    EXPECT_EQ(kernel_of({name, "libc.so.6", "memset.S", 7}),
              (core::KernelId{"[memory and strings]", "libc.so.6", "", 0}))
        << name;
  }
  EXPECT_EQ(kernel_of({"operator new(unsigned long)", "libstdc++.so.6.0.30", "", 0}).name, "[memory and strings]");
}

TEST(KernelOfFunction, MathHasTheNameThatProgramsCall) {
  for (const auto& [name, called] : {std::pair{"__cos_fma", "cos"},
                                     {"__ieee754_exp_avx2", "exp"},
                                     {"__sincosf_fma", "sincosf"},
                                     {"floor", "floor"}}) {
    EXPECT_EQ(kernel_of({name, "libm.so.6", "s_sin.c", 264}), (core::KernelId{called, "libm.so.6", "s_sin.c", 264}));
  }
  EXPECT_EQ(kernel_of({"__cos_fma", "app", "", 0}).name, "__cos_fma");
}

TEST(KernelOfFunction, OthersKeepTheirNames) {
  for (const auto& [name, module] : {std::pair{"qsort_r", "libc.so.6"},
                                     {"freeaddrinfo", "libc.so.6"},
                                     {"vfprintf", "libc.so.6"},
                                     {"memory_bound_loop", "libc.so.6"},
                                     {"strtod", "libc.so.6"},
                                     {"malloc", "app"},
                                     {"memset_field", "app"},
                                     {"operator new(unsigned long)", "app"},
                                     {"std::string::append(char const*)", "libstdc++.so.6"}}) {
    const Function f{name, module, "a.c", 3};
    EXPECT_EQ(kernel_of(f), core::id_of(f));
    EXPECT_FALSE(says_nothing(f)) << name;
  }
}

TEST(KernelOfFunction, CodeWithoutSymbolsIsOneKernelOfItsModule) {
  const Function a{"libpetsc.so.3.18+0xaf05f0", "libpetsc.so.3.18", "", 0, false};
  const Function b{"libpetsc.so.3.18+0x1000-0x1fff", "libpetsc.so.3.18", "", 0, false};
  EXPECT_EQ(kernel_of(a), (core::KernelId{"libpetsc.so.3.18 (no symbols)", "libpetsc.so.3.18", "", 0}));
  EXPECT_EQ(kernel_of(a), kernel_of(b));
  EXPECT_TRUE(says_nothing(a));
  EXPECT_TRUE(says_nothing({"[vdso]", "[vdso]", "", 0}));
}

TEST(DebugPackage, IsThatOfThePackageWhichBroughtTheFile) {
  const core::TemporaryFolder folder;
  const auto list = [&](const std::string& name, const std::string& lines) {
    std::ofstream(folder.file(name)) << lines;
  };
  list("libpetsc-real3.18:amd64.list", "/.\n/usr/lib/x86_64-linux-gnu\n/usr/lib/x86_64-linux-gnu/libpetsc.so.3.18\n");
  list("libc6:amd64.list", "/lib/x86_64-linux-gnu/libc.so.6\n");
  list("other.md5sums", "/opt/lib.so\n");
  const auto package = [&](const char* path) { return debug_package_of(path, folder.path()); };
  EXPECT_EQ(package("/usr/lib/x86_64-linux-gnu/libpetsc.so.3.18"), "libpetsc-real3.18-dbgsym");
  EXPECT_EQ(package("/lib/x86_64-linux-gnu/libpetsc.so.3.18"), "libpetsc-real3.18-dbgsym");
  EXPECT_EQ(package("/usr/lib/x86_64-linux-gnu/libc.so.6"), "libc6-dbg");  // by its own name
  EXPECT_EQ(package("/opt/lib.so"), "");
  EXPECT_EQ(debug_package_of("/opt/lib.so", folder.file("none")), "");
}

}  // namespace
}  // namespace scalediag::merge
