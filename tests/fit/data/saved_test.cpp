#include <gtest/gtest.h>

#include <random>

#include "fit/data/measurement_file.h"
#include "fit/data/saved/extrap_saved.h"
#include "fit/data/saved/zip_member.h"
#include "tests/core/text_mutation.h"

namespace scalediag::fit {
namespace {

MeasurementSet example_set() {
  SeriesBuilder builder({"p", "n"});
  builder.add("main->solve", "time", std::vector<double>{4, 10}, std::vector<double>{3, 1, 2, 5}, "");
  builder.add("main->solve", "time", std::vector<double>{8, 10}, std::vector<double>{7}, "");
  return std::move(builder).finish();
}

std::string saved_error_of(const std::string& json) {
  const auto set = read_extrap_saved(zip_with("experiment.json", json), "a");
  return set ? "" : set.error().message;
}

TEST(ExtrapSaved, LeastMedianAndLargestComeBack) {
  const std::string bytes = extrap_saved(example_set());
  EXPECT_EQ(kind_of(bytes), FileKind::kExtrapSaved);
  const auto set = read_extrap_saved(bytes, "a");
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set.value().parameter_names, (std::vector<std::string>{"p", "n"}));
  ASSERT_EQ(set.value().series.size(), 1u);
  const Series& series = set.value().series[0];
  EXPECT_EQ(series.kernel, "main->solve");
  // Of 1, 2, 3, 5 the median is 2.5.
  EXPECT_EQ(series.observations[0].values, (std::vector<double>{1, 2.5, 5}));
  EXPECT_EQ(series.observations[1].values, (std::vector<double>{7}));
  EXPECT_EQ(set.value().notes.size(), 1u);
}

TEST(ExtrapSaved, ErrorsNameThePlaceInTheMember) {
  EXPECT_EQ(
      saved_error_of(R"({"parameters": ["p"], "measurements": {"a": {"t": [{"coordinate": [4, 5], "median": 1}]}}})"),
      "a: experiment.json: a.t[0]: expected coordinate, a list of 1 numbers, with median, minimum and maximum");
  EXPECT_EQ(saved_error_of(R"({"parameters": ["p"], "measurements": {}})"),
            "a: experiment.json: measurements: there are none");
  EXPECT_EQ(saved_error_of(R"({"parameters": []})"), "a: experiment.json: parameters: expected a list of names");
  const std::string bytes = extrap_saved(example_set());
  const auto cut = read_extrap_saved(bytes.substr(0, bytes.size() - 10), "a");
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.error().message, "a: member experiment.json cannot be read: the archive is damaged or cut off");
}

TEST(ExtrapSaved, MembersLargerThanTheLimitAreRefused) {
  EXPECT_EQ(zip_member(zip_with("a", "12345"), "a", 5), "12345");
  EXPECT_EQ(zip_member(zip_with("a", "12345"), "a", 4), std::nullopt);
  EXPECT_EQ(zip_member(zip_with("a", "12345"), "b", 5), std::nullopt);
  // A changed digit, which the checksum tells.
  std::string changed = zip_with("a", "12345");
  changed[changed.find("12345") + 2] = '9';
  EXPECT_EQ(zip_member(changed, "a", 5), std::nullopt);
}

TEST(ExtrapSaved, NoDamageBreaksTheReader) {
  std::mt19937 random(20260104);
  const std::string seed = extrap_saved(example_set());
  for (size_t length = 0; length < seed.size(); ++length) (void)read_extrap_saved(seed.substr(0, length), "a").ok();
  for (int i = 0; i < 10000; ++i) (void)read_extrap_saved(core::mutate_text(seed, random), "a").ok();
}

}  // namespace
}  // namespace scalediag::fit
