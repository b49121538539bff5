#include "report/render/dendrogram.h"

#include <gtest/gtest.h>

namespace scalediag::report {
namespace {

// Ranks 0 and 1 are 10 % apart, rank 2 40 % from them; rank 3 communicates otherwise.
loggp::Representatives four_ranks() {
  loggp::Representatives all;
  all.groups = 2;
  all.sets = {{0, {0, 1}, 0, loggp::Apart{0.1, 0.0}, 0.1}, {0, {2}, 2, loggp::Apart{}}, {1, {3}, 3, loggp::Apart{}}};
  all.merges = {{0, 1, 0.4}};
  return all;
}

TEST(Dendrogram, TextHasALineForEachSetAndDistance) {
  EXPECT_EQ(dendrogram_text(four_ranks()), "40.0%\n|-- 0,1\n`-- 2\n3\n");
}

// The longest label has 14 characters of 6.6, and 24 beside them: distances begin at 116.4. The largest, 40 %, is 420
// wide, so that 10 % ends at 221.4 and both become one at 536.4. Rows are 20 high from 34 on: a heading, the sets of
// its group at 64 and 84, a heading, rank 3 at 124.
TEST(Dendrogram, LinesAreAsLongAsRanksAreApart) {
  const std::string svg = dendrogram_svg(four_ranks(), "app");
  const auto has = [&](const std::string& part) {
    EXPECT_NE(svg.find(part), std::string::npos) << part << "\n" << svg;
  };
  has("app on 4 ranks: how far");
  has("x1=\"116.4\" y1=\"64.0\" x2=\"221.4\" y2=\"64.0\" stroke=\"#0066ad\"");
  has("x1=\"221.4\" y1=\"64.0\" x2=\"536.4\" y2=\"64.0\"");
  has("x1=\"536.4\" y1=\"64.0\" x2=\"536.4\" y2=\"84.0\"");
  has("<circle cx=\"116.4\" cy=\"124.0\"");
  has(">group 2<");
  has(">rank 0 for 0,1<");
  has(">40<");
}

TEST(Dendrogram, RanksThatComputeTheSameAreDrawnWithoutDistance) {
  loggp::Representatives all;
  all.groups = 1;
  all.sets = {{0, {0, 1}, 0, std::nullopt}};
  EXPECT_NE(dendrogram_svg(all, "app").find(">not known<"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::report
