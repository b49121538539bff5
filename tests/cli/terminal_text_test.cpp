#include "cli/terminal_text.h"

#include <gtest/gtest.h>

namespace scalediag::cli {
namespace {

TEST(FitForTerminal, KeepsLinesAndOurOwnColours) {
  EXPECT_EQ(fit_for_terminal("\033[1mtitle\033[0m\n\tname\n", true), "\033[1mtitle\033[0m\n\tname\n");
}

TEST(FitForTerminal, KeepsNoOtherSequence) {
  // Clearing the screen, hidden text, a title, and the one-character form of ESC [.
  EXPECT_EQ(fit_for_terminal("\033[1ma\033[2J\033[8mb\033]0;c\007\xC2\x9B"
                             "1m",
                             true),
            "\033[1ma?[2J?[8mb?]0;c??1m");
}

TEST(FitForTerminal, KeepsNoneWhereThereAreNoColours) { EXPECT_EQ(fit_for_terminal("\033[1ma\n", false), "?[1ma\n"); }

}  // namespace
}  // namespace scalediag::cli
