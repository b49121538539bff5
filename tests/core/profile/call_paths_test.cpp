#include "core/profile/call_paths.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

CallPath path(int parent, const std::string& function, const std::string& module = "app") {
  CallPath p;
  p.parent = parent;
  p.function = function;
  p.module = module;
  return p;
}

TEST(CallPaths, NamesHaveNeitherParametersNorTheTypeThatIsReturned) {
  EXPECT_EQ(short_function_name("heat::relax(std::vector<double>&, int)"), "heat::relax");
  EXPECT_EQ(short_function_name("void std::sort<int*, f(int)>(int*, int*)"), "std::sort<int*, f(int)>");
  EXPECT_EQ(short_function_name("unsigned long a::b<c d>(e)"), "a::b<c d>");
  EXPECT_EQ(short_function_name("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(short_function_name("[beyond the copied stack]"), "[beyond the copied stack]");
  EXPECT_EQ(short_function_name("app [plt]"), "app [plt]");
}

// main->f(int) and main->f(double) are two; so is g of another library.
TEST(CallPaths, RunsShareTheirPaths) {
  core::Run one, two;
  one.call_paths = {path(-1, "main"), path(0, "f(int)"), path(0, "f(double)"), path(2, "g()")};
  two.call_paths = {path(-1, "main"), path(0, "f(double)"), path(1, "g()", "libg.so"), path(1, "g()")};
  const core::Run* const runs[] = {&one, &two};
  const PathUnion all = unite_paths(runs);
  ASSERT_EQ(all.nodes.size(), 5u);
  EXPECT_EQ(all.nodes[0].name, "main");
  EXPECT_EQ(all.nodes[1].name, "main->f(int)");
  EXPECT_EQ(all.nodes[3].name, "main->f(double)->g()");
  EXPECT_EQ(all.nodes[4].name, "main->f(double)->g() [2]");
  EXPECT_EQ(all.node_of[1], (std::vector<int>{0, 2, 4, 3}));
}

}  // namespace
}  // namespace scalediag::core
