#include "collector/launch/plan/word_table.h"

#include <gtest/gtest.h>

#include "collector/launch/plan/profile_plan.h"

namespace scalediag::launch {
namespace {

using Texts = std::vector<std::string>;

WordTable table_of(const std::string& text) {
  auto table = parse_word_table(text, "--words grid");
  EXPECT_TRUE(table) << text;
  return table ? table.value() : WordTable();
}

TEST(WordTable, EntriesAreSplitAsAShellDoes) {
  EXPECT_EQ(table_of("2:2 1 1,4: '2 2' \"1,3\""), (WordTable{{2, {"2", "1", "1"}}, {4, {"2 2", "1,3"}}}));
  EXPECT_EQ(table_of("2:a\\,b"), (WordTable{{2, {"a,b"}}}));
  EXPECT_EQ(table_of("8:"), (WordTable{{8, {}}}));
}

// As of $(cat FILE), whose last line break may stay.
TEST(WordTable, LinesAreEntries) {
  EXPECT_EQ(table_of("2:2 1\n4:2 2\n"), (WordTable{{2, {"2", "1"}}, {4, {"2", "2"}}}));
}

TEST(WordTable, ItsTextIsReadBack) {
  const WordTable table = {{2, {"2", "a b", "1,3", "it's", ""}}, {16, {}}};
  EXPECT_EQ(table_of(text_of(table)), table) << text_of(table);
}

TEST(WordTable, NamesWhatIsWrong) {
  const auto message = [](const std::string& text) {
    const auto table = parse_word_table(text, "--words grid");
    return table ? "" : table.error().message;
  };
  EXPECT_EQ(message("2:2 1,1"), "--words grid: '1' does not begin with a number of processes and a colon");
  EXPECT_EQ(message("x:2"), "--words grid: 'x:2' does not begin with a number of processes and a colon");
  EXPECT_EQ(message("2,4:1"), "--words grid: '2' does not begin with a number of processes and a colon");
  EXPECT_EQ(message("2:1,2:2"), "--words grid has np=2 twice");
  EXPECT_EQ(message(" "), "--words grid has no entry");
  EXPECT_EQ(message("2:'1"), "a quote is not closed in ''1'");
}

TEST(WordTable, CompletesAPlan) {
  ProgramRequest request;
  request.command = {"app", "-g", "{grid}", "-n{np}"};
  request.words = {"grid=2:2 1"};
  request.stored_words = {{"grid", "2:9 9,4:2 2"}, {"other", "2:x"}};  // what was typed is taken, and `other` not used
  const auto plan = plan_of(request, "2,4");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan.value().configurations[0].command, (Texts{"app", "-g", "2", "1", "-n2"}));
  EXPECT_EQ(plan.value().configurations[1].command, (Texts{"app", "-g", "2", "2", "-n4"}));
  EXPECT_EQ(texts_of(plan.value().tables), (std::map<std::string, std::string>{{"grid", "2:2 1,4:2 2"}}));
  const auto without = plan_of(request, "2,8");
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().message, "--words grid has no words for np=8: it has np=2, 4");
  EXPECT_EQ(without.error().hint, "add them: --words 'grid=2:2 1,4:2 2,8:WORDS'");
}

}  // namespace
}  // namespace scalediag::launch
