#include "core/text/printable.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/json/json_writer.h"

namespace scalediag::core {
namespace {

TEST(Printable, LeavesTextOfAllLanguages) {
  // a umlaut, Hebrew alef, a Chinese character, an emoji: two, two, three and four bytes.
  const std::string text = "f(\xC3\xA4, \xD7\x90, \xE4\xB8\xAD, \xF0\x9F\x98\x80)";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, ReplacesWhatDrivesATerminalOrHides) {
  EXPECT_EQ(printable("a\033[2J\nb\x7F"), "a?[2J?b?");
  EXPECT_EQ(printable("a\nb\tc\r", "?", "\n\t"), "a\nb\tc?");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J"),
            "?2J");  // U+009B, what ESC [ is in one character
  EXPECT_EQ(printable("x\xE2\x80\xAE"
                      "gpj.exe"),
            "x?gpj.exe");  // U+202E: the rest from right to left
  EXPECT_EQ(printable("a\xE2\x81\xA6"
                      "b\xE2\x80\x8F"),
            "a?b?");                                                 // U+2066 and U+200F
  EXPECT_EQ(printable("so\xE2\x80\x8Blve\xEF\xBB\xBF"), "so?lve?");  // U+200B and U+FEFF, which have no width
  EXPECT_EQ(printable("a\xE2\x80\xA8"
                      "b"),
            "a?b");                                 // U+2028, a line separator
  EXPECT_EQ(printable("a\xF3\xA0\x81\x81"), "a?");  // U+E0041, a tag
}

// One replacement a byte: RFC 3629 allows none of these.
TEST(Printable, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(printable("m\xE4rz"), "m?rz");           // Latin-1
  EXPECT_EQ(printable("\xC3"), "?");                 // cut short
  EXPECT_EQ(printable("\xC0\xAF"), "??");            // a slash in two bytes
  EXPECT_EQ(printable("\xE0\x9F\xBF"), "???");       // U+07FF in three bytes
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");       // a surrogate, U+D800
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????");  // U+110000
  EXPECT_EQ(printable("\x9B", "\xEF\xBF\xBD"), "\xEF\xBF\xBD");
}

TEST(Printable, JsonStaysTheSameDocument) {
  // U+009B, U+202E and U+E0041, whose surrogates are D800 + (D0041 >> 10) = DB40 and DC00 + (D0041 & 3FF) = DC41.
  const nlohmann::ordered_json document = {{"\xC2\x9Bkey", "\xE2\x80\xAE\xC3\xA4\n"}, {"tag", "\xF3\xA0\x81\x81"}};
  const auto text = to_json_text(document, 1);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text.value(), "{\n \"\\u009bkey\": \"\\u202e\xC3\xA4\\n\",\n \"tag\": \"\\udb40\\udc41\"\n}\n");
  EXPECT_EQ(nlohmann::ordered_json::parse(text.value()), document);
}

}  // namespace
}  // namespace scalediag::core
