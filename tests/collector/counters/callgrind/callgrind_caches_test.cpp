#include "collector/counters/callgrind/callgrind_caches.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::counters {
namespace {

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * 1024;

TEST(NearestSimulated, LeavesWhatCallgrindCanDo) {
  // 64 sets of 8 ways; 64 sets of 12 ways; 32768 sets of 16 ways.
  for (const CacheGeometry& g : {CacheGeometry{32 * kKiB, 8, 64}, {48 * kKiB, 12, 64}, {32 * kMiB, 16, 64}}) {
    EXPECT_EQ(nearest_simulated(g), g);
  }
}

TEST(NearestSimulated, KeepsTheSizeAndChangesTheWays) {
  // 36 MiB in 12 ways are 49152 sets. 32768 sets want 18 ways, 65536 sets 9: both have the size, 9 is nearer to 12.
  EXPECT_EQ(nearest_simulated({36 * kMiB, 12, 64}), (CacheGeometry{36 * kMiB, 9, 64}));
}

TEST(NearestSimulated, ChangesTheSizeWhereNothingElseHelps) {
  // 100000 bytes in 3 ways are 520 sets. A way of 512 sets has 32768 bytes: 3 of them 98304, 1696 less; a way of 1024
  // sets has 65536.
  EXPECT_EQ(nearest_simulated({100000, 3, 64}), (CacheGeometry{98304, 3, 64}));
}

TEST(NearestSimulated, TakesEightWaysWhereTheyAreNotKnown) {
  EXPECT_EQ(nearest_simulated({kMiB, 0, 64}), (CacheGeometry{kMiB, 8, 64}));
}

// As /sys/devices/system/cpu/cpu0/cache has it.
class CallgrindCachesTest : public testing::Test {
 protected:
  void add(int index, const char* level, const char* type, const char* size, const char* ways) {
    const std::string path = folder_.file("index" + std::to_string(index));
    std::filesystem::create_directory(path);
    const auto write = [&path](const char* name, const char* text) {
      std::ofstream(path + "/" + name) << text << "\n";
    };
    write("level", level);
    write("type", type);
    write("size", size);
    write("ways_of_associativity", ways);
    write("coherency_line_size", "64");
  }
  core::TemporaryFolder folder_;
};

TEST_F(CallgrindCachesTest, TakesTheFirstAndTheLastLevelAndSaysWhatIsLeftOut) {
  add(0, "1", "Data", "48K", "12");
  add(1, "1", "Instruction", "32K", "8");
  add(2, "2", "Unified", "2048K", "16");
  add(3, "3", "Unified", "36864K", "12");
  const CallgrindCaches caches = callgrind_caches(folder_.path());
  EXPECT_EQ(caches.options, (std::vector<std::string>{"--I1=32768,8,64", "--D1=49152,12,64", "--LL=37748736,9,64"}));
  EXPECT_EQ(caches.description, "I1 32 KiB, D1 48 KiB, last level 36 MiB");
  ASSERT_EQ(caches.notes.size(), 2u);
  EXPECT_EQ(
      caches.notes[0],
      "last level is 36 MiB 12-way with lines of 64 bytes; the nearest that callgrind can simulate is 36 MiB 9-way "
      "with lines of 64 bytes");
  EXPECT_NE(caches.notes[1].find("hits of those between count as hits of the last"), std::string::npos);
}

TEST_F(CallgrindCachesTest, TheMeasuredLastLevelIsSimulated) {
  add(0, "1", "Data", "48K", "12");
  add(1, "1", "Instruction", "32K", "8");
  add(3, "3", "Unified", "520192K", "16");
  // 26 MiB of 64-byte lines are 26,624 sets of 16 ways. The powers of two around it, 16,384 with 26 ways and 32,768
  // with 13, are both 26 MiB; 13 is nearer to 16.
  const CallgrindCaches caches = callgrind_caches(folder_.path(), 26.0 * 1048576);
  EXPECT_EQ(caches.options.back(), "--LL=27262976,13,64");
  EXPECT_EQ(caches.description, "I1 32 KiB, D1 48 KiB, last level 26 MiB");
  EXPECT_TRUE(caches.notes.empty());
}

TEST(ShareOfLastLevel, IsThatOfTheRanksThatRunAtOnce) {
  EXPECT_EQ(share_of_last_level(32, 8, {1, 1, 8}), 32);
  EXPECT_EQ(share_of_last_level(32, 8, {4, 1, 8}), 8);
  EXPECT_EQ(share_of_last_level(32, 8, {64, 1, 8}), 4);   // 8 at once
  EXPECT_EQ(share_of_last_level(32, 8, {64, 4, 8}), 16);  // 2 of 4 threads at once
  EXPECT_EQ(share_of_last_level(32, 8, {4, 1, 16}), 16);  // 2 levels, 2 ranks on each
  EXPECT_EQ(share_of_last_level(32, 8, {5, 1, 16}), 32.0 / 3);
  EXPECT_EQ(share_of_last_level(32, 1, {2, 1, 2}), 32);  // each core has its own
  EXPECT_EQ(share_of_last_level(32, 0, {0, 0, 0}), 32);  // nothing is known
}

TEST_F(CallgrindCachesTest, LeaveValgrindToGuessWhereTheKernelSaysNothing) {
  const CallgrindCaches caches = callgrind_caches(folder_.path());
  EXPECT_TRUE(caches.options.empty());
  ASSERT_EQ(caches.notes.size(), 1u);
}

}  // namespace
}  // namespace scalediag::counters
