#include "collector/inject/writing/module_map.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace scalediag::inject {
namespace {

const Module* module_with(const ModuleSnapshot& s, const void* address) {
  const auto a = reinterpret_cast<uint64_t>(address);
  for (const Module& m : s.modules) {
    if (m.begin <= a && a < m.end) return &m;
  }
  return nullptr;
}

TEST(ModuleMap, NamesTheExecutableOfAFunctionInIt) {
  const ModuleSnapshot s = take_module_snapshot();
  const Module* m = module_with(s, reinterpret_cast<const void*>(&take_module_snapshot));
  ASSERT_NE(m, nullptr);
  char self[PATH_MAX] = "";
  ASSERT_GT(readlink("/proc/self/exe", self, sizeof self - 1), 0);
  EXPECT_EQ(m->path, self);
}

TEST(ModuleMap, LoadBiasIsWhatTheLoaderSays) {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&std::printf), &info), 0);
  const ModuleSnapshot s = take_module_snapshot();
  const Module* m = module_with(s, reinterpret_cast<const void*>(&std::printf));
  ASSERT_NE(m, nullptr);
  // A shared library's first segment has address 0, so its bias is where it begins.
  EXPECT_EQ(m->load_bias, reinterpret_cast<uint64_t>(info.dli_fbase));
}

TEST(ModuleMap, LinksOfAFolderAndOfAFileAreFollowed) {
  namespace fs = std::filesystem;
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<const void*>(&std::printf), &info), 0);
  char name[] = "/tmp/module_map_XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  const fs::path folder = fs::canonical(name);
  fs::create_directory(folder / "real");
  // A library of the C library's folder that nothing needs.
  fs::copy_file(fs::canonical(info.dli_fname).parent_path() / "libBrokenLocale.so.1", folder / "real/lib.so.1.2");
  fs::create_symlink("lib.so.1.2", folder / "real/lib.so");
  fs::create_symlink("real", folder / "link");
  void* const library = dlopen((folder / "link/lib.so").c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr);
  int found = 0;
  for (const Module& m : take_module_snapshot().modules) found += m.path == folder / "real/lib.so.1.2" ? 1 : 0;
  EXPECT_EQ(found, 1);
  dlclose(library);
  fs::remove_all(folder);
}

TEST(ModuleMap, BuildIdsAreTwentyBytesInHexadecimal) {
  const ModuleSnapshot s = take_module_snapshot();
  const Module* libc = module_with(s, reinterpret_cast<const void*>(&std::printf));
  ASSERT_NE(libc, nullptr);
  EXPECT_EQ(libc->build_id.size(), 40u);
  EXPECT_EQ(libc->build_id.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(ModuleMap, ALibraryThatComesAndGoesIsCounted) {
  const ModuleChanges before = module_changes();
  void* library = nullptr;
  for (const char* name : {"libutil.so.1", "libanl.so.1", "librt.so.1", "libBrokenLocale.so.1"}) {
    if (dlopen(name, RTLD_NOW | RTLD_NOLOAD) == nullptr && (library = dlopen(name, RTLD_NOW)) != nullptr) break;
  }
  if (library == nullptr) GTEST_SKIP() << "no library at hand that is not loaded already";
  EXPECT_EQ(module_changes().loaded, before.loaded + 1);
  dlclose(library);
  EXPECT_EQ(module_changes().unloaded, before.unloaded + 1);
}

}  // namespace
}  // namespace scalediag::inject
