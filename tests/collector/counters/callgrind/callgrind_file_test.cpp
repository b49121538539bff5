#include "collector/counters/callgrind/callgrind_file.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/collector/counters/callgrind/callgrind_example.h"

namespace scalediag::counters {
namespace {

std::map<std::string, uint64_t> instructions_by_function(const CallgrindFile& file) {
  std::map<std::string, uint64_t> sums;
  for (size_t i = 0; i < file.lines.size(); ++i) sums[file.functions[file.lines[i].function]] += file.cost(i, 0);
  return sums;
}

std::string failure_of(const std::string& text) {
  const auto file = parse_callgrind(text, "x.callgrind");
  return file ? "" : file.error().message;
}

TEST(CallgrindFile, HoldsOwnCostsOnly) {
  const auto file = parse_callgrind(kCallgrindExample, "x.callgrind");
  ASSERT_TRUE(file) << file.error().message;
  // main: 5 + 1 + 2; the 90 in it are those of its call of sin. sweep: 100 + 50. sin: 90.
  EXPECT_EQ(instructions_by_function(file.value()),
            (std::map<std::string, uint64_t>{{"main", 8}, {"sweep", 150}, {"sin", 90}}));
  EXPECT_EQ(file.value().pid, 4711);
  EXPECT_EQ(file.value().trigger, "Client Request: scalediag");
  EXPECT_EQ(file.value().events.size(), 9u);
}

TEST(CallgrindFile, TellsObjectAndAddressOfEachLine) {
  const auto parsed = parse_callgrind(kCallgrindExample, "x.callgrind");
  ASSERT_TRUE(parsed);
  const CallgrindFile& file = parsed.value();
  ASSERT_EQ(file.lines.size(), 6u);
  // The called function lies in libm; the line after it is main's again.
  EXPECT_EQ(file.objects[file.lines[2].object], "/opt/app/solver");
  EXPECT_EQ(file.lines[2].address, 0x100cu);
  EXPECT_EQ(file.objects[file.lines[5].object], "/lib/libm.so.6");
  EXPECT_EQ(file.lines[5].address, 0x20u);
  // Inlined code ("fi=") stays in the function that it was inlined into.
  EXPECT_EQ(file.functions[file.lines[3].function], "sweep");
}

TEST(CallgrindFile, FollowsRelativePositionsAlsoThroughCalls) {
  const std::string text =
      "positions: instr line\nevents: Ir Dr\n\nob=/a\nfl=a.c\nfn=f\n"
      "0x1000 10 3 1\n"
      "+4 * 1\n"  // 0x1004, 10
      "cfn=g\ncalls=1 +96 20\n"
      "+4 +1 70 7\n"  // 0x1008, 11: the call's
      "-2 -3 1\n"     // 0x1006, 8
      "* 99 1\n"      // 0x1006, 99
      "jcnd=1/2 +8 +1\n"
      "* *\n"        // a position alone
      "+1 +1 0 2\n"  // 0x1007
      "totals: 6 3\n";
  const auto file = parse_callgrind(text, "x");
  ASSERT_TRUE(file) << file.error().message;
  std::vector<uint64_t> addresses;
  for (const CallgrindLine& line : file.value().lines) addresses.push_back(*line.address);
  EXPECT_EQ(addresses, (std::vector<uint64_t>{0x1000, 0x1004, 0x1006, 0x1006, 0x1007}));
}

TEST(CallgrindFile, HasNoAddressesWhereOnlyLinesAreGiven) {
  const auto file = parse_callgrind("events: Ir\nfn=f\n7 5\ntotals: 5\n", "x");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_FALSE(file.value().lines[0].address);
  EXPECT_EQ(file.value().objects[file.value().lines[0].object], "???");
}

TEST(CallgrindFile, AddsUpPartsInOneFile) {
  const auto file =
      parse_callgrind("events: Ir\nfn=(1) f\n7 5\ntotals: 5\npart: 2\nevents: Ir\nfn=(1)\n8 6\ntotals: 6\n", "x");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(instructions_by_function(file.value()), (std::map<std::string, uint64_t>{{"f", 11}}));
}

TEST(CallgrindFile, RefusesWhatDoesNotAddUp) {
  EXPECT_EQ(failure_of("events: Ir\nfn=f\n7 5\ntotals: 6\n"),
            "x.callgrind cannot be used: its costs add up to 5 Ir, its total is 6");
  EXPECT_NE(failure_of("events: Ir\nfn=f\n7 5\n").find("its totals are missing"), std::string::npos);
}

TEST(CallgrindFile, RefusesWhatItDoesNotKnowAndSaysWhere) {
  const auto expect = [](const std::string& text, const std::string& message) {
    EXPECT_NE(failure_of(text).find(message), std::string::npos) << text << ": " << failure_of(text);
  };
  expect("events: Ir\nwhat=1\n", "line 2: 'what=' is not known");
  expect("events: Ir\nnothing\n", "line 2: this is not callgrind's format");
  expect("events: Ir\nfn=(3)\n", "line 2: the name '(3)' was not defined");
  expect("events: Ir\n7 5\n", "line 2: costs before the first function");
  expect("7 5\n", "line 1: costs before the list of events");
  expect("events: Ir\nfn=f\n7 5 6\n", "line 3: there are more costs than events");
  expect("events: Ir\nfn=f\n7 five\n", "line 3: 'five' is not a number");
  expect("events: Ir\nfn=f\n0xg 5\n", "line 3: a position is missing or not a number");
  expect("events: Ir\nfn=f\n7 99999999999999999999\n", "is not a number");
  expect("events: Ir\nevents: Dr\n", "line 2: its parts counted different events");
}

TEST(CallgrindFile, IsRefusedCutOffAtAnyByte) {
  const std::string text = kCallgrindExample;
  // Without its last line break it is whole.
  for (size_t n = 0; n + 1 < text.size(); ++n) EXPECT_NE(failure_of(text.substr(0, n)), "") << n;
}

// Any value of any byte gives a result, and accepted files are consistent.
TEST(CallgrindFile, WithstandsEveryChangedByte) {
  const std::string text = kCallgrindExample;
  for (size_t n = 0; n < text.size(); ++n) {
    for (const char c : {'\0', '\n', '0', '9', '(', ')', '=', '+', '-', '*', ' ', 'x', '\xff'}) {
      std::string changed = text;
      changed[n] = c;
      const auto file = parse_callgrind(changed, "x");
      if (!file) continue;
      ASSERT_EQ(file.value().costs.size(), file.value().lines.size() * file.value().events.size()) << n;
    }
  }
}

}  // namespace
}  // namespace scalediag::counters
