// The messages about ranks that are missing or damaged, and the warnings for readers of the numbers.
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/collector/merge/run_folder.h"

namespace scalediag::merge {
namespace {

core::Run merged(const RunFolder& f, core::Clock clock = core::Clock::kCpu) {
  auto run = f.merge(clock);
  EXPECT_TRUE(run.ok()) << run.error().message;
  return run.ok() ? std::move(run).value() : core::Run{};
}

const ModuleSpan kModule = {0x10000, 0x10000, 0x20000, "/nonexistent/app", ""};

RankLife rank_of_two(uint32_t rank) { return {.rank = rank, .size = 2}; }

TEST(Completeness, AMissingRankIsNamed) {
  RunFolder f(2);
  f.write("rank0.raw", finished_file(rank_of_two(0)));
  const core::Run run = merged(f);
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(run.reason, "rank 1: no raw file");
  EXPECT_NEAR(run.times.total_s.sum, 10.25 - 0.125, 1e-9);  // of the rank that is there
}

TEST(Completeness, ManyMissingRanksAreCounted) {
  RunFolder f(64);
  f.write("rank1.raw", finished_file({.rank = 1, .size = 64}));
  EXPECT_EQ(merged(f).reason, "63 of 64 ranks left no raw file, the first is rank 0");
}

TEST(Completeness, AKilledRankIsNamedWithHowFarItCame) {
  RunFolder f(2);
  f.write("rank0.raw", finished_file(rank_of_two(0)));
  RawFileBuilder killed = unfinished_file(rank_of_two(1));
  f.write("rank1.raw", killed.bytes());
  EXPECT_EQ(merged(f).reason, "rank 1 (rank1.raw): no footer at offset " + std::to_string(killed.size()) +
                                  ": the process was killed inside MPI_Finalize");
  RankLife life = rank_of_two(1);
  life.finalised = false;
  killed = unfinished_file(life);
  f.write("rank1.raw", killed.bytes());
  EXPECT_EQ(merged(f).reason,
            "rank 1 (rank1.raw): no footer at offset " + std::to_string(killed.size()) +
                ": the process was killed, replaced itself by another program, or could write no more");
  killed.clock({raw::Phase::kExit, 12 * kSecond, 12 * kSecond, 0, 0, 0, 0});
  f.write("rank1.raw", killed.bytes());
  EXPECT_EQ(merged(f).reason, "rank 1 (rank1.raw): no footer at offset " + std::to_string(killed.size()) +
                                  ": the process reached its exit but its last write is missing");
}

TEST(Completeness, AFullDiskIsNamed) {
  RunFolder f(1);
  f.write("rank0.raw", unfinished_file({}).stop(raw::StopReason::kWriteFailed, ENOSPC).bytes());
  EXPECT_EQ(merged(f).reason, "rank 0 (rank0.raw): recording stopped because writing failed (No space left on device)");
}

TEST(Completeness, DamageIsNamedAndWhatIsGoodIsUsed) {
  RunFolder f(1);
  std::string bytes = finished_file({});
  bytes[bytes.size() - 8] ^= 1;  // in the footer
  f.write("rank0.raw", bytes);
  const core::Run run = merged(f);
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(run.reason, "rank 0 (rank0.raw): the checksum of a chunk does not match at offset " +
                            std::to_string(bytes.size() - 40));  // 16 bytes of header, 24 of payload
  EXPECT_NEAR(run.times.total_s.sum, 10.25 - 0.125, 1e-9);
}

// Only the second, closer reading of a file counts its samples.
TEST(Completeness, AFooterThatCountsOtherSamplesIsNoticed) {
  RunFolder f(1);
  f.write("rank0.raw", unfinished_file({}).footer(1).bytes());
  const core::Run run = merged(f);
  EXPECT_FALSE(run.complete);
  EXPECT_NE(run.reason.find("the footer counts other samples"), std::string::npos) << run.reason;
}

TEST(Completeness, FilesThatHoldNoRankAreNamed) {
  RunFolder f(1);
  f.write("empty.raw", "");
  EXPECT_EQ(merged(f).reason, "empty.raw: the file ends inside its prelude at offset 0; rank 0: no raw file");
}

// If the first chunk is damaged, only the file's name is known; the rank did leave the file.
TEST(Completeness, ARankIsNotBothDamagedAndWithoutAFile) {
  RunFolder f(3);
  f.write("rank000000.raw", finished_file({.rank = 0, .size = 3}));
  std::string bytes = finished_file({.rank = 1, .size = 3});
  bytes[sizeof(raw::Prelude) + sizeof(raw::ChunkHeader)] ^= 1;
  f.write("rank000001.raw", bytes);
  EXPECT_EQ(merged(f).reason, "rank000001.raw: the checksum of a chunk does not match at offset " +
                                  std::to_string(sizeof(raw::Prelude)) + "; rank 2: no raw file");
}

TEST(Completeness, TheWrongLauncherIsRecognised) {
  RunFolder f(2);
  f.write("a.raw", finished_file({.rank = 0, .size = 1}));
  f.write("b.raw", finished_file({.rank = 0, .size = 1}));
  const core::Run run = merged(f);
  EXPECT_FALSE(run.complete);
  EXPECT_NE(run.reason.find("each process found itself alone in MPI_COMM_WORLD"), std::string::npos) << run.reason;
}

// All are rank 0, and only one of them can have the file of that name.
TEST(Completeness, TheWrongLauncherIsRecognisedByASingleFile) {
  RunFolder f(2);
  f.write("rank0.raw", finished_file({.rank = 0, .size = 1}));
  EXPECT_EQ(merged(f).reason,
            "each process found itself alone in MPI_COMM_WORLD where 2 ranks were asked for: the launcher belongs to "
            "another MPI than the program, or does not start the ranks as one job");
  EXPECT_TRUE(look_at_end(f.folder(), f.entry()).value().each_alone);
}

// Three problems are told in full, of which it is the first.
TEST(Completeness, TheWrongLauncherIsTheFirstOfManyReasons) {
  RunFolder f(4);
  f.write("a.raw", finished_file({.rank = 0, .size = 1}));
  for (const char* name : {"b.raw", "c.raw", "d.raw"}) f.write(name, "no raw file");
  EXPECT_EQ(merged(f).reason.find("each process found itself alone in MPI_COMM_WORLD where 4 ranks"), 0U);
  EXPECT_NE(merged(f).reason.find("; and 1 more"), std::string::npos) << merged(f).reason;
}

TEST(Completeness, AnotherNumberOfRanksIsNoticed) {
  RunFolder f(2);
  for (uint32_t r = 0; r < 3; ++r) {
    f.write("rank" + std::to_string(r) + ".raw", finished_file({.rank = r, .size = 3}));
  }
  const core::Run run = merged(f);
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(run.reason, "rank 0 (rank0.raw): MPI_COMM_WORLD has 3 ranks where 2 were asked for");
}

// Programs that spawn others leave two records of one rank behind.
TEST(Completeness, OfTwoRecordsTheOneThatFitsIsUsed) {
  RunFolder f(2);
  f.write("a.raw", unfinished_file({.rank = 0, .size = 2, .cpu = kSecond}).bytes());
  f.write("b.raw", finished_file(rank_of_two(0)));
  f.write("c.raw", finished_file(rank_of_two(1)));
  const core::Run run = merged(f);
  EXPECT_NEAR(run.times.total_s.min, 10.25 - 0.125, 1e-9);  // not 1 s
  ASSERT_FALSE(run.warnings.empty());
  EXPECT_EQ(run.warnings[0], "rank 0 is in a.raw and in b.raw; b.raw is used");
}

// Files were copied from folder to folder.
TEST(Completeness, FilesOfAnotherRunAreNotTaken) {
  RunFolder f(2);
  RankLife life{.rank = 0, .size = 2, .stamp = "np0002.r0-1"};
  f.write("rank000000.raw", finished_file(life));
  life.rank = 1;
  f.write("rank000001.raw", finished_file(life));
  EXPECT_TRUE(merged(f).complete);  // of a version that kept no stamps
  f.entry().stamp = "np0002.r0-1";
  EXPECT_TRUE(merged(f).complete);
  life.stamp = "np0002.r1-2";
  f.write("rank000001.raw", finished_file(life));
  EXPECT_FALSE(merged(f).complete);
  EXPECT_EQ(merged(f).reason, "rank 1 (rank000001.raw): it belongs to another run, np0002.r1");
  f.entry().stamp = "np0002.r0-3";
  EXPECT_EQ(merged(f).reason,
            "rank 0 (rank000000.raw): it belongs to another run, an earlier np0002.r0 or one of another experiment; "
            "rank 1 (rank000001.raw): it belongs to another run, np0002.r1");
}

TEST(Completeness, SpawnedProcessesAreTold) {
  RunFolder f(2);
  f.write("rank0.raw", finished_file({.rank = 0, .size = 2, .spawned = 3}));
  f.write("rank1.raw", finished_file({.rank = 1, .size = 2, .spawned = 1}));
  std::vector<std::string> warnings;
  for (const std::string& warning : merged(f).warnings) {
    if (warning.find("spawned") != std::string::npos) warnings.push_back(warning);
  }
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "4 processes that the program spawned (MPI_Comm_spawn) are not measured: what they do is in none of these "
            "numbers");
}

TEST(Completeness, ANewerVersionIsAnError) {
  RunFolder f(1);
  f.write("a.raw", small_file().version(raw::kVersion + 1).bytes());
  const auto run = f.merge();
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message,
            "raw format version " + std::to_string(raw::kVersion + 1) + " is newer than version " +
                std::to_string(raw::kVersion) +
                ", which this scalediag reads: it and its libscalediag.so are of different builds");
  EXPECT_EQ(run.error().where, f.path() + "/a.raw");
  EXPECT_FALSE(run.error().hint.empty());
}

TEST(Completeness, AFolderWithoutRawFilesIsNoWorseThanADamagedFile) {
  RunFolder f(1);
  f.write("stdout.log", "hello");
  core::Run run = merged(f);
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(run.id, "np0001.r0");
  EXPECT_EQ(run.reason, "no rank left a raw file");
  std::filesystem::remove_all(f.path());
  run = merged(f);
  EXPECT_FALSE(run.complete);
  EXPECT_EQ(run.reason, "its folder cannot be read: No such file or directory");
}

// A rank that left without MPI_Finalize has an exit and no beginning of MPI_Finalize, whether its file is whole or not.
TEST(Completeness, RanksThatLeftWithoutFinalizeAreCounted) {
  RunFolder f(4);
  RankLife life{.rank = 0, .size = 4, .finalised = false};
  f.write("rank0.raw", finished_file(life));
  life.rank = 1;
  RawFileBuilder left = unfinished_file(life);
  left.clock({raw::Phase::kExit, 12 * kSecond, 12 * kSecond, 0, 0, 0, 0});
  f.write("rank1.raw", left.bytes());
  life.rank = 2;
  f.write("rank2.raw", unfinished_file(life).bytes());  // killed
  life.rank = 3;
  RawFileBuilder aborted = unfinished_file(life);
  aborted.clock({raw::Phase::kExit, 12 * kSecond, 12 * kSecond, 0, 0, 0, 0});
  f.write("rank3.raw", aborted.stop(raw::StopReason::kAborted, 0).bytes());
  const auto end = look_at_end(f.folder(), f.entry());
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end.value().left_without_finalize, 2);
  EXPECT_FALSE(end.value().each_alone);
}

TEST(Warnings, NameWhatWasLost) {
  RunFolder f(1);
  f.write("a.raw", finished_file({.sampler = "perf-user",
                                  .sampler_reason = "perf_event_paranoid is 2",
                                  .samples = {{{0, 1, 0, 0}, {98, 9500 * kMillisecond, 0, {}}}},
                                  .losses = {2, 1, 5, 7, 1},
                                  .finalised = false}));
  const core::Run run = merged(f);
  EXPECT_EQ(run.lost_samples, 2u);
  EXPECT_EQ(
      run.warnings,
      (std::vector<std::string>{
          "the sampler does not see kernel mode (perf_event_paranoid is 2): time in system calls and page faults "
          "is charged to the code after them",
          "2.0 % of the samples were lost; their time is charged to other samples",
          "1 threads were not sampled; their CPU time is unattributed",
          "5 places in the code or classes of calls were dropped because memory ran out; their time is unattributed",
          "7 MPI calls could not be counted",
          "1 rank never called MPI_Finalize; all time after MPI_Init counts as the program's own"}));
}

TEST(Warnings, AFewLostSamplesAreNoWarning) {
  RunFolder f(1);
  f.write("a.raw", finished_file({.samples = {{{0, 1, 0, 0}, {99, 1, 0, {}}}}, .losses = {1, 0, 0, 0, 1}}));
  for (const std::string& w : merged(f).warnings) EXPECT_EQ(w.find("were lost"), std::string::npos) << w;
}

// The rank used 10.25 s, of which 0.125 s are the collector's and 0.75 s lie outside the window. 8.875 s in one
// function leave 0.5 s, which is 4.9 % of 10.125 s; 8.865 s leave 0.51 s, 5.04 %.
TEST(Warnings, TellThatMuchIsUnattributed) {
  const auto warnings = [](uint64_t sampled_ms) {
    RunFolder f(1);
    f.write("a.raw",
            finished_file({.modules = {kModule},
                           .samples = {{{0, raw::kOutsideMpi, 0, 0x10010}, {99, sampled_ms * kMillisecond, 0, {}}}}}));
    std::vector<std::string> found;
    for (const std::string& w : merged(f).warnings) {
      if (w.find("unattributed") != std::string::npos) found.push_back(w);
    }
    return found;
  };
  EXPECT_TRUE(warnings(8875).empty());
  EXPECT_EQ(warnings(8865),
            (std::vector<std::string>{"5 % of the time, 0.51 s a rank, is unattributed: no sample stands for it, so "
                                      "functions and operations took more than they show"}));
}

// The timer's signal came for 7 s; 2.375 s are missing, 23 % of 10.125 s. With perf that is no more than a warning.
TEST(Completeness, ATimerThatWasKeptAwayMakesTheRunIncomplete) {
  for (const std::string sampler : {"timer", "perf"}) {
    RunFolder f(1);
    f.write("a.raw", finished_file({.sampler = sampler,
                                    .modules = {kModule},
                                    .samples = {{{0, raw::kOutsideMpi, 0, 0x10010}, {99, 7 * kSecond, 0, {}}}}}));
    const core::Run run = merged(f);
    EXPECT_EQ(run.complete, sampler == "perf");
    EXPECT_EQ(run.reason, sampler == "perf" ? ""
                                            : "the timer's signal stayed away for 23 % of the time: the program blocks "
                                              "it or handles it by system calls of its own");
  }
}

// The rank used 10.25 s; 5 % of that are 0.5125 s, which 14,643 samples of 35 us each reach.
TEST(Warnings, TellWhatTakingSamplesCost) {
  const auto cost = [](uint64_t samples) {
    RunFolder f(1);
    f.write("a.raw", finished_file({.samples = {{{0, 1, 0, 0}, {samples, 9000 * kMillisecond, 0, {}}}}}));
    std::string found;
    for (const std::string& w : merged(f).warnings) {
      if (w.find("taking samples") != std::string::npos) found = w;
    }
    return found;
  };
  EXPECT_EQ(cost(14600), "");
  // 29,286 x 35 us / 10.25 s
  EXPECT_EQ(cost(29286),
            "taking samples so often cost up to 10.0 % of the CPU time, which is in all totals; a lower --rate costs "
            "less");
}

// A host has two CPUs here.
TEST(Warnings, TellThatEventsOfThreadsAreDearWhereRanksShareCores) {
  const auto is_dear = [](const char* sampler, int ranks) {
    RunFolder f(ranks);
    for (int r = 0; r < ranks; ++r) {
      f.write(
          std::to_string(r) + ".raw",
          finished_file({.rank = static_cast<uint32_t>(r), .size = static_cast<uint32_t>(ranks), .sampler = sampler}));
    }
    for (const std::string& w : merged(f).warnings) {
      if (w.find("three times as dear") != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(is_dear("perf", 3));
  EXPECT_TRUE(is_dear("perf-user", 3));
  EXPECT_FALSE(is_dear("perf", 2));
  EXPECT_FALSE(is_dear("cpus", 3));
  EXPECT_FALSE(is_dear("timer", 3));
}

TEST(Warnings, TellThatNothingWasSampled) {
  RunFolder f(1);
  f.write("a.raw", finished_file({.sampler = "none", .sampler_reason = "perf_event_open: Permission denied"}));
  const core::Run run = merged(f);
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(run.warnings[0].find("nothing was sampled (perf_event_open: Permission denied)"), 0u);
  EXPECT_EQ(run.times.computation_s.sum, 0);
  EXPECT_NEAR(run.times.unattributed_s.sum, 10.25 - 0.125 - 0.75, 1e-9);
}

TEST(Warnings, NameModulesThatAreGone) {
  RunFolder f(1);
  f.write("a.raw", finished_file({.modules = {kModule, {0x20000, 0x20000, 0x30000, "/nonexistent/unused.so", ""}},
                                  .samples = {{{0, raw::kOutsideMpi, 0, 0x10000}, {1, 9 * kSecond, 0, {}}}}}));
  EXPECT_EQ(merged(f).warnings,
            (std::vector<std::string>{"module /nonexistent/app cannot be read (No such file or directory): its "
                                      "functions have no names"}));
}

}  // namespace
}  // namespace scalediag::merge
