#include <gtest/gtest.h>

#include <random>

#include "fit/data/cube/cube_file.h"
#include "fit/data/measurement_file.h"
#include "tests/core/text_mutation.h"
#include "tests/fit/data/cube_builder.h"
#include "tests/fit/data/run_values.h"

namespace scalediag::fit {
namespace {

std::string cube_error_of(const std::string& bytes) {
  const auto run = read_cube(bytes, "profile.cubex");
  return run ? "" : run.error().message;
}

// One metric with the rows and values given.
std::string cube_with(const std::string& metric, const std::string& index, const std::string& data) {
  return tar_of({{"anchor.xml", cube_anchor_xml(metric)}, {"0.index", index}, {"0.data", data}});
}

const std::string kVisits = cube_metric(0, "EXCLUSIVE", "visits", "DOUBLE", "occ");

TEST(Cube, InclusiveTimesLoseCalleesAndAreThoseOfTheMeanRank) {
  for (const bool packed : {false, true}) {
    const std::string bytes = example_cube(packed);
    EXPECT_EQ(kind_of(bytes), FileKind::kCube);
    const auto run = read_cube(bytes, "profile.cubex");
    ASSERT_TRUE(run.ok()) << run.error().message;
    EXPECT_EQ(run.value().processes, 2);
    EXPECT_EQ(run.value().metadata.at("threads"), 2);
    // main: 10 - 8 - 1 on rank 0, 12 - 9 - 1 on rank 1. The second threads, 6 - 6 and 7 - 7, are not there: (1 + 2)
    // / 2.
    EXPECT_DOUBLE_EQ(value_of(run.value(), "main", "time"), 1.5);
    // solve: threads have 8 - 2 and 6, and 9 - 4 and 7: means 6 and 6.
    EXPECT_DOUBLE_EQ(value_of(run.value(), "main->solve", "time"), 6);
    // MPI_Send is on the first threads only, which do not share their time with the idle ones: (2 + 4) / 2.
    EXPECT_DOUBLE_EQ(value_of(run.value(), "main->solve->MPI_Send", "time"), 3);
    EXPECT_DOUBLE_EQ(value_of(run.value(), "main->output", "time"), 1);
    // Counts are summed over threads: 5 + 5 on each rank.
    EXPECT_DOUBLE_EQ(value_of(run.value(), "main->solve->MPI_Send", "visits"), 10);
    EXPECT_DOUBLE_EQ(value_of(run.value(), "main", "visits"), 1);
    EXPECT_DOUBLE_EQ(value_of(run.value(), "main->output", "visits"), 0);
  }
}

TEST(Cube, FilesOfTheOtherByteOrderAreRead) {
  const auto run = read_cube(cube_with(kVisits, cube_index({3}, true), cube_data({1, 2, 3, 4}, true)), "a");
  ASSERT_TRUE(run.ok()) << run.error().message;
  // output: (1 + 2 + 3 + 4) over two ranks.
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->output", "visits"), 5);
}

TEST(Cube, LeastAndMostAreThoseOfAllThreads) {
  const std::string metrics = cube_metric(0, "EXCLUSIVE", "least", "MINDOUBLE", "sec");
  const auto run = read_cube(cube_with(metrics, cube_index({1}), cube_data({4, 3, 2, 5})), "a");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->solve", "least"), 2);
}

TEST(Cube, MetricsWithoutNumbersAreNamedAndLeftOut) {
  const std::string metrics =
      cube_metric(0, "EXCLUSIVE", "visits", "DOUBLE", "occ") + cube_metric(1, "EXCLUSIVE", "rates", "RATE", "") +
      cube_metric(2, "POSTDERIVED", "derived", "DOUBLE", "") + cube_metric(3, "EXCLUSIVE", "absent", "DOUBLE", "");
  const auto run = read_cube(tar_of({{"anchor.xml", cube_anchor_xml(metrics)},
                                     {"0.index", cube_index({0})},
                                     {"0.data", cube_data({1, 1, 1, 1})},
                                     {"1.index", cube_index({0})},
                                     {"1.data", cube_data({1, 1, 1, 1})}}),
                             "a");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run.value().notes,
            std::vector<std::string>{"metrics without values that can be read are left out: rates, derived, absent"});
}

TEST(Cube, ErrorsNameTheMember) {
  const std::string index = cube_index({0}), data = cube_data({1, 2, 3, 4});
  EXPECT_EQ(cube_error_of(cube_with(kVisits, cube_index({7}), data)),
            "profile.cubex: 0.index: row 7 is beyond the call tree");
  EXPECT_EQ(cube_error_of(cube_with(kVisits, index.substr(0, index.size() - 2), data)),
            "profile.cubex: 0.index: it is to have 1 rows and has 0, of 4 call paths");
  EXPECT_EQ(cube_error_of(cube_with(kVisits, "CUBE", data)),
            "profile.cubex: 0.index: it does not begin as an index of Cube does");
  EXPECT_EQ(cube_error_of(cube_with(kVisits, index, cube_data({1, 2, 3}))),
            "profile.cubex: 0.data: it does not hold the 1 rows of 4 values that its index and anchor.xml tell of");
  EXPECT_EQ(cube_error_of(tar_of({{"anchor.xml", "<cube>\n<metrics></cube>"}})),
            "profile.cubex: anchor.xml:2: mismatched tag");
  EXPECT_EQ(cube_error_of(tar_of({{"anchor.xml", "<cube/>"}})), "profile.cubex: anchor.xml has no metric");
  EXPECT_EQ(cube_error_of(tar_of({{"0.index", index}})),
            "profile.cubex has no member anchor.xml, which every Cube profile has");
  EXPECT_EQ(cube_error_of(example_cube().substr(0, 1600)),
            "profile.cubex: member '0.data' of 138 bytes is cut off after 64");
  // Behind the first member, of 512 and 512 bytes.
  EXPECT_EQ(cube_error_of(example_cube().substr(0, 1024)),
            "profile.cubex is cut off: it has no end of an archive behind its members");
}

// 8 MiB of zeros in some KiB: what unpacks to more than the rows need is not unpacked to its end.
TEST(Cube, DataThatUnpackToMoreThanTheRowsAreRefused) {
  const std::string bomb = packed_cube_data(std::vector<double>(1 << 20, 0.0));
  EXPECT_EQ(cube_error_of(cube_with(kVisits, cube_index({0}), bomb)),
            "profile.cubex: 0.data: it does not hold the 1 rows of 4 values that its index and anchor.xml tell of");
  std::string deep = "<cube>";
  for (int i = 0; i < 20000; ++i) deep += "<a>";
  EXPECT_EQ(cube_error_of(tar_of({{"anchor.xml", deep}})),
            "profile.cubex: anchor.xml:1: elements are nested deeper than 10000");
}

// A name that leads out of the archive is a name like any other: nothing is written.
TEST(Cube, NamesOfMembersAreOnlyNames) {
  const auto run = read_cube(tar_of({{"../../etc/passwd", "x"},
                                     {"anchor.xml", cube_anchor_xml(kVisits)},
                                     {"0.index", cube_index({0})},
                                     {"0.data", cube_data({1, 1, 1, 1})}}),
                             "a");
  EXPECT_TRUE(run.ok()) << run.error().message;
}

TEST(Cube, NoDamageBreaksTheReader) {
  std::mt19937 random(20260101);
  for (const bool packed : {false, true}) {
    const std::string seed = example_cube(packed);
    for (size_t length = 0; length < seed.size(); length += 7) (void)read_cube(seed.substr(0, length), "a").ok();
    for (int i = 0; i < 3000; ++i) (void)read_cube(core::mutate_text(seed, random), "a").ok();
  }
}

}  // namespace
}  // namespace scalediag::fit
