#include "collector/merge/sites/run_end.h"

#include <gtest/gtest.h>

namespace scalediag::merge {
namespace {

core::OverRanks each(double value, int np) { return {value * np, value, value, value, 0, 0, {}}; }

core::MpiClass class_of(int size, double bytes, double calls, int np) {
  core::MpiClass c;
  c.communicator_size = size;
  c.bytes_from = c.bytes_to = bytes;
  c.calls = each(calls, np);
  c.bytes = each(calls * bytes, np);
  return c;
}

// A site of one class.
core::MpiSite site_of(const std::string& function, const core::MpiClass& c) {
  core::MpiSite site;
  site.function = function;
  site.calls = c.calls;
  site.bytes = c.bytes;
  site.classes = {c};
  return site;
}

core::MpiOperation operation_of(const std::string& name, const std::vector<core::MpiSite>& sites) {
  core::MpiOperation o;
  o.operation = name;
  o.sites = sites;
  for (const core::MpiSite& site : sites) {
    for (auto [to, more] : {std::pair(&o.calls, &site.calls), std::pair(&o.bytes, &site.bytes)}) {
      to->sum += more->sum;
      to->mean += more->mean;
      to->min += more->min;
      to->max += more->max;
    }
    for (const core::MpiClass& c : site.classes) o.classes.push_back(c);
  }
  return o;
}

core::Run run_of(int np, bool is_ended, std::vector<core::MpiOperation> operations) {
  core::Run run;
  run.np = np;
  run.complete = true;
  if (is_ended) run.cut = core::CutRounds{10, 99, 1};
  run.operations = std::move(operations);
  return run;
}

// In the loop 100 Allreduce of 8 bytes; after it one of 800 bytes from another place, and a Gather of 16.
core::Run whole_run(int np) {
  return run_of(np, false,
                {operation_of("MPI_Allreduce",
                              {site_of("step", class_of(np, 8, 100, np)), site_of("print", class_of(np, 800, 1, np))}),
                 operation_of("MPI_Gather", {site_of("print", class_of(np, 16, 1, np))})});
}
core::Run ended_run(int np, double calls = 100) {
  return run_of(np, true, {operation_of("MPI_Allreduce", {site_of("step", class_of(np, 8, calls, np))})});
}

TEST(RunEnd, EndedRunsGetTheCallsAfterTheLoop) {
  std::vector<core::Run> runs = {whole_run(2), ended_run(2), ended_run(8)};
  add_calls_of_end(runs);
  ASSERT_EQ(runs[2].operations.size(), 2u);
  const core::MpiOperation& allreduce = runs[2].operations[0];
  EXPECT_EQ(allreduce.calls.mean, 101);
  EXPECT_EQ(allreduce.calls.sum, 808);
  EXPECT_EQ(allreduce.bytes.sum, 8 * (800 + 800));
  ASSERT_EQ(allreduce.sites.size(), 2u);
  EXPECT_EQ(allreduce.sites[1].function, "print");
  EXPECT_EQ(allreduce.sites[1].calls.sum, 8);
  ASSERT_EQ(allreduce.classes.size(), 2u);
  EXPECT_EQ(allreduce.classes[1].communicator_size, 8) << "all ranks, as in the whole run";
  const core::MpiOperation& gather = runs[2].operations[1];
  EXPECT_EQ(gather.operation, "MPI_Gather");
  EXPECT_EQ(gather.bytes.sum, 128);
  EXPECT_EQ(runs[1].operations[0].calls.sum, runs[0].operations[0].calls.sum);
}

// The rounds that were run made 80 of 100 calls, as if each fifth made none.
TEST(RunEnd, RoundsThatDifferAreNoEnd) {
  std::vector<core::Run> runs = {whole_run(2), ended_run(2, 80), ended_run(4, 80)};
  add_calls_of_end(runs);
  EXPECT_EQ(runs[2].operations[0].sites[0].calls.mean, 80);
  EXPECT_EQ(runs[2].operations[0].calls.mean, 81);
}

TEST(RunEnd, OtherParametersHaveAnotherEnd) {
  std::vector<core::Run> runs = {whole_run(2), ended_run(2), ended_run(4)};
  runs[2].parameters["grid"] = 3;
  add_calls_of_end(runs);
  EXPECT_EQ(runs[2].operations.size(), 1u);
}

}  // namespace
}  // namespace scalediag::merge
