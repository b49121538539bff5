#include "core/raw/node_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/raw/node_format.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::core {
namespace {

std::string segment(uint64_t stream, uint64_t offset, const std::string& bytes, uint32_t rank) {
  const raw::SegmentHeader header = raw::segment_header(stream, offset, bytes.size(), rank);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + bytes;
}

// The content of each stream, after its rank.
std::vector<std::string> contents_of(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/node";
  std::ofstream(path, std::ios::binary) << bytes;
  const auto file = StreamFile::open(path);
  EXPECT_TRUE(file.ok());
  const auto streams = file.value().streams();
  EXPECT_TRUE(streams.ok());
  std::vector<std::string> contents;
  for (const RankStream& stream : streams.value()) {
    std::string content(stream.size, '?');
    EXPECT_TRUE(file.value().read(stream, 0, content.data(), content.size()));
    contents.push_back(std::to_string(stream.rank) + ":" + content);
  }
  return contents;
}

using Contents = std::vector<std::string>;

TEST(NodeFile, AFileOfARankIsOneStream) {
  EXPECT_EQ(contents_of("anything"), Contents{"0:anything"});
  EXPECT_EQ(contents_of(""), Contents{"0:"});
}

TEST(NodeFile, SegmentsOfRanksInAnyOrderAreTheirStreams) {
  EXPECT_EQ(contents_of(segment(7, 0, "ab", 5) + segment(8, 0, "x", 4) + segment(7, 2, "cde", 5)),
            (Contents{"4:x", "5:abcde"}));
}

TEST(NodeFile, TwoProcessesOfOneRankAreTwoStreams) {
  EXPECT_EQ(contents_of(segment(2, 0, "first", 0) + segment(1, 0, "second", 0)), (Contents{"0:first", "0:second"}));
}

TEST(NodeFile, ALaterSegmentOfTheSameBytesIsValid) {
  EXPECT_EQ(contents_of(segment(1, 0, "abcd", 3) + segment(1, 1, "XY", 3)), Contents{"3:aXYd"});
}

TEST(NodeFile, AStreamEndsBeforeAGap) {
  EXPECT_EQ(contents_of(segment(1, 0, "ab", 0) + segment(1, 3, "de", 0)), Contents{"0:ab"});
}

// A rank that dies while it appends leaves a part, wherever it ends; others append behind it.
TEST(NodeFile, ASegmentThatWasCutShortTakesNothingFromOthers) {
  const std::string before = segment(1, 0, "whole", 1), cut = segment(2, 0, "cut short", 2),
                    after = segment(3, 0, "behind", 3);
  for (size_t n = 0; n < cut.size(); ++n) {
    Contents expected = {"1:whole"};
    // Its header may be there, with a part of its bytes.
    if (n >= sizeof(raw::SegmentHeader)) expected.push_back("2:" + cut.substr(sizeof(raw::SegmentHeader), n - 48));
    expected.emplace_back("3:behind");
    EXPECT_EQ(contents_of(before + cut.substr(0, n) + after), expected) << n;
    expected.pop_back();
    EXPECT_EQ(contents_of(before + cut.substr(0, n)), expected) << n;
  }
}

TEST(NodeFile, AFlippedBitInAHeaderLosesThatSegmentAlone) {
  const std::string whole = segment(1, 0, "one", 1) + segment(2, 0, "two", 2) + segment(3, 0, "three", 3);
  for (size_t byte = 51; byte < 51 + sizeof(raw::SegmentHeader); ++byte) {  // of the second header
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 4);
    EXPECT_EQ(contents_of(damaged), (Contents{"1:one", "3:three"})) << byte;
  }
}

// The reader looks for headers in windows of 256 KiB.
TEST(NodeFile, HeadersAreFoundBehindLongGarbage) {
  for (const size_t garbage : {size_t{262143}, size_t{262144}, size_t{300001}}) {
    const std::string bytes = segment(1, 0, "a", 1) + std::string(garbage, 'S') + segment(2, 0, "b", 2);
    EXPECT_EQ(contents_of(bytes), (Contents{"1:a", "2:b"})) << garbage;
  }
}

TEST(NodeFile, ANewerVersionIsRefused) {
  raw::SegmentHeader header = raw::segment_header(1, 0, 0, 0);
  header.version = raw::kNodeVersion + 1;
  header.crc32 = raw::segment_crc(header);
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/node", std::ios::binary).write(reinterpret_cast<const char*>(&header), sizeof header);
  const auto file = StreamFile::open(folder.path() + "/node");
  ASSERT_TRUE(file.ok());
  const auto streams = file.value().streams();
  ASSERT_FALSE(streams.ok());
  EXPECT_EQ(streams.error().message,
            "version 2 of the file of a node is newer than version 1, which this scalediag reads");
}

TEST(NodeFile, WhatIsNoFileIsRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(StreamFile::open(folder.path()).error().message, "Is a directory");
  EXPECT_EQ(StreamFile::open(folder.path() + "/none").error().message, "No such file or directory");
}

}  // namespace
}  // namespace scalediag::core
