#include "loggp/traces/tit.h"

#include <gtest/gtest.h>

#include <random>

#include "loggp/analysis/analysis.h"
#include "tests/core/text_mutation.h"
#include "tests/loggp/example_network.h"

namespace scalediag::loggp {
namespace {

constexpr double kFlopsPerSecond = 2;

core::Result<ListProgram> read(const std::string& text) {
  TitReader reader(kFlopsPerSecond);
  if (auto added = reader.add(text, "t.tit"); !added) return added.error();
  return reader.finish();
}

std::string tit_error(const std::string& text) {
  const auto program = read(text);
  if (!program.ok()) return program.error().message;
  const auto result = simulate(program.value(), example_network());
  return result.ok() ? "no error" : result.error().message;
}

ListProgram program_of(const std::string& text) {
  auto program = read(text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
  return program.ok() ? std::move(program).value() : ListProgram(0);
}

TEST(Tit, ComputationsAndMessages) {
  const ListProgram p =
      program_of("0 init\n1 init\n0 compute 10\n0 send 1 3 9\n1 recv 0 3 9\n0 finalize\n1 finalize\n");
  ASSERT_EQ(p.ranks(), 2);
  ASSERT_EQ(p.of(0).size(), 2U);
  EXPECT_DOUBLE_EQ(p.of(0)[0].seconds, 5);  // 10 operations at 2 a second
  EXPECT_EQ(p.of(0)[1].kind, OpKind::kSend);
  EXPECT_EQ(p.of(0)[1].peer, 1);
  EXPECT_EQ(p.of(0)[1].tag, 3);
  EXPECT_EQ(p.of(0)[1].bytes, 9U);
}

TEST(Tit, SizesAreInElements) {
  // 0 is a double, 1 an int, 2 a char; without a type 8 bytes after an init with an argument, 1 byte otherwise.
  const ListProgram p = program_of(
      "0 init 1\n0 send 1 0 3\n0 send 1 0 3 1\n0 send 1 0 3 2\n0 send 1 0 3 0\n0 finalize\n1 init\n1 send 0 0 3\n1 "
      "finalize\n");
  EXPECT_EQ(p.of(0)[0].bytes, 24U);
  EXPECT_EQ(p.of(0)[1].bytes, 12U);
  EXPECT_EQ(p.of(0)[2].bytes, 3U);
  EXPECT_EQ(p.of(0)[3].bytes, 24U);
  EXPECT_EQ(p.of(1)[0].bytes, 3U);
}

TEST(Tit, WaitNamesItsRequest) {
  const ListProgram p =
      program_of("0 irecv 1 5 9\n0 irecv 1 6 9\n0 wait 1 0 6\n0 wait 1 0 5\n1 send 0 5 9\n1 send 0 6 9\n");
  ASSERT_EQ(p.of(0).size(), 4U);
  EXPECT_EQ(p.of(0)[2].group, p.of(0)[1].group);
  EXPECT_EQ(p.of(0)[3].group, p.of(0)[0].group);
  EXPECT_NE(p.of(0)[0].group, p.of(0)[1].group);
}

TEST(Tit, Collectives) {
  const ListProgram p = program_of(
      "0 bcast 7 1 2\n0 reduce 4 20 1 0\n0 allreduce 4 20 0\n0 allgather 5 5 0 0\n0 gather 5 5 1 2 2\n0 alltoall 6 6 2 "
      "2\n"
      "0 barrier\n1 compute 0\n");
  const auto& ops = p.of(0);
  ASSERT_EQ(ops.size(), 9U);
  EXPECT_EQ(ops[0].collective, Collective::kBcast);
  EXPECT_EQ(ops[0].bytes, 7U);
  EXPECT_EQ(ops[0].peer, 1);
  EXPECT_EQ(ops[1].bytes, 32U);
  EXPECT_EQ(ops[1].peer, 1);
  EXPECT_DOUBLE_EQ(ops[2].seconds, 10);  // its operations follow a reduction
  EXPECT_EQ(ops[3].collective, Collective::kAllreduce);
  EXPECT_EQ(ops[5].collective, Collective::kAllgather);
  EXPECT_EQ(ops[5].bytes, 40U);  // a block; Allgather has no root
  EXPECT_EQ(ops[6].collective, Collective::kGather);
  EXPECT_EQ(ops[6].peer, 1);
  EXPECT_EQ(ops[6].bytes, 5U);
  EXPECT_EQ(ops[7].bytes, 6U);
  EXPECT_EQ(ops[8].collective, Collective::kBarrier);
}

TEST(Tit, SimulatesWhatItRead) {
  // Sent at 5 (10 operations), received 108 later.
  const auto s = simulate(program_of("0 compute 10\n0 isend 1 0 9\n0 wait 0 1 0\n1 recv 0 0 9\n"), example_network());
  ASSERT_TRUE(s.ok());
  EXPECT_DOUBLE_EQ(s.value().ranks[1].end_s, 113);
}

TEST(Tit, MistakesAreNamed) {
  EXPECT_EQ(tit_error("0 dance\n"), "t.tit, line 1: rank 0, dance: there is no such action");
  EXPECT_EQ(tit_error("x send\n"), "t.tit, line 1: a rank is expected first, found 'x'");
  EXPECT_EQ(tit_error("0 send\n"), "t.tit, line 1: rank 0, send: needs 2 arguments, has 0");
  EXPECT_EQ(tit_error("\n0 send 1 0 -3\n"),
            "t.tit, line 2: rank 0, send: argument 3, '-3', is not a number from 0 to 2^53");
  EXPECT_EQ(tit_error("0 compute 1\n2 compute 1\n"), "the trace has no action of rank 1 of 3");
  EXPECT_EQ(tit_error(""), "the trace is empty");
  EXPECT_EQ(tit_error("0 init\n0 compute 3\n"), "rank 0, event 1: the trace ends without finalize: it is truncated");
  EXPECT_EQ(tit_error("0 init\n0 finalize\n0 compute 3\n"),
            "t.tit, line 3: rank 0, compute: comes after the rank's finalize");
  EXPECT_EQ(tit_error("0 wait 0 1 2\n"), "t.tit, line 1: rank 0, wait: there is no isend or irecv to wait for");
  EXPECT_EQ(tit_error("0 alltoallv 5 1 2\n1 compute 1\n"),
            "rank 0, event 0 (Alltoallv): has fewer counts than the 2 ranks of the trace");
}

// Files with truncated lines are another trace or an error, never a crash; with init and finalize, a lost line is
// noticed.
TEST(Tit, NoMutantBreaksTheReader) {
  const std::string seed =
      "0 init\n1 init\n2 init\n0 compute 10\n0 isend 1 2 9 2\n0 wait 0 1 2\n1 recv 0 2 9 2\n2 sleep 1\n0 alltoallv 3 1 "
      "1 1 3 "
      "1 1 1 0 0\n1 alltoallv 3 1 1 1 3 1 1 1 0 0\n2 alltoallv 3 1 1 1 3 1 1 1 0 0\n0 reducescatter 1 1 1 5 0\n1 "
      "reducescatter 1 1 1 5 0\n2 reducescatter 1 1 1 5 0\n0 gatherv 1 1 1 1 2 0 0\n1 gatherv 1 1 1 1 2 0 0\n2 gatherv "
      "1 1 "
      "1 1 2 0 0\n0 finalize\n1 finalize\n2 finalize\n";
  ASSERT_EQ(tit_error(seed), "no error");
  for (size_t length = 1; length < seed.size() - 9; ++length) EXPECT_NE(tit_error(seed.substr(0, length)), "no error");
  std::mt19937 random(20180601);
  for (int i = 0; i < 20000; ++i) {
    const std::string error = tit_error(core::mutate_text(seed, random));
    EXPECT_TRUE(error == "no error" || error.rfind("t.tit", 0) == 0 || error.rfind("rank ", 0) == 0 ||
                error.rfind("the trace ", 0) == 0 || error.rfind("deadlock: ", 0) == 0)
        << error;
  }
}

}  // namespace
}  // namespace scalediag::loggp
