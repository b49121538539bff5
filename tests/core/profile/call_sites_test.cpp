#include "core/profile/call_sites.h"

#include <gtest/gtest.h>

#include "core/mpi_routines.h"
#include "core/profile/profile_check.h"
#include "tests/core/example_profile.h"

namespace scalediag::core {
namespace {

TEST(CallSites, AreNamedByFunctionAndLine) {
  EXPECT_EQ(site_text({"heat::norm(std::vector<double>&)", "heat", "/src/heat/norm.cpp", 17, 0, ""}),
            "heat::norm, norm.cpp:17");
  EXPECT_EQ(site_text({"(anonymous namespace)::Sum<int (*)(int)>::operator()(int)", "heat", "a.cpp", 1, 0, ""}),
            "Sum<int (*)(int)>::operator(), a.cpp:1");
  EXPECT_EQ(site_text({"step", "libheat.so", "", 0, 0x1a2b, "Communicator::sum(double)"}),
            "step, libheat.so+0x1a2b, through Communicator::sum");
  EXPECT_EQ(site_text({}), "[unknown]");
}

TEST(CallSites, BecomeOperationsThatAddUpToTheOriginal) {
  const Profile profile = example_profile();
  EXPECT_TRUE(has_call_sites(profile));
  const Profile split = split_by_call_site(profile);
  EXPECT_EQ(find_impossible(split).value_or("nothing"), "nothing");
  const auto& operations = split.runs[0].operations;
  ASSERT_EQ(operations.size(), 2u);
  EXPECT_EQ(operations[0].operation, "MPI_Allreduce in heat::norm, norm.cpp:17, through Communicator::sum");
  EXPECT_EQ(operations[1].operation, "MPI_Allreduce in heat::step, libheat.so+0x1a2b");
  EXPECT_TRUE(mpi::is_collective(operations[0].operation));
  EXPECT_EQ(operations[0].calls.sum, 130);
  EXPECT_EQ(operations[0].calls.sum + operations[1].calls.sum, profile.runs[0].operations[0].calls.sum);
  EXPECT_EQ(operations[1].classes.size(), 1u);
}

TEST(CallSites, OperationsWithoutThemStay) {
  Profile profile = example_profile();
  for (auto& run : profile.runs) run.operations[0].sites.clear();
  EXPECT_FALSE(has_call_sites(profile));
  EXPECT_EQ(split_by_call_site(profile).runs[0].operations[0].operation, "MPI_Allreduce");
}

// Two functions of one name in files of one name: the operations must not be mixed up.
TEST(CallSites, ThatLookAlikeAreToldApart) {
  Profile profile = example_profile();
  for (auto& run : profile.runs) {
    std::vector<MpiSite>& sites = run.operations[0].sites;
    static_cast<CallSite&>(sites[0]) = {"f(int)", "a", "/x/f.cpp", 3, 0, ""};
    static_cast<CallSite&>(sites[1]) = {"f(double)", "a", "/y/f.cpp", 3, 0, ""};
  }
  const auto operations = split_by_call_site(profile).runs[0].operations;
  ASSERT_EQ(operations.size(), 2u);
  EXPECT_EQ(operations[0].operation, "MPI_Allreduce in f, /x/f.cpp:3 [2]");
  EXPECT_EQ(operations[1].operation, "MPI_Allreduce in f, /y/f.cpp:3 [1]");
}

// The lines of a function's places may move from one version of a program to the next.
TEST(CallSites, AreNumberedWithinTheirFunction) {
  Profile profile = example_profile();
  for (auto& run : profile.runs) {
    std::vector<MpiSite>& sites = run.operations[0].sites;
    static_cast<CallSite&>(sites[0]) = {"f(int)", "a", "/x/f.cpp", 30, 0, ""};
    static_cast<CallSite&>(sites[1]) = {"f(int)", "a", "/x/f.cpp", 7, 0, ""};
  }
  const auto operations = split_by_call_site(profile, SiteNaming::kByOrder).runs[0].operations;
  ASSERT_EQ(operations.size(), 2u);
  EXPECT_EQ(operations[0].operation, "MPI_Allreduce in f [2 of 2]");
  EXPECT_EQ(operations[1].operation, "MPI_Allreduce in f [1 of 2]");
}

}  // namespace
}  // namespace scalediag::core
