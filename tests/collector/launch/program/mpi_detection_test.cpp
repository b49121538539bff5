#include "collector/launch/program/mpi_detection.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

TEST(LoaderList, IsRead) {
  const auto libraries = parse_loader_list(
      "\tlinux-vdso.so.1 (0x00007f521931d000)\n"
      "\tlibmpi.so.40 => /lib/with space/libmpi.so.40 (0x00007f52191c3000)\n"
      "\tlibgone.so.1 => not found\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f521931f000)\n");
  ASSERT_EQ(libraries.size(), 2u);
  EXPECT_EQ(libraries[0].name, "libmpi.so.40");
  EXPECT_EQ(libraries[0].path, "/lib/with space/libmpi.so.40");
  EXPECT_EQ(libraries[1].name, "libgone.so.1");
  EXPECT_EQ(libraries[1].path, "");
}

TEST(LoaderList, SurvivesAnyText) {
  for (const char* text : {"", "\n", " => ", "=> x", "a => ", "statically linked", "\t => not found (0x"}) {
    EXPECT_LE(parse_loader_list(text).size(), 1u) << text;
  }
}

MpiFlavour flavour(const std::string& name) { return flavour_of_library({name, ""}); }

TEST(LibraryFlavour, FollowsTheName) {
  for (const char* name :
       {"libmpi.so.40", "libmpi.so.20", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40", "libmpi_cxx.so.40"}) {
    EXPECT_EQ(flavour(name), MpiFlavour::kOpenMpi) << name;
  }
  for (const char* name :
       {"libmpich.so.12", "libmpichfort.so.12", "libmpifort.so.12", "libmpi.so.12", "libmpi_cray.so.12"}) {
    EXPECT_EQ(flavour(name), MpiFlavour::kMpich) << name;
  }
  for (const char* name : {"libm.so.6", "libmpiP.so", "libompitrace.so.40", "libmpir.so.1", "libc.so.6"}) {
    EXPECT_EQ(flavour(name), MpiFlavour::kUnknown) << name;
  }
}

// Open MPI 1.10 had the name of the MPICH ABI.
TEST(LibraryFlavour, LooksIntoTheFileWhereTheNameHasTwoMeanings) {
  const core::TemporaryFolder folder;
  std::ofstream(folder.file("libmpi.so.12")) << "...ompi_mpi_comm_world...";
  EXPECT_EQ(flavour_of_library({"libmpi.so.12", folder.file("libmpi.so.12")}), MpiFlavour::kOpenMpi);
}

// By what the file says, whatever its number: the number of a library that is not known is nobody's.
TEST(LibraryFlavour, IsUnknownOfAnMpiThatIsNot) {
  const core::TemporaryFolder folder;
  std::ofstream(folder.file("libmpi.so.5")) << "...Some MPI 1.0...PMPI_Comm_size...";
  EXPECT_EQ(flavour_of_library({"libmpi.so.5", folder.file("libmpi.so.5")}), MpiFlavour::kUnknown);
  EXPECT_TRUE(is_mpi_library("libmpi.so.5"));
}

TEST(LibraryFlavour, OfTheStandardsLibraryIsItsImplementations) {
  const core::TemporaryFolder folder;
  std::ofstream(folder.file("libmpi_abi.so.0")) << "...MPICH Version:\t5.0.0...";
  EXPECT_EQ(flavour_of_library({"libmpi_abi.so.0", folder.file("libmpi_abi.so.0")}), MpiFlavour::kMpich);
  EXPECT_EQ(flavour_of_library({"libmpi_abi.so.0", ""}), MpiFlavour::kUnknown);
  EXPECT_TRUE(is_mpi_library("libmpi_abi.so.0"));
}

TEST(DetectMpi, FindsNoneInAProgramWithoutMpi) {
  // This test itself.
  const auto self = inspect_executable("/proc/self/exe");
  ASSERT_TRUE(self.ok());
  const auto use = detect_mpi(self.value());
  ASSERT_TRUE(use.ok());
  EXPECT_TRUE(use.value().library.empty());
  EXPECT_EQ(use.value().flavour, MpiFlavour::kUnknown);
}

// The libraries are those of the loader's list, which is kept in the file.
TEST(UsesOpenmp, ByTheLibrariesThatAProgramNeeds) {
  ExecutableFile file;
  const auto needs = [&file](const std::string& library) {
    file.listed = std::make_shared<const CommandOutput>(CommandOutput{0, "\t" + library + " => not found\n"});
    return uses_openmp(file);
  };
  for (const char* name : {"libgomp.so.1", "libomp.so.5", "libiomp5.so", "libnvomp.so"}) {
    EXPECT_TRUE(needs(name)) << name;
  }
  EXPECT_FALSE(needs("libompitrace.so.40"));
  file.is_script = true;
  EXPECT_FALSE(needs("libgomp.so.1"));
}

TEST(ParseFlavour, KnowsTwo) {
  EXPECT_EQ(parse_flavour("openmpi").value(), MpiFlavour::kOpenMpi);
  EXPECT_EQ(parse_flavour("mpich").value(), MpiFlavour::kMpich);
  EXPECT_FALSE(parse_flavour("unknown").ok());
}

}  // namespace
}  // namespace scalediag::launch
