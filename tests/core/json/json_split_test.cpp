#include "core/json/json_split.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace scalediag::core {
namespace {

using nlohmann::json;

void expect_split(const std::string& text) {
  SCOPED_TRACE(text);
  const auto split = split_json_array(text, "runs");
  ASSERT_TRUE(split.has_value());
  json whole = json::parse(split->rest);
  EXPECT_EQ(whole.at("runs"), json::array());
  for (const std::string_view element : split->elements) whole["runs"].push_back(json::parse(element));
  EXPECT_EQ(whole, json::parse(text));
}

TEST(JsonSplit, RestAndElementsMakeTheWhole) {
  expect_split(R"({"runs":[1]})");
  expect_split(R"( { "a" : 1 , "runs" : [ {"x": [1, {"y": 2}]} , [3] , "4" ] , "b" : {"runs": [5]} } )");
  expect_split(R"({"runs": [], "runs2": 1})");
  expect_split(R"({"runs": [ ]})");
  expect_split(R"({"a": "]}\\", "runs": ["},]\"{[", "\\"], "b": ","})");
  expect_split(R"({"s\"runs\":[": [9], "runs": [1, 2]})");
}

TEST(JsonSplit, NothingWhereTheFieldIsNotOneArray) {
  for (const char* text : {"", " ", "[1]", "7", "{}", R"({"a": 1})", R"({"runs": 1})", R"({"runs": {"a": []}})",
                           R"({"runs": [1], "runs": [2]})", R"({"a": {"runs": [1]}})", R"({"runs")", R"({"runs" 1})",
                           R"({"runs": [1, 2)", R"({"runs": [1, "2)", R"({"runs": [1, {"a": 2]})", R"({"a)"}) {
    EXPECT_FALSE(split_json_array(text, "runs").has_value()) << text;
  }
}

// A text that is no JSON as a whole is not split into valid parts either.
TEST(JsonSplit, APartOfWhatIsNoJsonIsNone) {
  for (const std::string text : {R"({"runs": [1,]})", R"({"runs": [,1]})", R"({"runs": [1 2]})", R"({"runs": [{} {}]})",
                                 R"({"runs": [1]} x)", R"({"runs": [1], })", R"({"runs": [1] "a": 2})",
                                 R"({"a" 1, "runs": [1]})", R"({"runs": [1]])", R"({"runs": [[1}, 2]})"}) {
    ASSERT_FALSE(json::accept(text)) << text;
    const auto split = split_json_array(text, "runs");
    if (!split) continue;
    bool all = json::accept(split->rest);
    for (const std::string_view element : split->elements) all &= json::accept(element);
    EXPECT_FALSE(all) << text;
  }
}

}  // namespace
}  // namespace scalediag::core
