#include "report/rules/rule_kernels.h"

#include <gtest/gtest.h>

namespace scalediag::report {
namespace {

const std::vector<RuleKernel> kKernels = {
    {"LAMMPS_NS::PairLJCut::compute(int, int)", "liblammps.so.0", ""},
    {"LAMMPS_NS::Neighbor::build(int)", "liblammps.so.0", ""},
    {"sd::solve<double, 3>(std::vector<double> const&)", "app", ""},
    {"halo", "app", "halo.c:10"},
    {"halo", "libother.so", "other.c:20"},
    {"init", "app", "a.c:1"},
    {"init", "app", "b.c:2"},
    {"std::ostream::operator<<(int)", "libstdc++.so.6", ""},
    {"main->solve", "", ""},
    {"MPI_Allreduce", "", ""},
    {"step", "app", "s.c:3"},
    {"step", "app", ""},
    {"move", "app", ""},
    {"move", "app", ""},
};

std::string found(const std::string& name) {
  Rule rule;
  rule.text = "scales(kernel('" + name + "'))";
  rule.kernel = name;
  rule.kernel_column = 15;
  const auto kernel = find_rule_kernel(rule, kKernels);
  return kernel.ok()
             ? std::to_string(kernel.value())
             : kernel.error().message.substr(kernel.error().message.rfind("column")) + "; " + kernel.error().hint;
}

TEST(RuleKernels, BareNamesHaveNoArguments) {
  EXPECT_EQ(bare_name("ns::Matrix<double, A<int>>::solve(int, int) const"), "ns::Matrix::solve");
  EXPECT_EQ(bare_name("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
  EXPECT_EQ(bare_name("std::ostream::operator<<(int)"), "std::ostream::operator<<");
  EXPECT_EQ(bare_name("p::operator()(int)"), "p::operator()");
  EXPECT_EQ(bare_name("main->f<int>(int)"), "main->f");
  EXPECT_EQ(bare_name("app+0x1234"), "app+0x1234");
  EXPECT_EQ(bare_name("broken<"), "broken<");
}

TEST(RuleKernels, AreNamedWholeBareOrByTheirEnd) {
  EXPECT_EQ(found("LAMMPS_NS::PairLJCut::compute(int, int)"), "0");
  EXPECT_EQ(found("LAMMPS_NS::PairLJCut::compute"), "0");
  EXPECT_EQ(found("PairLJCut::compute"), "0");
  EXPECT_EQ(found("compute"), "0");
  EXPECT_EQ(found("sd::solve"), "2");
  EXPECT_EQ(found("operator<<"), "7");
  EXPECT_EQ(found("MPI_Allreduce"), "9");
}

TEST(RuleKernels, OfOneNameAreToldApart) {
  EXPECT_EQ(found("halo"), "column 15: 2 kernels are called 'halo'; write 'halo [app]', 'halo [libother.so]'");
  EXPECT_EQ(found("halo [libother.so]"), "4");
  EXPECT_EQ(found("init"), "column 15: 2 kernels are called 'init'; write 'init [app a.c:1]', 'init [app b.c:2]'");
  EXPECT_EQ(found("init [app b.c:2]"), "6");
  EXPECT_EQ(found("solve"),
            "column 15: 2 kernels are called 'solve'; write 'sd::solve<double, 3>(std::vector<double> const&)', "
            "'main->solve'");
}

TEST(RuleKernels, WithoutAPlaceAreNotSuggestedByOne) {
  EXPECT_EQ(found("step"),
            "column 15: 2 kernels are called 'step'; write 'step [app s.c:3]'; 1 of them cannot be told apart without "
            "source lines, which a build with -g has");
  EXPECT_EQ(found("step [app s.c:3]"), "10");
  EXPECT_EQ(
      found("move"),
      "column 15: 2 kernels are called 'move'; 2 of them cannot be told apart without source lines, which a build "
      "with -g has");
}

TEST(RuleKernels, ThatDoNotExistAreSuggested) {
  EXPECT_EQ(found("MPI_Alreduce"), "column 15: there is no kernel 'MPI_Alreduce'; did you mean 'MPI_Allreduce'?");
  EXPECT_EQ(found("PairLJCut:compute"),
            "column 15: there is no kernel 'PairLJCut:compute'; did you mean 'PairLJCut::compute'?");
  EXPECT_EQ(
      found("bandwidth_of_memory"),
      "column 15: there is no kernel 'bandwidth_of_memory'; `scalediag show --top 0` lists the kernels of a profile");
  EXPECT_EQ(found("LJCut"),
            "column 15: there is no kernel 'LJCut'; names that contain it: 'LAMMPS_NS::PairLJCut::compute(int, int)'");
}

}  // namespace
}  // namespace scalediag::report
