#include "collector/merge/raw/raw_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "collector/merge/raw/raw_streams.h"
#include "tests/collector/merge/raw/raw_file_builder.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::merge {
namespace {

RankIdentity identity(uint32_t rank, uint32_t size) {
  RankIdentity i;
  i.rank = rank;
  i.size = size;
  i.sampler = "perf";
  return i;
}

TEST(RawReader, GivesBackEveryField) {
  RankIdentity i = identity(3, 8);
  i.pid = 77;
  i.host = "node1";
  i.executable = "/opt/app";
  i.mpi_library_version = "MPICH 4";
  i.sampler_reason = "because";
  i.period_ns = 4;
  i.online_cpus = 16;
  i.counters = {"instructions", "cycles"};
  RawFileBuilder b(3);
  b.identity(i)
      .modules(2, {{10, 20, 30, "/lib/a.so", "beef"}})
      .samples({{{1, raw::kOutsideMpi, 2, 25}, {1, 2, 3, {40, 50}}}})
      .operation_names({{9, "MPI_Bcast"}})
      .operations({{{9, 1, 8, 11}, {2, 2048, 30, 10, 20}}})
      .peers({{{5, raw::kGot}, {6, 7}}})
      .clock({raw::Phase::kInitEnd, 1, 2, 3, 4, 5, 6})
      .losses({1, 2, 3, 4, 5})
      .counting({6, 7, "a reason"})
      .allowed_cpus({{0, 3}, {8, 8}})
      .run("np0008.r0-1")
      .spawned(8)
      .waits(raw::Phase::kInitEnd, {11, 12})
      .footer(1, 1);
  const RawFile f = parse_raw(b.bytes());
  ASSERT_EQ(f.state, FileState::kFinished) << f.problem;
  ASSERT_EQ(f.records.size(), 1u);
  const RankRecord& r = f.records[0];
  EXPECT_EQ(r.rank, 3u);
  ASSERT_TRUE(r.identity);
  EXPECT_EQ(r.identity->size, 8u);
  EXPECT_EQ(r.identity->pid, 77u);
  EXPECT_EQ(r.identity->host, "node1");
  EXPECT_EQ(r.identity->executable, "/opt/app");
  EXPECT_EQ(r.identity->mpi_library_version, "MPICH 4");
  EXPECT_EQ(r.identity->sampler, "perf");
  EXPECT_EQ(r.identity->sampler_reason, "because");
  EXPECT_EQ(r.identity->period_ns, 4u);
  EXPECT_EQ(r.identity->online_cpus, 16u);
  EXPECT_EQ(r.identity->counters, (std::vector<std::string>{"instructions", "cycles"}));
  ASSERT_EQ(r.modules.at(2).size(), 1u);
  EXPECT_EQ(r.modules.at(2)[0].load_bias, 10u);
  EXPECT_EQ(r.modules.at(2)[0].begin, 20u);
  EXPECT_EQ(r.modules.at(2)[0].end, 30u);
  EXPECT_EQ(r.modules.at(2)[0].path, "/lib/a.so");
  EXPECT_EQ(r.modules.at(2)[0].build_id, "beef");
  const SampleTotals& s = r.samples.at({1, raw::kOutsideMpi, 2, 25});
  EXPECT_EQ(s.samples, 1u);
  EXPECT_EQ(s.cpu_ns, 2u);
  EXPECT_EQ(s.system_ns, 3u);
  EXPECT_EQ(s.counters, (std::vector<uint64_t>{40, 50}));
  EXPECT_EQ(r.operation_names.at(9), "MPI_Bcast");
  EXPECT_EQ(r.allowed_cpus, (std::vector<CpuRange>{{0, 3}, {8, 8}}));
  const OperationTotals& o = r.operations.at({9, 1, 8, 11});
  EXPECT_EQ(o.calls, 2u);
  EXPECT_EQ(o.bytes, 2048u);
  EXPECT_EQ(o.ticks, 30u);
  EXPECT_EQ(o.min_ticks, 10u);
  EXPECT_EQ(o.max_ticks, 20u);
  EXPECT_EQ(r.peers.at({5, raw::kGot}).messages, 6u);
  EXPECT_EQ(r.peers.at({5, raw::kGot}).bytes, 7u);
  ASSERT_TRUE(r.point(raw::Phase::kInitEnd));
  EXPECT_EQ(r.last_point->ticks, 1u);
  EXPECT_EQ(r.last_point->monotonic_ns, 2u);
  EXPECT_EQ(r.last_point->realtime_ns, 3u);
  EXPECT_EQ(r.last_point->process_cpu_ns, 4u);
  EXPECT_EQ(r.last_point->main_thread_cpu_ns, 5u);
  EXPECT_EQ(r.last_point->collector_cpu_ns, 6u);
  EXPECT_EQ(r.losses.lost_samples, 1u);
  EXPECT_EQ(r.losses.unsampled_threads, 2u);
  EXPECT_EQ(r.losses.dropped_keys, 3u);
  EXPECT_EQ(r.losses.uncounted_calls, 4u);
  EXPECT_EQ(r.losses.threads, 5u);
  ASSERT_TRUE(r.counting);
  EXPECT_EQ(r.counting->late_overflows, 6u);
  EXPECT_EQ(r.counting->uncounted_threads, 7u);
  EXPECT_EQ(r.counting->problem, "a reason");
  EXPECT_EQ(r.stamp, "np0008.r0-1");
  EXPECT_EQ(r.spawned, 8u);
  ASSERT_TRUE(r.waits[static_cast<size_t>(raw::Phase::kInitEnd)]);
  EXPECT_EQ(r.last_waits->for_core_ns, 11u);
  EXPECT_EQ(r.last_waits->children_cpu_ns, 12u);
}

TEST(RawReader, ReadsTheVersionBefore) {
  const RawFile f = parse_raw(RawFileBuilder().version(1).identity(identity(0, 1)).footer(0).bytes());
  ASSERT_EQ(f.state, FileState::kFinished) << f.problem;
  EXPECT_FALSE(f.records.at(0).counting);
  EXPECT_EQ(f.records.at(0).stamp, "");
}

TEST(RawReader, ReadsTheOtherByteOrder) {
  const RawFile f = parse_raw(small_file(1, 4, ByteOrder::kForeign).bytes());
  ASSERT_EQ(f.state, FileState::kFinished) << f.problem;
  const RankRecord& r = f.records.at(0);
  EXPECT_EQ(r.rank, 1u);
  EXPECT_EQ(r.identity->host, "node1");
  EXPECT_EQ(r.identity->period_ns, 4000000u);
  EXPECT_EQ(r.samples.at({0, raw::kOutsideMpi, 0, 0x2010}).cpu_ns, 12000000u);
  EXPECT_EQ(r.modules.at(0)[0].path, "/opt/app");
}

TEST(RawReader, LastTotalOfAKeyWins) {
  RawFileBuilder b;
  b.identity(identity(0, 1))
      .modules(0, {{0, 1, 2, "/old", ""}})
      .samples({{{0, 1, 0, 0}, {5, 50, 0, {}}}, {{0, 2, 0, 0}, {1, 10, 0, {}}}})
      .operations({{{1, 0, 2, 0}, {5, 0, 50, 1, 9}}})
      .peers({{{1, raw::kSent}, {1, 1}}})
      .modules(0, {{0, 1, 2, "/new", ""}})
      .samples({{{0, 1, 0, 0}, {7, 70, 0, {}}}})
      .operations({{{1, 0, 2, 0}, {8, 0, 80, 1, 9}}})
      .peers({{{1, raw::kSent}, {2, 3}}})
      .footer(8);  // 7 + 1
  const RawFile f = parse_raw(b.bytes());
  ASSERT_EQ(f.state, FileState::kFinished) << f.problem;
  const RankRecord& r = f.records.at(0);
  EXPECT_EQ(r.samples.size(), 2u);
  EXPECT_EQ(r.samples.at({0, 1, 0, 0}).samples, 7u);
  EXPECT_EQ(r.samples.at({0, 2, 0, 0}).samples, 1u);
  EXPECT_EQ(r.operations.at({1, 0, 2, 0}).calls, 8u);
  EXPECT_EQ(r.peers.at({1, raw::kSent}).bytes, 3u);
  ASSERT_EQ(r.modules.at(0).size(), 1u);
  EXPECT_EQ(r.modules.at(0)[0].path, "/new");
}

TEST(RawReader, TruncatedAnywhereIsNeverFinished) {
  const std::string whole = small_file().bytes();
  ASSERT_EQ(parse_raw(whole).state, FileState::kFinished);
  // Where chunks end, with the padding of their payload.
  std::set<size_t> ends = {sizeof(raw::Prelude)};
  for (size_t at = sizeof(raw::Prelude); at < whole.size(); ends.insert(at)) {
    raw::ChunkHeader header;
    std::memcpy(&header, whole.data() + at, sizeof header);
    at += sizeof header + raw::padded(header.payload_bytes);
  }
  for (size_t n = 0; n < whole.size(); ++n) {
    const RawFile f = parse_raw(std::string_view(whole).substr(0, n));
    EXPECT_EQ(f.state, n < sizeof(raw::Prelude) ? FileState::kNotRaw
                       : ends.count(n) > 0      ? FileState::kNoFooter
                                                : FileState::kUnfinished)
        << n;
    EXPECT_FALSE(f.problem.empty()) << n;
  }
}

// Every bit of a file matters: the prelude is compared, chunks have checksums over header and payload, padding is zero.
TEST(RawReader, CpusThatDoNotRiseAreRefused) {
  for (const std::vector<CpuRange>& cpus : std::vector<std::vector<CpuRange>>{{{3, 0}}, {{4, 5}, {5, 6}}, {{0, ~0U}}}) {
    EXPECT_EQ(parse_raw(RawFileBuilder(0).identity(identity(0, 1)).allowed_cpus(cpus).footer(0).bytes()).state,
              FileState::kDamaged);
  }
}

TEST(RawReader, ReadsWhatEachEventCountedWhereItOverflowedByItself) {
  RankIdentity counting = identity(0, 1);
  counting.counters = {"PAPI_TOT_INS", "sde:::a::b"};
  const auto file = [&](const std::vector<EventOverflows>& events) {
    return parse_raw(RawFileBuilder(0).identity(counting).overflows(events).footer(0).bytes());
  };
  const RawFile f = file({{1009, 123456}, {0, 0}});
  ASSERT_EQ(f.state, FileState::kFinished) << f.problem;
  ASSERT_EQ(f.records.at(0).overflows.size(), 2u);
  EXPECT_EQ(f.records.at(0).overflows[0].period, 1009u);
  EXPECT_EQ(f.records.at(0).overflows[0].counted, 123456u);
  // Fewer events than the rank counted; and counts of an event that does not overflow.
  EXPECT_EQ(file({{1009, 123456}}).state, FileState::kDamaged);
  EXPECT_EQ(file({{1009, 123456}, {0, 1}}).state, FileState::kDamaged);
}

TEST(RawReader, CallersStandBeforeWhatTheyCall) {
  const auto with = [](const std::vector<raw::Caller>& callers, uint32_t of_sample) {
    RawFileBuilder b;
    b.identity(identity(0, 1)).callers(callers);
    b.path_samples({{{0, raw::kOutsideMpi, 0, 0x10, of_sample}, {1, 1, 0, {}}}});
    return parse_raw(b.bytes()).state;
  };
  EXPECT_EQ(with({{6, 1, 0, 0x20}, {7, 6, 0, 0x30}}, 7), FileState::kNoFooter);
  EXPECT_EQ(with({{6, 1, 0, 0x20}}, raw::kCutStack), FileState::kNoFooter);
  EXPECT_EQ(with({{6, 1, 0, 0x20}}, 7), FileState::kDamaged);              // a caller that is not there
  EXPECT_EQ(with({{7, 1, 0, 0x20}}, 1), FileState::kDamaged);              // a number too high
  EXPECT_EQ(with({{6, 6, 0, 0x20}}, 6), FileState::kDamaged);              // its own caller
  EXPECT_EQ(with({{6, raw::kNoStack, 0, 0x20}}, 6), FileState::kDamaged);  // nobody says where it begins
}

TEST(RawReader, AParallelRegionIsOneOfTheRegions) {
  const auto file = [](uint32_t number, uint32_t is_return) {
    Payload region(ByteOrder::kNative), parallel(ByteOrder::kNative);
    region.u32(1).u32(raw::kMainThread).u32(1).u32(0).text("parallel at 0x10").text("OpenMP");
    region.u64(3).u64(500).u64(20).u64(900).u64(0);
    parallel.u32(1).u32(number).u32(2).u64(0x10).u32(is_return).u32(4).u32(1);
    parallel.u64(2000).u64(1500).u64(450).u64(1400).u64(50);
    RawFileBuilder b(0);
    b.identity(identity(0, 1));
    b.chunk(static_cast<uint32_t>(raw::ChunkKind::kRegions), region);
    b.chunk(static_cast<uint32_t>(raw::ChunkKind::kParallelRegions), parallel);
    return parse_raw(b.footer(0).bytes());
  };
  const RawFile good = file(1, 1);
  ASSERT_EQ(good.state, FileState::kFinished) << good.problem;
  const raw::ParallelRegion expected{1, 2, 0x10, 1, 4, 1, 2000, 1500, 450, 1400, 50};
  EXPECT_EQ(good.records.at(0).parallel_regions, std::vector{expected});
  EXPECT_EQ(file(2, 1).state, FileState::kDamaged);
  EXPECT_EQ(file(0, 1).state, FileState::kDamaged);
  EXPECT_EQ(file(1, 2).state, FileState::kDamaged);
}

TEST(RawReader, EverySingleFlippedBitIsNoticed) {
  for (const ByteOrder order : {ByteOrder::kNative, ByteOrder::kForeign}) {
    const std::string whole = small_file(0, 1, order).bytes();
    for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string flipped = whole;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      EXPECT_NE(parse_raw(flipped).state, FileState::kFinished) << "byte " << bit / 8 << " bit " << bit % 8;
    }
  }
}

TEST(RawReader, EveryFlippedBitIsNoticedInTotalsToo) {
  const std::string whole = small_file().bytes();
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(parse_raw(flipped, ReadScope::kTotals).state, FileState::kFinished) << bit;
  }
}

TEST(RawReader, KeepsWhatIsGoodBeforeTheDamage) {
  RawFileBuilder b;
  b.identity(identity(0, 1)).operations({{{1, 0, 2, 0}, {5, 0, 50, 1, 9}}});
  const size_t damage = b.size();
  b.operations({{{1, 0, 2, 0}, {6, 0, 60, 1, 9}}}).footer(0);
  std::string bytes = b.bytes();
  bytes[damage + sizeof(raw::ChunkHeader)] ^= 1;
  const RawFile f = parse_raw(bytes);
  EXPECT_EQ(f.state, FileState::kDamaged);
  EXPECT_EQ(f.problem, "the checksum of a chunk does not match at offset " + std::to_string(damage));
  EXPECT_EQ(f.records.at(0).operations.at({1, 0, 2, 0}).calls, 5u);
}

TEST(RawReader, NoticesAMissingChunk) {
  RawFileBuilder b;
  b.identity(identity(0, 1));
  const size_t begin = b.size();
  b.operations({{{1, 0, 2, 0}, {5, 0, 50, 1, 9}}});
  const size_t end = b.size();
  b.footer(0);
  std::string bytes = b.bytes();
  bytes.erase(begin, end - begin);
  const RawFile f = parse_raw(bytes);
  EXPECT_EQ(f.state, FileState::kDamaged);
  EXPECT_EQ(f.problem, "the footer does not match the chunks before it at offset " + std::to_string(begin));
}

TEST(RawReader, NamesBothVersionsOfANewerFile) {
  const RawFile f = parse_raw(small_file().version(2047).bytes());
  EXPECT_EQ(f.state, FileState::kNewerVersion);
  EXPECT_EQ(
      f.problem,
      "raw format version 2047 is newer than version 1024, which this scalediag reads: it and its libscalediag.so "
      "are of "
      "different builds");
  EXPECT_EQ(parse_raw(small_file(0, 1, ByteOrder::kForeign).version(2047).bytes()).state, FileState::kNewerVersion);
}

TEST(RawReader, GivesARecordForEveryRankInTheFile) {
  RawFileBuilder b(5);
  b.identity(identity(5, 8)).rank(2).identity(identity(2, 8));
  b.rank(5).operations({{{1, 0, 8, 0}, {5, 0, 50, 1, 9}}});
  b.rank(2).operations({{{1, 0, 8, 0}, {2, 0, 20, 1, 9}}});
  b.footer(0);
  const RawFile f = parse_raw(b.bytes());
  ASSERT_EQ(f.state, FileState::kFinished) << f.problem;
  ASSERT_EQ(f.records.size(), 2u);
  EXPECT_EQ(f.records[0].rank, 2u);
  EXPECT_EQ(f.records[0].operations.at({1, 0, 8, 0}).calls, 2u);
  EXPECT_EQ(f.records[1].rank, 5u);
  EXPECT_EQ(f.records[1].operations.at({1, 0, 8, 0}).calls, 5u);
}

TEST(RawReader, GoesOnAfterAFooter) {
  RawFileBuilder b;
  b.identity(identity(0, 1)).footer(0);
  b.clock({raw::Phase::kExit, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(parse_raw(b.bytes()).state, FileState::kNoFooter);
  const RawFile f = parse_raw(b.footer(0).bytes());
  EXPECT_EQ(f.state, FileState::kFinished) << f.problem;
  EXPECT_TRUE(f.records.at(0).point(raw::Phase::kExit));
}

TEST(RawReader, SaysWhyRecordingStopped) {
  RawFileBuilder b;
  b.identity(identity(0, 1));
  EXPECT_EQ(parse_raw(b.stop(raw::StopReason::kWriteFailed, ENOSPC).bytes()).problem,
            "recording stopped because writing failed (No space left on device)");
  EXPECT_EQ(parse_raw(b.stop(raw::StopReason::kOutOfMemory, 0).bytes()).problem,
            "recording stopped because memory ran out");
  EXPECT_EQ(parse_raw(b.stop(raw::StopReason::kAborted, 0).bytes()).problem, "the program called MPI_Abort");
  // A footer does not make a stopped file a finished one.
  EXPECT_EQ(parse_raw(b.footer(0).bytes()).state, FileState::kUnfinished);
}

TEST(RawReader, DoesNotBelieveSizes) {
  RawFileBuilder b;
  b.identity(identity(0, 1));
  const size_t at = b.size();
  for (const uint32_t claimed :
       {1u, 1000u, raw::kMaxPayloadBytes, raw::kMaxPayloadBytes + 1, 0xFFFFFFF9u, 0xFFFFFFFFu}) {
    raw::ChunkHeader h{};
    h.kind = 4;
    h.payload_bytes = claimed;
    std::string bytes = b.bytes();
    bytes.append(reinterpret_cast<const char*>(&h), sizeof h);
    const RawFile f = parse_raw(bytes);
    EXPECT_EQ(f.state, claimed > raw::kMaxPayloadBytes ? FileState::kDamaged : FileState::kUnfinished) << claimed;
    EXPECT_NE(f.problem.find("at offset " + std::to_string(at)), std::string::npos) << f.problem;
  }
}

TEST(RawReader, RefusesChunksThatDoNotFitTheirKind) {
  const auto state_with = [](uint32_t kind, const Payload& p) {
    RawFileBuilder b;
    b.identity(identity(0, 1)).chunk(kind, p).footer(0);
    return parse_raw(b.bytes()).state;
  };
  const auto p = [] { return Payload(ByteOrder::kNative); };
  EXPECT_EQ(state_with(4, p().u32(0)), FileState::kFinished);
  EXPECT_EQ(state_with(4, p().u32(1)), FileState::kDamaged);                         // one name promised, none there
  EXPECT_EQ(state_with(4, p().u32(0).u32(0)), FileState::kDamaged);                  // more than promised
  EXPECT_EQ(state_with(4, p().u32(1).u32(0).u32(0xFFFFFFFF)), FileState::kDamaged);  // an endless string
  EXPECT_EQ(state_with(3, p().u32(0xFFFFFFFF)), FileState::kDamaged);
  EXPECT_EQ(state_with(2, p().u32(0).u32(0xFFFFFFFF)), FileState::kDamaged);
  EXPECT_EQ(state_with(7, p().u32(7).u64(0).u64(0).u64(0).u64(0).u64(0).u64(0)), FileState::kDamaged);  // no such phase
  EXPECT_EQ(state_with(6, p().u32(1).u32(0).u32(3).u64(0).u64(0)), FileState::kDamaged);  // no such direction
  EXPECT_EQ(state_with(9, p()), FileState::kDamaged);                                     // no such kind
  EXPECT_EQ(state_with(0, p()), FileState::kDamaged);
}

TEST(RawReader, RefusesAnIdentityThatContradictsItself) {
  EXPECT_EQ(parse_raw(RawFileBuilder(1).identity(identity(0, 2)).footer(0).bytes()).state, FileState::kDamaged);
  EXPECT_EQ(parse_raw(RawFileBuilder(2).identity(identity(2, 2)).footer(0).bytes()).state, FileState::kDamaged);
  EXPECT_EQ(parse_raw(RawFileBuilder().identity(identity(0, 2)).identity(identity(0, 3)).footer(0).bytes()).state,
            FileState::kDamaged);
}

TEST(RawReader, RefusesAFooterThatCountsOtherSamples) {
  RawFileBuilder b;
  b.identity(identity(0, 1)).samples({{{0, 1, 0, 0}, {5, 50, 0, {}}}}).footer(6);
  EXPECT_EQ(parse_raw(b.bytes()).state, FileState::kDamaged);
}

TEST(RawReader, SamplesWithoutIdentityCanNotBeRead) {
  RawFileBuilder b;
  b.samples({{{0, 1, 0, 0}, {5, 50, 0, {}}}}).footer(5);
  EXPECT_EQ(parse_raw(b.bytes()).state, FileState::kDamaged);
}

TEST(RawReader, SaysWhatIsNotARawFile) {
  EXPECT_EQ(parse_raw("").state, FileState::kNotRaw);
  EXPECT_EQ(parse_raw(std::string(100, 'x')).problem,
            "not a scalediag raw file: it does not begin with the magic bytes");
}

TEST(RawReader, SaysWhatCannotBeRead) {
  EXPECT_EQ(read_stream({"/nonexistent/rank.raw"}, {0, 0}).problem, "cannot be read (No such file or directory)");
  EXPECT_EQ(read_stream({"/"}, {0, 0}).state, FileState::kUnreadable);
}

TEST(RawReader, DoesNotWaitForAFifo) {
  const core::TemporaryFolder folder;
  const std::string path = folder.file("rank.raw");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(read_stream({path}, {0, 0}).state, FileState::kUnreadable);
}

TEST(RawReader, TotalsLeaveOutWhatIsLarge) {
  const RawFile f = parse_raw(small_file().bytes(), ReadScope::kTotals);
  ASSERT_EQ(f.state, FileState::kFinished) << f.problem;
  EXPECT_TRUE(f.records.at(0).samples.empty());
  EXPECT_EQ(f.records.at(0).modules.size(), 1u);  // the scan of a run needs the builds
  EXPECT_TRUE(f.records.at(0).peers.empty());
  EXPECT_EQ(f.records.at(0).operations.size(), 1u);
}

}  // namespace
}  // namespace scalediag::merge
