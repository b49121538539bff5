// replay/place.json, written and read.
#include "collector/replay/place/replayed_place.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/atomic_file.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::replay {
namespace {

class ReplayedPlaceTest : public ::testing::Test {
 protected:
  ReplayedPlaceTest() { std::filesystem::create_directories(folder_.file("replay")); }

  // As it was written for `place_`.
  std::string text() {
    EXPECT_TRUE(write_place(folder_.file("replay"), place_).ok());
    const auto written = core::read_file(file_);
    return written ? written.value() : "";
  }

  const core::TemporaryFolder folder_;
  const std::string file_ = folder_.file("replay/place.json");
  const ReplayedPlace place_ = {{"node1", "6.1.0", "A 9000", 16, 64e9},
                                {{"LD_LIBRARY_PATH", ""}, {"OMP_NUM_THREADS", "4"}},
                                {"the processor was B and is now A 9000", "the folder was /a and is now /b"},
                                "100-0000000a",
                                true};
};

TEST_F(ReplayedPlaceTest, IsReadAsItWasWritten) {
  const auto none = read_place(folder_.path());
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none.value().has_value());
  ASSERT_NE(text(), "");
  const auto read = read_place(folder_.path());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(read.value().has_value());
  const ReplayedPlace& place = *read.value();
  EXPECT_EQ(place.host.name, place_.host.name);
  EXPECT_EQ(place.host.kernel, place_.host.kernel);
  EXPECT_EQ(place.host.cpu, place_.host.cpu);
  EXPECT_EQ(place.host.cores, place_.host.cores);
  EXPECT_EQ(place.host.memory_bytes, place_.host.memory_bytes);
  EXPECT_EQ(place.environment, place_.environment);
  EXPECT_EQ(place.differences, place_.differences);
  EXPECT_EQ(place.build, place_.build);
  EXPECT_EQ(place.uses_openmp, place_.uses_openmp);
}

// The last byte of all ends the line after the document.
TEST_F(ReplayedPlaceTest, EveryTruncationIsRefused) {
  const std::string whole = text();
  for (size_t bytes = 0; bytes + 1 < whole.size(); ++bytes) {
    std::ofstream(file_, std::ios::binary) << whole.substr(0, bytes);
    EXPECT_FALSE(read_place(folder_.path()).ok()) << bytes;
  }
}

TEST_F(ReplayedPlaceTest, FilesWithoutTheNewestFieldsAreRead) {
  std::string older = text();
  for (const char* field : {"build", "uses_openmp"}) {
    const size_t at = older.find(std::string("\"") + field), comma = older.rfind(',', at);
    ASSERT_NE(at, std::string::npos);
    older.erase(comma, older.find_first_of(",\n}", at) - comma);
  }
  std::ofstream(file_, std::ios::binary) << older;
  const auto read = read_place(folder_.path());
  ASSERT_TRUE(read.ok()) << read.error().message << older;
  EXPECT_EQ(read.value()->differences, place_.differences);
  EXPECT_EQ(read.value()->build, "");
  EXPECT_FALSE(read.value()->uses_openmp);
}

TEST_F(ReplayedPlaceTest, AnotherVersionIsRefused) {
  std::string other = text();
  const size_t version = other.find("place/1");
  ASSERT_NE(version, std::string::npos);
  other.replace(version, 7, "place/2");
  std::ofstream(file_, std::ios::binary) << other;
  EXPECT_FALSE(read_place(folder_.path()).ok());
}

}  // namespace
}  // namespace scalediag::replay
