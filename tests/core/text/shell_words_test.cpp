#include "core/text/shell_words.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

using Words = std::vector<std::string>;

TEST(SplitShellWords, SplitsAsAShellDoes) {
  EXPECT_EQ(split_shell_words("  mpirun -n\t{np}  {command} ").value(), (Words{"mpirun", "-n", "{np}", "{command}"}));
  EXPECT_EQ(split_shell_words("sh -c 'a b' \"c d\" e\\ f").value(), (Words{"sh", "-c", "a b", "c d", "e f"}));
  EXPECT_EQ(split_shell_words("a''b \"\" ''").value(), (Words{"ab", "", ""}));
  // Inside "..." a backslash quotes only \ " $ `; inside '...' nothing.
  EXPECT_EQ(split_shell_words(R"("\n\"" '\"')").value(), (Words{"\\n\"", "\\\""}));
  EXPECT_TRUE(split_shell_words("").value().empty());
}

TEST(SplitShellWords, RefusesAnOpenQuote) {
  EXPECT_FALSE(split_shell_words("a 'b").ok());
  EXPECT_FALSE(split_shell_words("a \"b").ok());
}

TEST(QuoteShellWord, LeavesPlainWordsAlone) {
  for (const char* word : {"a", "--size=64", "/usr/bin/x", "{np}", "a,b", "run.{np}"}) {
    EXPECT_EQ(quote_shell_word(word), word);
  }
}

TEST(QuoteShellWord, SplittingGivesTheWordBack) {
  for (const char* word : {"", "a b", "it's", "\"", "$HOME", "a\\b", "{a,b}", "*", "a\nb", "~"}) {
    const std::string quoted = quote_shell_word(word);
    EXPECT_EQ(split_shell_words(quoted).value(), Words{word}) << quoted;
    EXPECT_EQ(quoted.front(), '\'') << quoted;
  }
}

}  // namespace
}  // namespace scalediag::core
