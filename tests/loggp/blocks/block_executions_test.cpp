// The blocks of a recorded rank. Payloads are written number by number as core/raw/trace_format.h defines them.
#include "loggp/blocks/block_executions.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

#include "tests/loggp/traces/trace_bytes.h"

namespace scalediag::loggp {
namespace {

using tests::add_chunk;
using tests::identity;
using tests::numbers;
using trace::EventKind;

constexpr auto kSend = static_cast<uint64_t>(EventKind::kSend);
// A rank of one that sends 100 B with tag 5, and then 200 B, to itself, each after a computation; then 500 ns. The
// computations are of 1000 and 3000 ns and of 10 and 30 instructions.
std::string two_sends(const std::string& marks, bool with_series = true) {
  // Routine 7; two definitions; two items: 2 x the number of a definition, the time.
  std::string events = numbers({1, 7});
  trace::put_text(events, "MPI_Send");
  events += numbers({2, kSend, 7, 0, 10, 0, 100, kSend, 7, 0, 10, 0, 200});
  events += numbers({2, 0, 1000, 2, 3000});
  std::string file = tests::prelude();
  add_chunk(file, trace::ChunkKind::kIdentity, identity(0, 1));
  add_chunk(file, trace::ChunkKind::kCommunicators, numbers({1, 0, 0}));
  add_chunk(file, trace::ChunkKind::kEvents, events);
  if (with_series) {
    add_chunk(file, trace::ChunkKind::kComputations, numbers({2, 1000, 3000}));
    add_chunk(file, trace::ChunkKind::kInstructionSeries, numbers({2, 11, 31}));
  }
  if (!marks.empty()) add_chunk(file, trace::ChunkKind::kMarks, marks);
  add_chunk(file, trace::ChunkKind::kEnd, numbers({2, static_cast<uint64_t>(trace::End::kFinalize), 500, 1'000'000}));
  add_chunk(file, trace::ChunkKind::kFooter, std::string(24, '\0'));
  return file;
}

// `name`: empty where the number of the name was met before.
std::string mark(trace::Mark kind, uint64_t number, const std::string& name, uint64_t computations_later, uint64_t ns,
                 uint64_t instructions, double value = 0) {
  std::string bytes = numbers({static_cast<uint64_t>(kind), number});
  if (!name.empty()) trace::put_text(bytes, name);
  trace::put_signed(bytes, static_cast<int64_t>(computations_later));
  bytes += numbers({ns, instructions + 1});
  if (kind == trace::Mark::kParameter) bytes += numbers({std::bit_cast<uint64_t>(value)});
  return bytes;
}

// In the first computation the region force, from 200 to 700 ns, with n = 8; in the second one the region sweep begins
// after 1000 ns, and does not end.
std::string force_and_sweep() {
  return numbers({4}) + mark(trace::Mark::kBegin, 0, "force", 0, 200, 2) +
         mark(trace::Mark::kParameter, 1, "n", 0, 300, 3, 8) + mark(trace::Mark::kEnd, 0, "", 0, 700, 7) +
         mark(trace::Mark::kBegin, 2, "sweep", 1, 1000, 10);
}

std::vector<RankTrace> parsed_traces(const std::string& file) {
  auto trace = parse_rank_trace(file, "f");
  EXPECT_TRUE(trace.ok()) << (trace.ok() ? "" : trace.error().message);
  return trace.ok() ? std::vector<RankTrace>{trace.value()} : std::vector<RankTrace>{};
}

double attribute(const BlockExecutions& executions, const std::string& name, size_t execution = 0) {
  for (size_t i = 0; i < executions.attributes.size(); ++i) {
    if (executions.attributes[i] == name) return executions.rows[execution][i];
  }
  ADD_FAILURE() << "there is no attribute " << name;
  return -1;
}

TEST(BlockExecutions, AreNamedByTheCallsAroundThem) {
  const auto traces = parsed_traces(two_sends(""));
  ASSERT_EQ(traces.size(), 1U);
  const auto totals = block_totals(traces, {{0}});
  ASSERT_TRUE(totals.ok());
  ASSERT_EQ(totals.value().size(), 3U);
  EXPECT_NEAR(totals.value().at("start -> MPI_Send tag 5"), 1e-6, 1e-12);
  EXPECT_NEAR(totals.value().at("start, MPI_Send -> MPI_Send tag 5"), 3e-6, 1e-12);
  EXPECT_NEAR(totals.value().at("start, MPI_Send -> end"), 0.5e-6, 1e-12);
}

TEST(BlockExecutions, HaveTheMessagesSinceTheLastListedOne) {
  const auto traces = parsed_traces(two_sends(""));
  ASSERT_EQ(traces.size(), 1U);
  const std::string second = "start, MPI_Send -> MPI_Send tag 5", last = "start, MPI_Send -> end";
  const auto both = block_executions(traces, {{0}}, {second, last});
  ASSERT_TRUE(both.ok());
  EXPECT_NEAR(both.value().total, 4.5e-6, 1e-12);
  const BlockExecutions& executions = both.value().blocks.at(second);
  EXPECT_EQ(attribute(executions, "messages_sent"), 1);
  EXPECT_EQ(attribute(executions, "bytes_sent"), 100);
  EXPECT_EQ(attribute(executions, "peers"), 1);
  EXPECT_EQ(attribute(executions, "next_bytes"), 200);
  EXPECT_EQ(attribute(both.value().blocks.at(last), "bytes_sent"), 200);
  // Without the second one, both messages come before the last.
  const auto one = block_executions(traces, {{0}}, {last});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(attribute(one.value().blocks.at(last), "bytes_sent"), 300);
}

TEST(BlockExecutions, OfMarkedRegionsAreBlocksWithTheirParameters) {
  const auto traces = parsed_traces(two_sends(force_and_sweep()));
  ASSERT_EQ(traces.size(), 1U);
  const auto totals = block_totals(traces, {{0}});
  ASSERT_TRUE(totals.ok());
  EXPECT_NEAR(totals.value().at("force"), 0.5e-6, 1e-12);
  EXPECT_NEAR(totals.value().at("start -> MPI_Send tag 5"), 0.5e-6, 1e-12);
  EXPECT_NEAR(totals.value().at("start, MPI_Send -> MPI_Send tag 5"), 1e-6, 1e-12);
  EXPECT_NEAR(totals.value().at("sweep: start, MPI_Send -> MPI_Send tag 5"), 2e-6, 1e-12);
  EXPECT_NEAR(totals.value().at("sweep: start, MPI_Send -> end"), 0.5e-6, 1e-12);
  const auto executions = block_executions(traces, {{0}}, {"force"});
  ASSERT_TRUE(executions.ok());
  EXPECT_EQ(attribute(executions.value().blocks.at("force"), "n"), 8);
}

// The region force of the first computation with parameters that have names of ours: what the program named and what
// was counted are two attributes, and a model of either is applied to that one.
TEST(BlockExecutions, ParametersWithNamesOfOursAreToldApart) {
  const auto traces = parsed_traces(two_sends(numbers({5}) + mark(trace::Mark::kBegin, 0, "force", 0, 200, 2) +
                                              mark(trace::Mark::kParameter, 1, "iteration", 0, 300, 3, 8) +
                                              mark(trace::Mark::kParameter, 2, "program.iteration", 0, 300, 3, 9) +
                                              mark(trace::Mark::kParameter, 3, "n", 0, 300, 3, 7) +
                                              mark(trace::Mark::kEnd, 0, "", 0, 700, 7)));
  ASSERT_EQ(traces.size(), 1U);
  const auto program = block_executions(traces, {{0}}, {"force"});
  ASSERT_TRUE(program.ok());
  const BlockExecutions& force = program.value().blocks.at("force");
  EXPECT_EQ(std::set<std::string>(force.attributes.begin(), force.attributes.end()).size(), force.attributes.size());
  EXPECT_EQ(attribute(force, "iteration"), 0);
  EXPECT_EQ(attribute(force, "program.iteration"), 8);
  EXPECT_EQ(attribute(force, "program.program.iteration"), 9);
  EXPECT_EQ(attribute(force, "n"), 7);
  ASSERT_EQ(force.kinds.size(), force.attributes.size());
  for (size_t i = 0; i < force.kinds.size(); ++i) {
    const std::string& name = force.attributes[i];
    const bool is_named = name.starts_with("program.") || name == "n";
    const bool is_place = name == "iteration" || is_rank_place(name);
    EXPECT_EQ(force.kinds[i], is_named   ? AttributeKind::kNamed
                              : is_place ? AttributeKind::kPlace
                                         : AttributeKind::kMeasured)
        << name;
  }
}

// In the first computation, of 1000 ns: a from 100 to 500 ns, b from 200 to 900 ns. What both hold is the inner one's,
// b's, which goes on when a ends.
TEST(BlockExecutions, RegionsMayOverlap) {
  const auto traces = parsed_traces(two_sends(
      numbers({4}) + mark(trace::Mark::kBegin, 0, "a", 0, 100, 1) + mark(trace::Mark::kBegin, 1, "b", 0, 200, 2) +
      mark(trace::Mark::kEnd, 0, "", 0, 500, 5) + mark(trace::Mark::kEnd, 1, "", 0, 900, 9)));
  ASSERT_EQ(traces.size(), 1U);
  const auto totals = block_totals(traces, {{0}});
  ASSERT_TRUE(totals.ok());
  EXPECT_NEAR(totals.value().at("a"), 0.1e-6, 1e-12);
  EXPECT_NEAR(totals.value().at("b"), 0.7e-6, 1e-12);
  EXPECT_NEAR(totals.value().at("start -> MPI_Send tag 5"), 0.2e-6, 1e-12);
}

TEST(BlockExecutions, HaveInstructionsWhereTheyWereCounted) {
  const auto traces = parsed_traces(two_sends(force_and_sweep()));
  ASSERT_EQ(traces.size(), 1U);
  const auto totals = block_totals(traces, {{0}, BlockMetric::kInstructions});
  ASSERT_TRUE(totals.ok());
  EXPECT_EQ(totals.value().at("force"), 5);
  EXPECT_EQ(totals.value().at("start -> MPI_Send tag 5"), 5);
  EXPECT_EQ(totals.value().at("sweep: start, MPI_Send -> MPI_Send tag 5"), 20);
}

TEST(BlockExecutions, NeedEachComputation) {
  const auto traces = parsed_traces(two_sends("", false));
  ASSERT_EQ(traces.size(), 1U);
  const auto totals = block_totals(traces, {{0}});
  ASSERT_FALSE(totals.ok());
  EXPECT_NE(totals.error().hint.find("--series"), std::string::npos) << totals.error().hint;
  EXPECT_FALSE(block_totals(traces, {{1}}).ok());
}

TEST(BlockExecutions, MarksThatCannotBeAreRefused) {
  const std::string no_such_kind = numbers({1, 9, 0}) + std::string("\1x", 2) + numbers({0, 100, 0});
  const std::string no_name = mark(trace::Mark::kBegin, 3, "", 0, 100, 1);
  const std::string too_late = mark(trace::Mark::kBegin, 0, "x", 3, 100, 1);
  for (const std::string& marks : {no_such_kind, numbers({1}) + no_name, numbers({1}) + too_late}) {
    EXPECT_FALSE(parse_rank_trace(two_sends(marks), "f").ok());
  }
}

}  // namespace
}  // namespace scalediag::loggp
