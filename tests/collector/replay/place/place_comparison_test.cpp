// Places that differ from where a recording was made.
#include "collector/replay/place/place_comparison.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "collector/launch/plan/run_inputs.h"
#include "collector/replay/place/program_build.h"
#include "core/atomic_file.h"
#include "core/scratch_folder.h"

namespace scalediag::replay {
namespace {

using Texts = std::vector<std::string>;

Place recorded_place() {
  Place place;
  place.experiment.executable = "/home/a/app";
  place.experiment.executable_fingerprint = "100-aa";
  place.experiment.working_directory = "/home/a";
  place.experiment.mpi_library = "/usr/lib/libmpi.so.40";
  place.experiment.environment = std::map<std::string, std::string>{{"OMP_NUM_THREADS", "4"}};
  place.experiment.host.cpu = "A";
  place.experiment.host.cores = 4;
  place.mpi_version = "4.1.4";
  return place;
}

Texts reasons_of(const PlaceComparison& found) {
  Texts reasons;
  for (const Refusal& refusal : found.refused) reasons.push_back(refusal.reason);
  return reasons;
}

TEST(PlaceComparison, TheSamePlaceDiffersInNothing) {
  const PlaceComparison found = compare_places(recorded_place(), recorded_place());
  EXPECT_TRUE(found.said.empty());
  EXPECT_TRUE(found.refused.empty());
}

TEST(PlaceComparison, LibrariesFoldersAndProcessorsAreSaid) {
  Place here = recorded_place();
  here.experiment.working_directory = "/scratch/b";
  here.experiment.mpi_library = "/opt/lib/libmpi.so.40";
  here.mpi_version = "4.1.6";
  here.experiment.host.cpu = "B";
  (*here.experiment.environment)["LD_LIBRARY_PATH"] = "/opt/lib";
  const PlaceComparison found = compare_places(recorded_place(), here);
  EXPECT_TRUE(found.refused.empty());
  EXPECT_EQ(found.said, (Texts{"the folder was /home/a and is now /scratch/b",
                               "the MPI library was /usr/lib/libmpi.so.40 (version 4.1.4) and is now "
                               "/opt/lib/libmpi.so.40 (version 4.1.6)",
                               "the processor was A and is now B", "LD_LIBRARY_PATH was not set and is now /opt/lib"}));
}

TEST(PlaceComparison, AnotherBuildHasToBeNamed) {
  Place recorded = recorded_place(), here = recorded_place();
  here.experiment.executable = "/scratch/b/app";
  EXPECT_EQ(compare_places(recorded, here).said,
            Texts{"the program was /home/a/app and is now the same build, /scratch/b/app"});
  here.experiment.executable_fingerprint = "120-bb";
  const PlaceComparison found = compare_places(recorded, here);
  EXPECT_EQ(reasons_of(found), Texts{"/scratch/b/app is another build than the recorded one"});
  EXPECT_EQ(found.refused[0].options, (Texts{"--program", "/scratch/b/app"}));
  here.names_program = true;
  recorded.build = "GNU C17 -O2 -g";
  here.build = "GNU C17 -O3 -g";
  EXPECT_EQ(compare_places(recorded, here).said,
            Texts{"the program was /home/a/app (100 bytes) and is now another build, /scratch/b/app (120 bytes; -O3 in "
                  "place of -O2)"});
}

TEST(PlaceComparison, AnotherNumberOfThreadsHasToBeAskedFor) {
  Place recorded = recorded_place(), here = recorded_place();
  (*here.experiment.environment)["OMP_NUM_THREADS"] = "8";
  PlaceComparison found = compare_places(recorded, here);
  EXPECT_EQ(reasons_of(found), Texts{"OMP_NUM_THREADS was 4 and is now 8"});
  EXPECT_EQ(found.refused[0].options, (Texts{"--env", "OMP_NUM_THREADS=4"}));
  here.set_variables = {"OMP_NUM_THREADS"};
  found = compare_places(recorded, here);
  EXPECT_TRUE(found.refused.empty());
  EXPECT_EQ(found.said, Texts{"OMP_NUM_THREADS was 4 and is now 8"});
  here.set_variables = {};
  recorded.experiment.environment->clear();
  EXPECT_EQ(compare_places(recorded, here).refused[0].unset, "OMP_NUM_THREADS");
}

TEST(PlaceComparison, EmptyIsNotUnset) {
  Place recorded = recorded_place(), here = recorded_place();
  (*recorded.experiment.environment)["LD_LIBRARY_PATH"] = "";
  (*here.experiment.environment)["OMPI_MCA_btl"] = "";
  here.experiment.host.cpu = "";
  EXPECT_EQ(compare_places(recorded, here).said,
            (Texts{"the processor was A and is now not known", "LD_LIBRARY_PATH was empty and is now not set",
                   "OMPI_MCA_btl was not set and is now empty"}));
  EXPECT_TRUE(compare_places(recorded, here).refused.empty());
}

// Not set here nor there: as many threads as cores, 4 and 16.
TEST(PlaceComparison, CoresAreThreadsOfOpenMP) {
  Place recorded = recorded_place(), here = recorded_place();
  recorded.experiment.environment->clear();
  here.experiment.environment->clear();
  here.experiment.host.cores = 16;
  EXPECT_TRUE(compare_places(recorded, here).refused.empty());
  here.uses_openmp = true;
  const PlaceComparison found = compare_places(recorded, here);
  EXPECT_EQ(reasons_of(found),
            Texts{"OMP_NUM_THREADS is not set, so that a rank had 4 threads of OpenMP and would now have 16"});
  EXPECT_EQ(found.refused[0].options, (Texts{"--env", "OMP_NUM_THREADS=4"}));
}

TEST(PlaceComparison, InputsAreComparedWhereTheyAreNow) {
  const core::ScratchFolder folder("place");
  ASSERT_TRUE(core::write_file_atomically(folder.file("in"), "30\n"));
  Place recorded = recorded_place(), here = recorded_place();
  recorded.experiment.input_files = std::map<std::string, std::string>{
      {"/home/a/in", launch::fingerprint_of_input(folder.file("in"))}, {"/home/a/out", core::kWrittenByApplication}};
  here.path_here = [&](const std::string& path) { return folder.path() + path.substr(path.rfind('/')); };
  EXPECT_TRUE(compare_places(recorded, here).refused.empty());
  ASSERT_TRUE(core::write_file_atomically(folder.file("in"), "40\n"));
  EXPECT_EQ(reasons_of(compare_places(recorded, here)),
            Texts{"the content of " + folder.file("in") + " is not the recorded one"});
  std::filesystem::remove(folder.file("in"));
  here.folder_with_inputs = "/log/inputs/home/a";
  const PlaceComparison found = compare_places(recorded, here);
  EXPECT_EQ(reasons_of(found), Texts{folder.file("in") + " is gone"});
  EXPECT_EQ(found.refused[0].options, (Texts{"--directory", "/log/inputs/home/a"}));
}

// "SIZE-CRC-TIME" of a file above 64 MiB (run_inputs.h): a copy has another time.
TEST(PlaceComparison, ALargeFileMayHaveBeenCopied) {
  const core::ScratchFolder folder("place");
  ASSERT_TRUE(core::write_file_atomically(folder.file("in"), ""));
  std::filesystem::resize_file(folder.file("in"), launch::kWholeFileBytes + 1);
  Place recorded = recorded_place(), here = recorded_place();
  std::string fingerprint = launch::fingerprint_of_input(folder.file("in"));
  fingerprint = fingerprint.substr(0, fingerprint.rfind('-')) + "-1";
  recorded.experiment.input_files = std::map<std::string, std::string>{{folder.file("in"), fingerprint}};
  EXPECT_EQ(compare_places(recorded, here).refused.size(), 1U);
  recorded.experiment.input_files = std::map<std::string, std::string>{{"/home/a/in", fingerprint}};
  here.path_here = [&](const std::string&) { return folder.file("in"); };
  EXPECT_TRUE(compare_places(recorded, here).refused.empty());
}

TEST(PlaceComparison, VersionsOfMpi) {
  EXPECT_EQ(mpi_version_in("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), "4.1.4");
  EXPECT_EQ(mpi_version_in("mpirun (Open MPI) 5.0.3\n\nReport bugs to http://www.open-mpi.org"), "5.0.3");
  EXPECT_EQ(mpi_version_in("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr 7 12:34:45 CDT 2022\n"), "4.0.2");
  EXPECT_EQ(mpi_version_in("no number 12 of a version"), "");
}

TEST(ProgramBuild, TheOptionsOfThePartThatWasOptimised) {
  const core::ScratchFolder folder("build");
  const std::string text(
      "\177ELF\0GNU AS 2.40\0GNU C17 12.2.0 -mtune=generic -g\0GNU C17 12.2.0 -mtune=generic -O2 -g\0", 87);
  ASSERT_TRUE(core::write_file_atomically(folder.file("app"), text));
  EXPECT_EQ(build_of(folder.file("app")), "GNU C17 12.2.0 -mtune=generic -O2 -g");
  EXPECT_EQ(build_of(folder.file("nowhere")), "");
  EXPECT_EQ(build_difference("GNU C17 -O2 -g", "GNU C17 -O2"), "without -g");
  EXPECT_EQ(build_difference("GNU C17 -O2", "GNU C17 -O2 -g"), "-g");
  EXPECT_EQ(build_difference("", "GNU C17 -O2"), "");
}

}  // namespace
}  // namespace scalediag::replay
