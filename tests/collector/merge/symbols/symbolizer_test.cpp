// The expected names, files and lines are those of the sources in symbols/.
#include "collector/merge/symbols/symbolizer.h"

#include <fcntl.h>
#include <gelf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "collector/merge/symbols/debug_files.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::merge {
namespace {

const std::string kBinaries = SYMBOLS_BINARY_DIR;
const std::string kSources = SYMBOLS_SOURCE_DIR;

// The number of the first line that contains the text.
int line_of(const std::string& source, const std::string& text) {
  std::ifstream in(kSources + "/" + source);
  std::string line;
  for (int n = 1; std::getline(in, line); ++n) {
    if (line.find(text) != std::string::npos) return n;
  }
  ADD_FAILURE() << source << " does not contain " << text;
  return -1;
}

struct AddressSize {
  uint64_t address = 0;
  uint64_t size = 0;
};

class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY)) {
    elf_version(EV_CURRENT);
    elf_ = elf_begin(fd_, ELF_C_READ, nullptr);
  }
  ~ElfFile() {
    elf_end(elf_);
    ::close(fd_);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  std::string build_id() const { return build_id_of(elf_); }

  // Address and size of the first symbol whose name begins so; {0, 0} when there is none.
  AddressSize symbol(const std::string& prefix) const {
    for (Elf_Scn* s = elf_nextscn(elf_, nullptr); s != nullptr; s = elf_nextscn(elf_, s)) {
      GElf_Shdr h;
      gelf_getshdr(s, &h);
      if (h.sh_type != SHT_SYMTAB) continue;
      Elf_Data* data = elf_getdata(s, nullptr);
      for (int i = 1; i < static_cast<int>(h.sh_size / h.sh_entsize); ++i) {
        GElf_Sym symbol;
        gelf_getsym(data, i, &symbol);
        const std::string name = elf_strptr(elf_, h.sh_link, symbol.st_name);
        if (symbol.st_value != 0 && name.rfind(prefix, 0) == 0) return {symbol.st_value, symbol.st_size};
      }
    }
    return {};
  }

  uint64_t section(const std::string& wanted) const {
    size_t names = 0;
    elf_getshdrstrndx(elf_, &names);
    for (Elf_Scn* s = elf_nextscn(elf_, nullptr); s != nullptr; s = elf_nextscn(elf_, s)) {
      GElf_Shdr h;
      gelf_getshdr(s, &h);
      if (wanted == elf_strptr(elf_, names, h.sh_name)) return h.sh_addr;
    }
    return 0;
  }

 private:
  int fd_;
  Elf* elf_ = nullptr;
};

class Symbolizer : public testing::Test {
 protected:
  static std::string binary(const std::string& name) { return kBinaries + "/" + name; }

  // The function that covers the middle of a symbol of the file.
  const Function& at_symbol(const std::string& file, const std::string& symbol) {
    const ElfFile elf(binary(file));
    const AddressSize where = elf.symbol(symbol);
    EXPECT_NE(where.address, 0u) << file << " has no " << symbol;
    return cache_.module(binary(file), elf.build_id()).function_at(where.address + where.size / 2);
  }

  void expect(const std::string& file, const std::string& symbol, const std::string& name, const std::string& source,
              const std::string& definition) {
    const Function& f = at_symbol(file, symbol);
    EXPECT_EQ(f.name, name);
    EXPECT_EQ(f.module, file);
    // The file's name as it was given to the compiler: a compiler cache makes it relative to the build folder.
    EXPECT_EQ(std::filesystem::path(f.file).filename(), source);
    EXPECT_NE(f.file.find("/symbols/"), std::string::npos) << f.file;
    EXPECT_EQ(f.line, line_of(source, definition)) << name;
  }

  // "name:line" of all functions that are inlined in a function, and of the function itself.
  std::set<std::string> inlined_in(const std::string& file, const std::string& symbol) {
    const ElfFile elf(binary(file));
    const AddressSize where = elf.symbol(symbol);
    EXPECT_NE(where.address, 0u) << file << " has no " << symbol;
    ModuleSymbols& m = cache_.module(binary(file), elf.build_id());
    std::set<std::string> found;
    for (uint64_t a = where.address; a < where.address + where.size; ++a) {
      const Function& f = m.inlined_function_at(a);
      found.insert(f.name + ":" + std::to_string(f.line));
    }
    return found;
  }

  SymbolCache cache_;
};

TEST_F(Symbolizer, NamesFunctionsOfC) {
  expect("libsymbols_c.so", "hidden", "hidden", "symbols_c.c", "int hidden(int a)");
  expect("libsymbols_c.so", "outer", "outer", "symbols_c.c", "void outer(int a)");
}

TEST_F(Symbolizer, PrefersTheShortestGlobalName) {
  // exported, other_name_of_exported and the weak a_weak_one, which would be first in the alphabet.
  EXPECT_EQ(at_symbol("libsymbols_c.so", "other_name_of_exported").name, "exported");
}

TEST_F(Symbolizer, ChargesColdPartsToTheirFunction) {
  if (ElfFile(binary("libsymbols_c.so")).symbol("with_cold_part.cold").address == 0) {
    GTEST_SKIP() << "this compiler does not split functions";
  }
  expect("libsymbols_c.so", "with_cold_part.cold", "with_cold_part", "symbols_c.c", "int with_cold_part(int a)");
}

TEST_F(Symbolizer, NamesFunctionsOfCpp) {
  expect("libsymbols_cpp.so", "_ZN7physics4GridIdE5relaxEi", "physics::Grid<double>::relax(int)", "symbols_cpp.cpp",
         "T Grid<T>::relax(int n)");
  expect("libsymbols_cpp.so", "_ZN7physics4GridIdE5resetEPd", "physics::Grid<double>::reset(double*)",
         "symbols_cpp.cpp", "void Grid<T>::reset(T* p)");
  expect("libsymbols_cpp.so", "_ZN7physics12_GLOBAL__N_110file_localEi",
         "physics::(anonymous namespace)::file_local(int)", "symbols_cpp.cpp", "int file_local(int a)");
}

TEST_F(Symbolizer, NamesProceduresOfFortran) {
  expect("symbols_fortran", "__grid_MOD_smooth", "grid::smooth", "symbols_fortran.f90", "subroutine smooth(x)");
  expect("symbols_fortran", "inner.", "grid::smooth::inner", "symbols_fortran.f90", "subroutine inner(k)");
  expect("symbols_fortran", "__grid.solver_MOD_helper", "grid.solver::helper", "symbols_fortran.f90",
         "subroutine helper(x)");
  expect("symbols_fortran", "outside_", "outside", "symbols_fortran.f90", "subroutine outside(x)");
  expect("symbols_fortran", "MAIN__", "heat", "symbols_fortran.f90", "program heat");
  expect("symbols_fortran", "finish.", "heat::finish", "symbols_fortran.f90", "subroutine finish");
}

TEST_F(Symbolizer, NamesOpenMpRegions) {
  expect("symbols_fortran", "__grid_MOD_parallel_part._omp_fn.0", "grid::parallel_part [omp region 0]",
         "symbols_fortran.f90", "!$omp parallel do");
}

TEST_F(Symbolizer, OneFunctionIsOneObject) {
  const ElfFile elf(binary("libsymbols_c.so"));
  const AddressSize hidden = elf.symbol("hidden");
  ModuleSymbols& m = cache_.module(binary("libsymbols_c.so"), elf.build_id());
  EXPECT_EQ(&m.function_at(hidden.address), &m.function_at(hidden.address + hidden.size - 1));
  EXPECT_NE(&m.function_at(hidden.address), &m.function_at(hidden.address + hidden.size + 64));
}

TEST_F(Symbolizer, ResolvesInlinedFunctionsWhenAsked) {
  const ElfFile elf(binary("libsymbols_c.so"));
  const AddressSize outer = elf.symbol("outer");
  ModuleSymbols& m = cache_.module(binary("libsymbols_c.so"), elf.build_id());
  std::set<std::string> called;
  for (uint64_t a = outer.address; a < outer.address + outer.size; ++a) called.insert(m.function_at(a).name);
  EXPECT_EQ(called, std::set<std::string>{"outer"});
  const auto at = [](const std::string& name) {
    return name + ":" + std::to_string(line_of("symbols_c.c", " " + name + "(int a) {"));
  };
  EXPECT_EQ(inlined_in("libsymbols_c.so", "outer"),
            (std::set<std::string>{at("outer"), at("middle"), at("innermost")}));
}

// gcc gives them no linkage name, so that their arguments are unknown; clang does.
TEST_F(Symbolizer, NamesInlinedPrivateFunctionsWithWhatIsAroundThem) {
  const std::set<std::string> cpp = inlined_in("libsymbols_cpp.so", "_ZN7physics7inlinesEi");
  const std::string line = ":" + std::to_string(line_of("symbols_cpp.cpp", "void only_inlined(int a)"));
  const std::string name = "physics::(anonymous namespace)::only_inlined";
  EXPECT_EQ(cpp.count(name + line) + cpp.count(name + "(int)" + line), 1u) << testing::PrintToString(cpp);
  const std::set<std::string> fortran = inlined_in("libsymbols_inlined.so", "__meadow_MOD_has_inlined");
  EXPECT_EQ(fortran.count("meadow::tiny:" + std::to_string(line_of("symbols_inlined.f90", "subroutine tiny(x)"))), 1u)
      << testing::PrintToString(fortran);
}

TEST_F(Symbolizer, AFunctionHasOneNameInlinedOrCalled) {
  const std::string called = at_symbol("libsymbols_cpp.so", "_ZN7physicsL9both_waysEi").name;
  EXPECT_EQ(called, "physics::both_ways(int)");
  const std::set<std::string> inlined = inlined_in("libsymbols_cpp.so", "_ZN7physics7inlinesEi");
  EXPECT_EQ(inlined.count(called + ":" + std::to_string(line_of("symbols_cpp.cpp", "void both_ways(int a)"))), 1u)
      << testing::PrintToString(inlined);
}

TEST_F(Symbolizer, NamesFunctionsOfStrippedFilesByTheirStart) {
  const AddressSize hidden = ElfFile(binary("libsymbols_c.so")).symbol("hidden");
  const ElfFile stripped(binary("libsymbols_c_stripped.so"));
  ModuleSymbols& m = cache_.module(binary("libsymbols_c_stripped.so"), stripped.build_id());
  char name[64];
  std::snprintf(name, sizeof name, "libsymbols_c_stripped.so+0x%llx", static_cast<unsigned long long>(hidden.address));
  EXPECT_EQ(m.function_at(hidden.address).name, name);
  EXPECT_EQ(m.function_at(hidden.address + hidden.size - 1).name, name);
  EXPECT_EQ(m.function_at(hidden.address).line, 0);
  EXPECT_EQ(m.problem(), "");
  // Exported functions keep their names.
  EXPECT_EQ(m.function_at(ElfFile(binary("libsymbols_c.so")).symbol("outer").address).name, "outer");
}

TEST_F(Symbolizer, NamesStubsOfTheLinker) {
  const ElfFile elf(binary("libsymbols_c_stripped.so"));
  ModuleSymbols& m = cache_.module(binary("libsymbols_c_stripped.so"), elf.build_id());
  ASSERT_NE(elf.section(".plt"), 0u);
  EXPECT_EQ(m.function_at(elf.section(".plt") + 16).name, "libsymbols_c_stripped.so [plt]");
}

TEST_F(Symbolizer, FollowsTheLinkToSeparateDebugInformation) {
  const AddressSize hidden = ElfFile(binary("libsymbols_c.so")).symbol("hidden");
  const std::string split = binary("libsymbols_c_split.so");
  const Function& f = cache_.module(split, ElfFile(split).build_id()).function_at(hidden.address);
  EXPECT_EQ(f.name, "hidden");
  EXPECT_EQ(f.line, line_of("symbols_c.c", "int hidden(int a)"));
}

TEST_F(Symbolizer, FindsDebugInformationByBuildId) {
  const AddressSize hidden = ElfFile(binary("libsymbols_c.so")).symbol("hidden");
  const std::string stripped = binary("libsymbols_c_stripped.so");
  const std::string id = ElfFile(stripped).build_id();
  ASSERT_GT(id.size(), 2u);
  const core::TemporaryFolder root;
  const std::string folder = root.file(".build-id/" + id.substr(0, 2));
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(binary("libsymbols_c_split.debug"), folder + "/" + id.substr(2) + ".debug");
  SymbolCache cache(root.path());
  EXPECT_EQ(cache.module(stripped, id).function_at(hidden.address).name, "hidden");
}

// The symbol comes from the same separate file as in the test above, but no place in the source, which only the
// debug information has.
TEST_F(Symbolizer, LeavesTheDebugInformationOfTheCLibraryUnread) {
  const AddressSize hidden = ElfFile(binary("libsymbols_c.so")).symbol("hidden");
  const core::TemporaryFolder folder;
  std::filesystem::copy_file(binary("libsymbols_c_split.debug"), folder.file("libsymbols_c_split.debug"));
  for (const char* name : {"libc.so.6", "libm.so.6"}) {
    const std::string split = folder.file(name);
    std::filesystem::copy_file(binary("libsymbols_c_split.so"), split);
    const Function& f = cache_.module(split, ElfFile(split).build_id()).function_at(hidden.address);
    EXPECT_EQ(f.name, "hidden");
    EXPECT_EQ(f.file, "");
    EXPECT_EQ(f.line, 0);
  }
}

TEST_F(Symbolizer, DoesNotTrustDebugInformationOfAnotherBuild) {
  const AddressSize hidden = ElfFile(binary("libsymbols_c.so")).symbol("hidden");
  const core::TemporaryFolder folder;
  std::filesystem::copy_file(binary("libsymbols_c_split.so"), folder.file("libsymbols_c_split.so"));
  // Another library's, under the name of the link.
  std::filesystem::copy_file(binary("libsymbols_cpp.so"), folder.file("libsymbols_c_split.debug"));
  const std::string split = folder.file("libsymbols_c_split.so");
  const Function& f = cache_.module(split, ElfFile(split).build_id()).function_at(hidden.address);
  EXPECT_EQ(f.name.rfind("libsymbols_c_split.so+0x", 0), 0u) << f.name;
}

TEST_F(Symbolizer, AFileThatChangedIsNotAsked) {
  const AddressSize hidden = ElfFile(binary("libsymbols_c.so")).symbol("hidden");
  ModuleSymbols& m = cache_.module(binary("libsymbols_c.so"), "0123456789");
  EXPECT_EQ(m.problem(),
            "module " + binary("libsymbols_c.so") + " changed since it was recorded: its functions have no names");
  EXPECT_EQ(m.function_at(hidden.address).line, 0);
  EXPECT_NE(m.function_at(hidden.address).name, "hidden");
}

TEST_F(Symbolizer, MissingFilesAreNamedByPage) {
  const core::TemporaryFolder folder;
  const std::string gone = folder.file("libgone.so");
  ModuleSymbols& m = cache_.module(gone, "");
  EXPECT_EQ(m.problem(), "module " + gone + " cannot be read (No such file or directory): its functions have no names");
  EXPECT_EQ(m.function_at(0x1234).name, "libgone.so+0x1000-0x1fff");
  EXPECT_EQ(&m.function_at(0x1234), &m.function_at(0x1fff));
  EXPECT_EQ(m.inlined_function_at(0x2000).name, "libgone.so+0x2000-0x2fff");
}

TEST_F(Symbolizer, WhatIsNoElfFileIsSaid) {
  EXPECT_NE(cache_.module(kSources + "/symbols_c.c", "").problem().find("is not an ELF file"), std::string::npos);
  EXPECT_NE(cache_.module("/", "").problem().find("is not an ELF file"), std::string::npos);
  const core::TemporaryFolder folder;
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_NE(cache_.module(folder.file("pipe"), "").problem().find("is not an ELF file"), std::string::npos);
}

// The path that the kernel gives for a program whose file was replaced.
TEST_F(Symbolizer, ADeletedFileMayHaveASuccessor) {
  const ElfFile elf(binary("libsymbols_c.so"));
  ModuleSymbols& m = cache_.module(binary("libsymbols_c.so") + " (deleted)", elf.build_id());
  EXPECT_EQ(m.function_at(elf.symbol("hidden").address).name, "hidden");
}

TEST_F(Symbolizer, TheKernelsPageIsOneFunction) {
  ModuleSymbols& m = cache_.module("linux-vdso.so.1", "abcd");
  EXPECT_EQ(m.function_at(0x777).name, "[vdso]");
  EXPECT_EQ(m.function_at(0x777).module, "[vdso]");
  EXPECT_EQ(m.problem(), "");
}

TEST_F(Symbolizer, AFileCutShortDoesNotHurt) {
  const core::TemporaryFolder folder;
  const std::string path = folder.file("libcut.so");
  std::ifstream in(binary("libsymbols_c.so"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (size_t n = 0; n < whole.size(); n += 97) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, n);
    SymbolCache cache;
    ModuleSymbols& m = cache.module(path, "");
    for (uint64_t a = 0x1000; a < 0x1400; a += 33) EXPECT_FALSE(m.inlined_function_at(a).name.empty());
  }
}

}  // namespace
}  // namespace scalediag::merge
