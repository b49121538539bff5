#include "collector/launch/plan/template_expansion.h"

#include <gtest/gtest.h>

namespace scalediag::launch {
namespace {

using Texts = std::vector<std::string>;

Texts expand_words(const std::string& text) {
  return expand_placeholders(
      text, {{"np", {"4"}}, {"grid", {"64"}}, {"_x1", {"0.50"}}, {"cells", {"2", "1", "a b"}}, {"none", {}}});
}

std::string expand(const std::string& text) {
  const Texts words = expand_words(text);
  EXPECT_EQ(words.size(), 1u) << text;
  return words.front();
}

TEST(Placeholders, AreReplacedWhereverTheyStand) {
  EXPECT_EQ(expand("{np}"), "4");
  EXPECT_EQ(expand("--size={grid}x{grid}.{np}"), "--size=64x64.4");
  EXPECT_EQ(expand("{_x1}"), "0.50");
}

TEST(Placeholders, OtherBracesStandForThemselves) {
  for (const char* text : {R"({"a":{"b":[1,2]}})", "{}", "{", "}", "{a b}", "{1}", "{np", "{ np }", "}}", "{-x}"}) {
    EXPECT_EQ(expand(text), text);
    EXPECT_TRUE(placeholders_of(text).empty()) << text;
  }
}

TEST(Placeholders, ADoubledBraceIsALiteralOne) {
  EXPECT_EQ(expand("{{np}"), "{np}");
  EXPECT_EQ(expand("{{{np}"), "{4");
  EXPECT_EQ(expand("{{{{"), "{{");
}

// As an unquoted variable in a shell.
TEST(Placeholders, SeveralWordsAreSeveralArguments) {
  EXPECT_EQ(expand_words("{cells}"), (Texts{"2", "1", "a b"}));
  EXPECT_EQ(expand_words("-g{cells}x{np}"), (Texts{"-g2", "1", "a bx4"}));
  EXPECT_EQ(expand_words("{none}"), Texts{});
  EXPECT_EQ(expand_words("-g{none}"), Texts{"-g"});
  EXPECT_EQ(expand_words(""), Texts{""});
}

TEST(Placeholders, AreFoundOnceEach) { EXPECT_EQ(placeholders_of("{a}{b}{a}{{c}"), (std::set<std::string>{"a", "b"})); }

TEST(CheckPlaceholders, AcceptsDeclaredOnesAndNp) {
  EXPECT_TRUE(check_placeholders({"app", "{np}", "{a}-{b}"}, {"a", "b"}).ok());
  EXPECT_TRUE(check_placeholders({"app"}, {}).ok());
  EXPECT_TRUE(check_placeholders({"app", "{a}{b}"}, {"a"}, {"b"}).ok());
}

TEST(CheckPlaceholders, NamesWhatIsWrong) {
  const auto message = [](const std::vector<std::string>& arguments, const std::vector<std::string>& declared) {
    const auto checked = check_placeholders(arguments, declared);
    return checked.ok() ? "" : checked.error().message;
  };
  EXPECT_NE(message({"{grid}"}, {}).find("{grid}"), std::string::npos);
  EXPECT_NE(message({"app"}, {"grid"}).find("not used"), std::string::npos);
  EXPECT_NE(message({"{a}"}, {"a", "a"}).find("twice"), std::string::npos);
  EXPECT_NE(message({"{np}"}, {"np"}).find("-n"), std::string::npos);
  EXPECT_NE(message({"x"}, {"9a"}).find("not a name"), std::string::npos);
  EXPECT_NE(message({"x"}, {""}).find("not a name"), std::string::npos);
  EXPECT_EQ(check_placeholders({"{a}"}, {"a"}, {"a"}).error().message, "--words a is given twice");
}

}  // namespace
}  // namespace scalediag::launch
