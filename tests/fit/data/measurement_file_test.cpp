#include "fit/data/measurement_file.h"

#include <gtest/gtest.h>

#include <random>

#include "core/json/json_reader.h"
#include "fit/data/extrap_json.h"
#include "fit/data/extrap_jsonl.h"
#include "fit/data/extrap_text.h"
#include "tests/core/text_mutation.h"

namespace scalediag::fit {
namespace {

constexpr char kText[] =
    "# two parameters\n"
    "PARAMETER p\n"
    "PARAMETER n\r\n"
    "POINTS ( 4 100 ) ( 8 100 )\n"
    "POINTS ((4) (200)) ((8) (200))\n"
    "\n"
    "REGION main -> solve\n"
    "METRIC time\n"
    "DATA 1.0 1.5\n"
    "DATA 2e0\n"
    "DATA +3\n"
    "DATA 4\n"
    "METRIC flops\n"
    "DATA 10\nDATA 20\nDATA 30\nDATA 40\n";

constexpr char kLines[] = R"({"params":{"p":4,"n":100},"callpath":"main->solve","metric":"time","value":[1.0,1.5]})"
                          "\n"
                          R"({"params":{"n":100,"p":8},"callpath":"main->solve","metric":"time","value":2})"
                          "\n\n";

constexpr char kNewJson[] = R"({"parameters": ["p"], "measurements": {"main->solve": {"time": [
  {"point": [4], "values": [1.0, 1.5]}, {"point": 8, "values": [2.0]}]}}})";

constexpr char kOldJson[] = R"({
  "parameters": [{"id": 1, "name": "p"}, {"id": 2, "name": "n"}],
  "metrics": [{"id": 7, "name": "time"}], "callpaths": [{"id": 3, "name": "main->solve"}],
  "coordinates": [
    {"id": 1, "parameter_value_pairs": [{"parameter_id": 2, "parameter_value": 100}, {"parameter_id": 1, "parameter_value": 4}]},
    {"id": 2, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 8}, {"parameter_id": 2, "parameter_value": 100}]}],
  "measurements": [
    {"id": 1, "callpath_id": 3, "metric_id": 7, "coordinate_id": 1, "value": 1.0},
    {"id": 2, "callpath_id": 3, "metric_id": 7, "coordinate_id": 1, "value": 1.5},
    {"id": 3, "callpath_id": 3, "metric_id": 7, "coordinate_id": 2, "value": 2.0}]})";

core::Result<MeasurementSet> read(const std::string& text) { return parse_measurements(text, kind_of(text), "data"); }

std::string error_of(const std::string& text) {
  const auto set = read(text);
  return set.ok() ? "" : set.error().message;
}

TEST(ExtrapText, ReadsPointsRegionsMetricsAndRepeats) {
  const auto set = read(kText);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set.value().parameter_names, (std::vector<std::string>{"p", "n"}));
  ASSERT_EQ(set.value().series.size(), 2u);
  const Series& time = set.value().series[0];
  EXPECT_EQ(time.kernel, "main->solve");
  EXPECT_EQ(time.metric, "time");
  ASSERT_EQ(time.observations.size(), 4u);
  EXPECT_EQ(time.observations[0].values, (std::vector<double>{1.0, 1.5}));
  EXPECT_EQ(time.observations[2].at, (std::vector<double>{4, 200}));
  EXPECT_EQ(time.observations[2].values, (std::vector<double>{3}));
  EXPECT_EQ(set.value().series[1].metric, "flops");
}

TEST(ExtrapText, OneParameterNeedsNoParentheses) {
  const auto set = read("PARAMETER p\nPOINTS 4 8 (16)\nDATA 1\nDATA 2\nDATA 3\n");
  ASSERT_TRUE(set.ok()) << set.error().message;
  ASSERT_EQ(set.value().series.size(), 1u);
  EXPECT_EQ(set.value().series[0].kernel, "<root>");
  EXPECT_EQ(set.value().series[0].observations[2].at, (std::vector<double>{16}));
}

TEST(ExtrapText, AnEmptyDataLineIsAMissingPoint) {
  const auto set = read("PARAMETER p\nPOINTS 4 8\nREGION a\nDATA\nDATA 2\n");
  ASSERT_TRUE(set.ok()) << set.error().message;
  ASSERT_EQ(set.value().series[0].observations.size(), 1u);
}

TEST(ExtrapText, ErrorsNameTheLine) {
  EXPECT_EQ(error_of("PARAMETER p\nPOINTS 4 8\nREGION a\nDATA 1\nREGION b\n"),
            "data:5: region a, metric <default> has 1 DATA lines for 2 points");
  EXPECT_EQ(error_of("PARAMETER p\nPOINTS 4\nREGION a\nDATA 1\nDATA 1\n"),
            "data:5: region a, metric <default> has more DATA lines than there are points (1)");
  EXPECT_EQ(error_of("PARAMETER p\nPOINTS 4 x\n"), "data:2: 'x' is not a number");
  EXPECT_EQ(error_of("PARAMETER p q\nPOINTS (4 8) (4)\n"), "data:2: a point has 1 values for 2 parameters");
  EXPECT_EQ(error_of("PARAMETER p q\nPOINTS 4 8\n"), "data:2: a point of 2 parameters stands in parentheses");
  EXPECT_EQ(error_of("PARAMETER p\nPOINTS (4\n"), "data:2: '(' without ')' in POINTS");
  EXPECT_EQ(error_of("PARAMETER p\nPOINTS 4\nDATA one\n"), "data:3: 'one' is not a number");
  EXPECT_EQ(error_of("PARAMETER p\nDATA 1\n"), "data:2: DATA stands before POINTS");
  EXPECT_EQ(error_of("PARAMETER p\nhello\n"), "data:2: 'hello' is not a section of Extra-P's text format");
  EXPECT_EQ(error_of("PARAMETER p\nPOINTS 4\n"), "data:2: there is no DATA");
}

TEST(ExtrapText, WhatIsNamedTwiceIsNotMerged) {
  EXPECT_EQ(error_of("PARAMETER p\nPOINTS 4 8 4\nDATA 1\nDATA 2\nDATA 3\n"),
            "data:2: the point (4) stands there twice");
  EXPECT_EQ(error_of("PARAMETER p q\nPOINTS (4 1) (8 1)\nPOINTS (4 2) (8 1)\n"),
            "data:3: the point (8 1) stands there twice");
  EXPECT_EQ(error_of("PARAMETER p\nPOINTS 4\nREGION a\nDATA 1\nREGION b\nDATA 1\nREGION a\nDATA 2\n"),
            "data:8: region a, metric <default> has DATA a second time");
}

TEST(ExtrapText, BytesThatCannotBeShownAreWrittenAsNumbers) {
  using namespace std::string_literals;
  EXPECT_EQ(error_of("PARAMETER p\nPOI\0NTS\x1b[2J\xff\xc3\xa9 4\n"s),
            "data:2: 'POI\\x00NTS\\x1b[2J\\xff\xc3\xa9' is not a section of Extra-P's text format");
  // Cut between characters, not inside one: 39 bytes and half of an e with an accent.
  EXPECT_EQ(error_of("PARAMETER p\n" + std::string(39, 'x') + "\xc3\xa9\n"),
            "data:2: '" + std::string(39, 'x') + "...' is not a section of Extra-P's text format");
}

TEST(ExtrapLines, ReadsNumbersAndListsAndParametersInAnyOrder) {
  const auto set = read(kLines);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set.value().parameter_names, (std::vector<std::string>{"n", "p"}));
  ASSERT_EQ(set.value().series.size(), 1u);
  ASSERT_EQ(set.value().series[0].observations.size(), 2u);
  EXPECT_EQ(set.value().series[0].observations[1].at, (std::vector<double>{100, 8}));
}

TEST(ExtrapLines, DuplicatePointsAreRepeats) {
  const auto set = read("{\"params\":{\"p\":4},\"value\":1}\n{\"params\":{\"p\":4},\"value\":2}\n");
  ASSERT_TRUE(set.ok());
  ASSERT_EQ(set.value().series[0].observations.size(), 1u);
  EXPECT_EQ(set.value().series[0].observations[0].values, (std::vector<double>{1, 2}));
}

TEST(ExtrapLines, WhatIsNoNumberIsLeftOutAndTold) {
  const auto set = read(
      "{\"params\":{\"p\":4},\"callpath\":\"NaN\",\"value\":[1,NaN,-Infinity,null,-3]}\n"
      "{\"params\":{\"p\":0},\"callpath\":\"NaN\",\"value\":1}\n");
  ASSERT_TRUE(set.ok()) << set.error().message;
  ASSERT_EQ(set.value().series.size(), 1u);
  EXPECT_EQ(set.value().series[0].kernel, "NaN");  // a name is a name
  EXPECT_EQ(set.value().series[0].observations[0].values, (std::vector<double>{1}));
  ASSERT_EQ(set.value().warnings.size(), 5u);
  EXPECT_EQ(set.value().warnings[0], "data:1: the value is not a number and is left out");
  EXPECT_EQ(set.value().warnings[3], "data:1: the value -3 is negative and is left out");
  EXPECT_NE(set.value().warnings[4].find("data:2: parameter p is 0"), std::string::npos);
}

TEST(ExtrapLines, ValuesBeyondAllModelsAreLeftOutAndTold) {
  const auto set = read("{\"params\":{\"p\":4},\"value\":[1,1e308]}\n");
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set.value().series[0].observations[0].values, (std::vector<double>{1}));
  ASSERT_EQ(set.value().warnings.size(), 1u);
  EXPECT_EQ(set.value().warnings[0],
            "data:1: the value 1e+308 is beyond 1e+300, which no model reaches, and is left out");
}

TEST(ExtrapLines, ErrorsNameTheLine) {
  const std::string good = "{\"params\":{\"p\":4},\"value\":1}\n";
  EXPECT_EQ(error_of(good + "{\"params\":{\"p\":4},\"val"), "data:2: the line is not JSON, or it is cut off");
  EXPECT_EQ(error_of(good + "{\"value\":4}"), "data:2: field 'params': expected an object of parameters");
  EXPECT_EQ(error_of(good + "{\"params\":{\"p\":4}}"), "data:2: field 'value' is missing");
  EXPECT_EQ(error_of(good + "{\"params\":{\"p\":\"4\"},\"value\":1}"), "data:2: parameter 'p': expected a number");
  EXPECT_EQ(error_of(good + "{\"params\":{\"q\":4},\"value\":1}"),
            "data:2: parameter 'p' is missing, which earlier lines have");
  EXPECT_EQ(error_of(good + "{\"params\":{\"p\":4,\"q\":4},\"value\":1}"),
            "data:2: parameter 'q' is new, earlier lines do not have it");
  EXPECT_EQ(error_of(good + "{\"params\":{\"p\":4},\"value\":\"1\"}"),
            "data:2: field 'value': expected a number or a list of numbers");
  EXPECT_EQ(error_of(good + "{\"params\":{\"p\":4},\"metric\":1,\"value\":1}"),
            "data:2: field 'metric': expected a text");
  EXPECT_EQ(error_of(good + "[]"), "data:2: expected an object");
  EXPECT_EQ(error_of(good + "{\"params\":{\"p\":8},\"value\":[NaN, 1e999]}"),
            "data:2: field value[1]: 1e999 is out of range, no number is above 1.8e308");
}

TEST(ExtrapJson, ReadsTheNewerForm) {
  const auto set = read(kNewJson);
  ASSERT_TRUE(set.ok()) << set.error().message;
  ASSERT_EQ(set.value().series.size(), 1u);
  EXPECT_EQ(set.value().series[0].metric, "time");
  ASSERT_EQ(set.value().series[0].observations.size(), 2u);
  EXPECT_EQ(set.value().series[0].observations[1].at, (std::vector<double>{8}));
}

TEST(ExtrapJson, ReadsTheOlderForm) {
  const auto set = read(kOldJson);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(set.value().parameter_names, (std::vector<std::string>{"p", "n"}));
  ASSERT_EQ(set.value().series.size(), 1u);
  EXPECT_EQ(set.value().series[0].kernel, "main->solve");
  EXPECT_EQ(set.value().series[0].observations[0].at, (std::vector<double>{4, 100}));
  EXPECT_EQ(set.value().series[0].observations[0].values, (std::vector<double>{1.0, 1.5}));
}

TEST(ExtrapJson, ErrorsNameThePlace) {
  EXPECT_EQ(error_of(R"({"parameters":["p","q"],"measurements":{"a":{"t":[{"point":[4],"values":[1]}]}}})"),
            "data: measurements.a.t[0].point: it has 1 values for 2 parameters");
  EXPECT_EQ(error_of(R"({"parameters":["p"],"measurements":{"a":{"t":[{"point":[4]}]}}})"),
            R"(data: measurements.a.t[0]: expected {"point": [...], "values": [...]})");
  EXPECT_EQ(error_of(R"({"parameters":["p"],"measurements":{"a":{"t":[{"point":["4"],"values":[1]}]}}})"),
            "data: measurements.a.t[0]: expected numbers in point and values");
  EXPECT_EQ(error_of(R"({"parameters":[{"id":1,"name":"p"}],"metrics":[],"callpaths":[],"coordinates":[],)"
                     R"("measurements":[{"callpath_id":9}]})"),
            "data: measurements[0].callpath_id: there is no entry 9");
  EXPECT_NE(error_of(R"({"something": "else"})"), "");
  EXPECT_EQ(
      error_of("{\"parameters\":[\"p\"],\n\"measurements\":{\"a\":{\"t\":[{\"point\":[4],\"values\":[1e999]}]}}}"),
      "data:2: field measurements.a.t[0].values[0]: 1e999 is out of range, no number is above 1.8e308");
}

TEST(ExtrapJson, CoordinatesThatOccurTwiceAreNotReplaced) {
  EXPECT_EQ(
      error_of(R"({"parameters":[{"id":1,"name":"p"}],"metrics":[],"callpaths":[],"measurements":[],"coordinates":[
              {"id":1,"parameter_value_pairs":[{"parameter_id":1,"parameter_value":4}]},
              {"id":1,"parameter_value_pairs":[{"parameter_id":1,"parameter_value":8}]}]})"),
      "data: coordinates[1].id: occurs twice");
}

TEST(MeasurementFile, SaysWhichFormatsWereTriedAndWhyEachFailed) {
  EXPECT_EQ(
      error_of("\x7f"
               "ELF\x02\n"),
      "data is in none of the formats that are read: Extra-P's text (line '\\x7fELF\\x02' begins with none of the "
      "sections), Extra-P's JSON, JSON lines and profile.json (they begin with { or [, and are UTF-8)");
  const std::string padded("anchor.xml\0\0\0 0", 15);
  EXPECT_EQ(error_of(padded),
            "data is in none of the formats that are read: Extra-P's text (line 'anchor.xml' begins with none of the "
            "sections), Extra-P's JSON, JSON lines and profile.json (they begin with { or [, and are UTF-8)");
  EXPECT_EQ(
      error_of("[section]\nkey = 1\n"),
      "data is in none of the formats that are read: Extra-P's text (it begins with '['), Extra-P's JSON, JSON lines "
      "and profile.json (byte 2 of 18 does not fit)");
  // One of them, cut off.
  EXPECT_EQ(error_of(R"({"parameters": ["p"], "measurements": {)"),
            "data is damaged: it is not JSON from byte 40 of 39 on");
  EXPECT_EQ(error_of(" \n# nothing\n"), "data holds nothing");
  EXPECT_EQ(error_of(""), "data holds nothing");
}

TEST(MeasurementFile, EveryErrorHasAHint) {
  for (const char* text : {"",
                           "hello",
                           "{",
                           "[]",
                           "{}",
                           "PARAMETER p\n",
                           "PARAMETER\n",
                           "POINTS 4\n",
                           "PARAMETER p\nPOINTS 4 x\n",
                           "PARAMETER p\nPOINTS 4\nDATA one\n",
                           "PARAMETER p\nDATA 1\n",
                           R"({"params":{}})",
                           R"({"params":{"p":1}})",
                           R"({"parameters":[],"measurements":{}})",
                           R"({"parameters":["p"],"measurements":{}})",
                           R"({"parameters":["p"],"measurements":[]})",
                           R"({"parameters":["p"],"measurements":{)",
                           R"({"parameters":["p"],"measurements":1e999)",
                           R"({"params":{"p":1e999}})",
                           "[1e999]"}) {
    const auto set = read(text);
    ASSERT_FALSE(set.ok()) << text;
    EXPECT_FALSE(set.error().hint.empty()) << text << ": " << set.error().message;
  }
}

TEST(MeasurementFile, TellsFormatsApartByTheirContent) {
  EXPECT_EQ(kind_of(kText), FileKind::kExtrapText);
  EXPECT_EQ(kind_of("# np 4\n\n PARAMETER p\n POINTS 4\n"), FileKind::kExtrapText);
  EXPECT_EQ(kind_of("np,time\n4,1\n"), FileKind::kTable);
  EXPECT_EQ(kind_of("np,time\n4\n"), FileKind::kTable);
  EXPECT_EQ(kind_of("hello\nworld\n"), FileKind::kExtrapText);
  EXPECT_EQ(kind_of(kLines), FileKind::kExtrapJsonLines);
  EXPECT_EQ(kind_of(kNewJson), FileKind::kExtrapJson);
  EXPECT_EQ(kind_of(kOldJson), FileKind::kExtrapJson);
  EXPECT_EQ(kind_of("{\n  \"schema\": \"scalediag-profile/1\",\n"), FileKind::kProfile);
}

// Cut off at every byte, and with bytes changed: the result is a value or an error.
TEST(MeasurementFile, NoDamageBreaksTheReaders) {
  std::mt19937 random(20180601);
  for (const std::string seed : {kText, kLines, kNewJson, kOldJson}) {
    for (size_t length = 0; length < seed.size(); ++length) {
      const auto set = read(seed.substr(0, length));
      if (!set.ok()) {
        EXPECT_FALSE(set.error().message.empty());
      }
    }
    for (int i = 0; i < 20000; ++i) {
      const auto set = read(core::mutate_text(seed, random));
      if (!set.ok()) continue;
      for (const Series& series : set.value().series) {
        for (const Observation& o : series.observations) {
          ASSERT_EQ(o.at.size(), series.parameter_names.size());
          for (const double value : o.values) ASSERT_GE(value, 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace scalediag::fit
