#include "report/render/text/first/show_screen.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/text/shortening.h"
#include "tests/report/findings/findings_of.h"
#include "tests/report/render/text/lines_of.h"

namespace scalediag::report {
namespace {

std::string line_with(const std::vector<std::string>& lines, const std::string& part) {
  std::string all;
  for (const std::string& line : lines) {
    if (line.find(part) != std::string::npos) all += line + "\n";
  }
  return all;
}

TEST(ShowScreen, HasARowAKernelAndAColumnAScale) {
  const ShownProfile shown{"data", one_of_each().profile({2, 4, 8, 16}), {}};
  const std::vector<std::string> lines = lines_of(show_screen(shown, {}));
  // One heading each of the parts and of the kernels.
  EXPECT_EQ(lines_of(line_with(lines, "   np=16  last / first  % of last")).size(), 2u) << show_screen(shown, {});
  EXPECT_EQ(lines_of(line_with(lines, "  replicated")).size(), 1u) << show_screen(shown, {});
  EXPECT_LE(lines.size(), 30u);
  for (const std::string& line : lines) EXPECT_LE(core::display_width(line), 100u) << line;
}

TEST(ShowScreen, OfManyScalesTheFirstAndTheLargest) {
  const ShownProfile shown{"data", one_of_each().profile({2, 3, 4, 6, 8, 12, 16, 24}), {}};
  const std::string text = show_screen(shown, {});
  EXPECT_NE(text.find(" np=2 "), std::string::npos) << text;
  EXPECT_EQ(text.find(" np=3 "), std::string::npos) << text;
  EXPECT_EQ(text.find(" np=4 "), std::string::npos) << text;
  for (const char* scale : {" np=6 ", " np=8 ", " np=12 ", " np=16 ", " np=24 "}) {
    EXPECT_NE(text.find(scale), std::string::npos) << scale << text;
  }
  EXPECT_NE(text.find("2 smaller configurations more: --details"), std::string::npos) << text;
}

TEST(ShowScreen, FailedRunsAreNamed) {
  const ShownProfile shown{
      "data", one_of_each().profile({2, 4}), {{"np0008.r0", {}, 0, "failed", "it ended with status 3"}}};
  EXPECT_NE(show_screen(shown, {}).find("failed: np0008.r0: it ended with status 3\n"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::report
