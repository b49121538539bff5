#include "cli/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cli/few_doubts.h"

namespace scalediag::cli {
namespace {

TEST(Diagnostics, WarningsWithOneHintPrintItOnce) {
  testing::internal::CaptureStderr();
  warn("messages are left out", "record 32 ranks, too");
  warn("messages are unmatched", "record 32 ranks, too");
  warn("something else", "leave it out");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: messages are left out\nhint: record 32 ranks, too\nwarning: messages are unmatched\n"
            "warning: something else\nhint: leave it out\n");
}

TEST(FewDoubts, WhatFitsIntoFiveLinesIsPrintedWhole) {
  testing::internal::CaptureStderr();
  {
    const FewDoubts few(false);
    note("a choice");
    warn("a doubt", "a way out");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: a doubt\nhint: a way out\nnote: a choice\n");
}

// Eight messages: four lines of them, and one that counts the rest. 200 columns are shortened to 100.
TEST(FewDoubts, OfMoreFourAreShortenedAndTheRestCounted) {
  testing::internal::CaptureStderr();
  {
    const FewDoubts few(false);
    for (int i = 0; i < 7; ++i) note("choice " + std::to_string(i));
    std::string words;
    for (int i = 0; i < 40; ++i) words += "word ";
    warn(words);
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5) << text;
  EXPECT_EQ(text.rfind("warning: word word", 0), 0u) << text;
  EXPECT_LE(text.find('\n'), 100u) << text;
  EXPECT_NE(text.find(" ...\nnote: choice 0\nnote: choice 1\nnote: choice 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("note: 4 more, and these in full: --details\n"), std::string::npos) << text;
}

TEST(FewDoubts, DetailsKeepTheOrder) {
  testing::internal::CaptureStderr();
  {
    const FewDoubts all(true);
    note("first");
    warn("second");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "note: first\nwarning: second\n");
}

TEST(FewDoubts, AnErrorComesAfterWhatWaits) {
  testing::internal::CaptureStderr();
  {
    const FewDoubts few(false);
    warn("a doubt");
    report({core::ErrorCode::kUsage, "it is wrong", "", ""});
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: a doubt\nerror: it is wrong\n");
}

}  // namespace
}  // namespace scalediag::cli
