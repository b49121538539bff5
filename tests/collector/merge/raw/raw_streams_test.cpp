#include "collector/merge/raw/raw_streams.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/atomic_file.h"
#include "core/profile/profile_json.h"
#include "core/raw/node_format.h"
#include "tests/collector/merge/run_folder.h"

namespace scalediag::merge {
namespace {

std::string segment(const std::string& stream, uint64_t number, uint32_t rank) {
  const raw::SegmentHeader header = raw::segment_header(number, 0, stream.size(), rank);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + stream;
}

std::string name_of_rank(uint32_t rank) { return "rank00000" + std::to_string(rank) + ".raw"; }

std::string as_json(const core::Run& run) {
  const core::TemporaryFolder folder;
  const std::string path = folder.path() + "/profile.json";
  core::Profile profile;
  profile.runs.push_back(run);
  EXPECT_TRUE(core::write_profile(profile, path).ok());
  return core::read_file(path).value();
}

TEST(RawStreams, ANodesFileGivesWhatTheFilesOfItsRanksGive) {
  constexpr uint32_t kRanks = 6;
  const RunFolder apart(kRanks), together(kRanks);
  std::string first_node, second_node;
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    RankLife life;
    life.rank = rank;
    life.size = kRanks;
    life.cpu = (10 + rank) * kSecond;
    const std::string bytes = finished_file(life);
    apart.write(name_of_rank(rank), bytes);
    std::string& node = rank < 3 ? first_node : second_node;
    node = segment(bytes, rank + 1, rank) + node;  // in any order
  }
  // By name the second node comes first.
  together.write("node-a-00000000.raw", second_node);
  together.write("node-b-00000000.raw", first_node);
  const auto from_ranks = apart.merge(), from_nodes = together.merge();
  ASSERT_TRUE(from_ranks.ok() && from_nodes.ok());
  EXPECT_TRUE(from_nodes.value().complete) << from_nodes.value().reason;
  EXPECT_EQ(as_json(from_nodes.value()), as_json(from_ranks.value()));
}

TEST(RawStreams, ADamagedStreamIsNamedAndTheOthersAreUsed) {
  const RunFolder folder(2);
  RankLife life;
  life.size = 2;
  std::string damaged = finished_file(life);
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  life.rank = 1;
  folder.write("node-n1-00000000.raw", segment(damaged, 1, 0) + segment(finished_file(life), 2, 1));
  const auto run = folder.merge();
  ASSERT_TRUE(run.ok());
  EXPECT_FALSE(run.value().complete);
  EXPECT_EQ(run.value().reason.rfind("rank 0 (node-n1-00000000.raw): ", 0), 0u) << run.value().reason;
  EXPECT_EQ(run.value().times.total_s.rank_of_max, 1);
}

TEST(RawStreams, AStreamWithoutAnyRecordIsThatOfItsRank) {
  const RunFolder folder(2);
  RankLife life;
  life.size = 2;
  folder.write("node-n1-00000000.raw", segment(finished_file(life), 1, 0) + segment("short", 2, 1));
  const auto run = folder.merge();
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run.value().reason, "rank 1 (node-n1-00000000.raw): the file ends inside its prelude at offset 5");
}

TEST(RawStreams, FilesThatAreNoneAreSaid) {
  const RunFolder folder(1);
  RankLife life;
  folder.write(name_of_rank(0), finished_file(life));
  // It begins as a node's file and has nothing of one.
  folder.write("node-n1-00000000.raw", std::string(raw::kSegmentMagic, 8) + std::string(100, 'x'));
  std::filesystem::create_directory(folder.path() + "/node-n2-00000000.raw");
  const auto run = folder.merge();
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run.value().reason,
            "node-n2-00000000.raw: cannot be read (Is a directory); node-n1-00000000.raw: no part of it can be read");
}

TEST(RawStreams, StreamsComeInOrderAndStopWhenNoMoreAreWanted) {
  const RunFolder folder(1);
  std::string node;
  for (uint32_t rank = 0; rank < 50; ++rank) node += segment(small_file(rank, 50).bytes(), rank + 1, rank);
  folder.write("node-n1-00000000.raw", node);
  folder.write("rank000000.raw", small_file().bytes());
  const auto files = raw_files_in(folder.path());
  ASSERT_TRUE(files.ok());
  std::vector<uint32_t> ranks;
  read_streams(files.value(), ReadScope::kEverything, [&](const RawStream& stream) {
    EXPECT_EQ(stream.content.problem, "");
    if (stream.rank) ranks.push_back(*stream.rank);
    return ranks.size() < 20;
  });
  ASSERT_EQ(ranks.size(), 20u);
  for (uint32_t i = 0; i < 20; ++i) EXPECT_EQ(ranks[i], i);
  // The file of a single rank stands before.
  const std::vector<StreamId> only = {{0, 0}, {1, 7}};
  int n = 0;
  read_streams(
      files.value(), ReadScope::kTotals,
      [&](const RawStream& stream) {
        EXPECT_EQ(stream.id, only[static_cast<size_t>(n++)]);
        return true;
      },
      &only);
  EXPECT_EQ(n, 2);
}

}  // namespace
}  // namespace scalediag::merge
