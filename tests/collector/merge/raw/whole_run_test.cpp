// Runs that were ended after some rounds, as the whole run. A rank of it: loaded at 0 s, MPI_Init ended at 1 s, the
// rounds begin at 3 s and end at 5 s. 4 rounds were measured and 40 are to follow the begin, so that the whole run goes
// on for 10 x 2 s from 3 s to 23 s.
#include "collector/merge/raw/whole_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/collector/merge/run_folder.h"

namespace scalediag::merge {
namespace {

constexpr uint32_t kRounds = 30;
const OperationKey kSend = {0, raw::kMainThread, 2, 4};

struct EndedRank {
  uint32_t rank = 0, size = 1;
  uint64_t measured = 4, to_follow = 40;
  bool comes_to_the_end = true;
};

// Computes half of the time.
std::string ended_file(const EndedRank& r) {
  RankIdentity i;
  i.rank = r.rank;
  i.size = r.size;
  i.host = "node1";
  i.sampler = "perf";
  i.period_ns = 4 * kMillisecond;
  RawFileBuilder b(r.rank);
  b.identity(i).run("");
  b.clock({raw::Phase::kLoad, 0, 0, 0, 0, 0, 0});
  b.clock({raw::Phase::kInitEnd, kSecond, kSecond, 0, kSecond / 2, kSecond / 2, 0});
  const SampleKey code{raw::kMainThread, raw::kOutsideMpi, 0, 0x10010, raw::kNoStack};
  const SampleKey own{raw::kMainThread, raw::kOfCollector, 0, 0, raw::kNoStack};
  b.samples({{code, {{250, kSecond, 0}, {}}}}).operation_names({{0, "MPI_Send"}});
  // 3 calls before, 8 bytes each; then 2 in each round.
  b.operations({{kSend, {3, 24, 300, 90, 110}}}).peers({{{0, raw::kSent}, {3, 24}}});
  b.losses({0, 0, 0, 0, 1});
  b.waits(raw::Phase::kFlush, {kSecond / 100, 0});
  b.clock({raw::Phase::kFlush, 3 * kSecond, 3 * kSecond, 0, 3 * kSecond / 2, 3 * kSecond / 2, kMillisecond});
  b.chunk(kRounds, b.payload().u64(0).u64(r.to_follow));
  if (!r.comes_to_the_end) return b.footer(250).bytes();
  b.samples({{code, {{500, 2 * kSecond, kSecond / 10}, {}}}, {own, {{1, 4 * kMillisecond, 0}, {}}}});
  b.operations({{kSend, {11, 88, 1100, 80, 120}}}).peers({{{0, raw::kSent}, {11, 88}}});
  b.waits(raw::Phase::kFinalizeBegin, {3 * kSecond / 100, 0});
  b.clock(
      {raw::Phase::kFinalizeBegin, 5 * kSecond, 5 * kSecond, 0, 5 * kSecond / 2, 5 * kSecond / 2, 2 * kMillisecond});
  b.chunk(kRounds, b.payload().u64(r.measured).u64(r.to_follow));
  return b.footer(501).bytes();
}

RankRecord record_of(const EndedRank& r) {
  const RawFile file = parse_raw(ended_file(r), ReadScope::kEverything);
  EXPECT_EQ(file.state, FileState::kFinished) << file.problem;
  return file.records.size() == 1 ? file.records[0] : RankRecord{};
}

TEST(WholeRun, TotalsGrowByTheRoundsToFollow) {
  const RankRecord record = record_of({});
  ASSERT_TRUE(is_extended(record));
  // 3 + 8 x 10 calls, 24 + 64 x 10 bytes, 300 + 800 x 10 ticks; the shortest and longest call are those that were seen.
  const OperationTotals& send = record.operations.at(kSend);
  EXPECT_EQ(send.calls, 83u);
  EXPECT_EQ(send.bytes, 664u);
  EXPECT_EQ(send.ticks, 8300u);
  EXPECT_EQ(send.min_ticks, 80u);
  EXPECT_EQ(send.max_ticks, 120u);
  EXPECT_EQ(record.peers.begin()->second.messages, 83u);
  // 1 + 1 x 10 s, of which 0.1 x 10 s in kernel mode, from 500 samples.
  const auto code = std::ranges::find_if(record.samples, [](const auto& s) { return s.first.address == 0x10010; });
  ASSERT_NE(code, record.samples.end());
  EXPECT_EQ(code->second.cpu_ns, 11 * kSecond);
  EXPECT_EQ(code->second.system_ns, kSecond);
  EXPECT_EQ(code->second.samples, 500u);
  // The clocks: 3 + 2 x 10 s elapsed, 1.5 + 1 x 10 s of CPU time, 1 + 1 x 10 ms of the collector.
  const ClockPoint& end = *record.last_point;
  EXPECT_EQ(end.monotonic_ns, 23 * kSecond);
  EXPECT_EQ(end.ticks, 23 * kSecond);
  EXPECT_EQ(end.process_cpu_ns, 23 * kSecond / 2);
  EXPECT_EQ(end.collector_cpu_ns, 11 * kMillisecond);
  EXPECT_EQ(record.last_waits->for_core_ns, 21 * kSecond / 100);
  EXPECT_DOUBLE_EQ(record.left_out_s, 18);
}

TEST(WholeRun, TheCollectorsWritingComesOnce) {
  const RankRecord record = record_of({});
  for (const auto& [key, totals] : record.samples) {
    EXPECT_EQ(totals.cpu_ns, key.operation == raw::kOfCollector ? 4 * kMillisecond : 11 * kSecond);
  }
}

TEST(WholeRun, ARunThatEndedBeforeItsRoundsIsWhole) {
  const RankRecord record = record_of({.comes_to_the_end = false});
  EXPECT_FALSE(is_extended(record));
  EXPECT_EQ(record.operations.at(kSend).calls, 3u);
  EXPECT_EQ(record.left_out_s, 0);
}

TEST(WholeRun, TheProfileSaysWhatWasMeasured) {
  RunFolder f(2);
  f.write("rank0.raw", ended_file({.rank = 0, .size = 2}));
  f.write("rank1.raw", ended_file({.rank = 1, .size = 2}));
  const auto run = f.merge(core::Clock::kWall);
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_TRUE(run.value().complete) << run.value().reason;
  ASSERT_TRUE(run.value().cut);
  EXPECT_EQ(run.value().cut->measured, 4);
  EXPECT_EQ(run.value().cut->rounds, 40);
  EXPECT_DOUBLE_EQ(run.value().cut->left_out_s, 18);
  EXPECT_NEAR(run.value().times.wall_s.mean, 23, 1e-9);
  ASSERT_EQ(run.value().operations.size(), 1u);
  EXPECT_EQ(run.value().operations[0].calls.sum, 2 * 83);
  ASSERT_FALSE(run.value().warnings.empty());
  EXPECT_TRUE(look_at_end(f.folder(), f.entry()).value().after_rounds);
}

TEST(WholeRun, RanksThatEndedAfterDifferentRoundsAreNotUsed) {
  for (const EndedRank& other : {EndedRank{1, 2, 5, 40, true}, EndedRank{1, 2, 4, 40, false}}) {
    RunFolder f(2);
    f.write("rank0.raw", ended_file({.rank = 0, .size = 2}));
    f.write("rank1.raw", ended_file(other));
    const auto run = f.merge();
    ASSERT_TRUE(run.ok()) << run.error().message;
    EXPECT_FALSE(run.value().complete);
    EXPECT_EQ(run.value().reason, "its ranks did not all end after the same round of the main loop");
    EXPECT_FALSE(look_at_end(f.folder(), f.entry()).value().after_rounds);
  }
}

TEST(WholeRun, MoreRoundsThanThereAreAreDamage) {
  EXPECT_EQ(parse_raw(ended_file({.measured = 41}), ReadScope::kTotals).state, FileState::kDamaged);
  RawFileBuilder b;
  b.chunk(kRounds, b.payload().u64(4).u64(40));  // an end without a begin
  EXPECT_EQ(parse_raw(b.bytes(), ReadScope::kTotals).state, FileState::kDamaged);
}

}  // namespace
}  // namespace scalediag::merge
