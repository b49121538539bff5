// Folding of repeated events. Letters stand for events; "2(ab)" is a loop of two rounds.
#include "pmpi-comm/trace/trace_sequence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace scalediag::pmpi {
namespace {

std::string text(const std::vector<TraceItem>& items) {
  std::string result;
  for (const TraceItem& item : items) {
    if (item.event == TraceItem::kLoop) {
      result += std::to_string(item.count) + "(" + text(item.body) + ")";
    } else {
      result += static_cast<char>(item.event);
    }
  }
  return result;
}

void unfold(const std::vector<TraceItem>& items, std::string& to) {
  for (const TraceItem& item : items) {
    if (item.event != TraceItem::kLoop) {
      to += static_cast<char>(item.event);
      continue;
    }
    for (uint64_t i = 0; i < item.count; ++i) unfold(item.body, to);
  }
}

TraceSequence sequence_of(const std::string& events) {
  TraceSequence sequence;
  for (const char event : events) sequence.append(static_cast<uint32_t>(event), 10);
  return sequence;
}

std::string repeated(const std::string& what, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += what;
  return result;
}

TEST(TraceSequence, RepetitionsBecomeLoops) {
  EXPECT_EQ(text(sequence_of("abc").items()), "abc");
  EXPECT_EQ(text(sequence_of("aaaa").items()), "4(a)");
  EXPECT_EQ(text(sequence_of("x" + repeated("abc", 5) + "y").items()), "x5(abc)y");
}

TEST(TraceSequence, LoopsWithinLoops) {
  // Three times: a, ten times bc, d.
  const std::string step = "a" + repeated("bc", 10) + "d";
  EXPECT_EQ(text(sequence_of(repeated(step, 3)).items()), "3(a10(bc)d)");
  // And that with something around it, twice.
  EXPECT_EQ(text(sequence_of(repeated("x" + repeated(step, 3), 2)).items()), "2(x3(a10(bc)d))");
}

TEST(TraceSequence, LoopsOfDifferentLengthAreDifferent) {
  EXPECT_EQ(text(sequence_of("aaxaaax").items()), "2(a)x3(a)x");
}

TEST(TraceSequence, TimesOfOccurrencesAreMerged) {
  TraceSequence sequence;
  for (const uint64_t ns : {5, 1, 9}) sequence.append('a', ns);
  ASSERT_EQ(text(sequence.items()), "3(a)");
  const Durations& before = sequence.items()[0].body[0].before;
  EXPECT_EQ(before.n, 3U);
  EXPECT_EQ(before.total, 15U);
  EXPECT_EQ(before.least, 1U);
  EXPECT_EQ(before.most, 9U);
  // Mean 5; (0 + 16 + 16) / 3.
  EXPECT_NEAR(before.deviation(), std::sqrt(32.0 / 3), 1e-9);
}

// Unfolding gives the appended events, whatever was folded.
TEST(TraceSequence, NothingIsLost) {
  uint64_t state = 1;
  for (int round = 0; round < 200; ++round) {
    std::string events;
    for (int i = 0; i < 300; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      events += static_cast<char>('a' + (state >> 33) % 3);
      if ((state >> 40) % 5 == 0) events += events.substr(events.size() / 2);
      if (events.size() > 3000) break;
    }
    std::string unfolded;
    unfold(sequence_of(events).items(), unfolded);
    ASSERT_EQ(unfolded, events);
  }
}

TEST(TraceSequence, StepsDoNotMakeItLonger) {
  const std::string step = "ab" + repeated("cd", 3) + repeated("e", 4) + "f";
  EXPECT_EQ(sequence_of("x" + repeated(step, 10) + "y").items().size(),
            sequence_of("x" + repeated(step, 100) + "y").items().size());
}

// A body of 1000 different events, once more and half of it again.
TEST(TraceSequence, LongBodies) {
  TraceSequence sequence;
  for (int round = 0; round < 5; ++round) {
    for (uint32_t i = 0; i < 1000; ++i) sequence.append(i, 1);
  }
  ASSERT_EQ(sequence.items().size(), 1U);
  EXPECT_EQ(sequence.items()[0].count, 5U);
  EXPECT_EQ(sequence.items()[0].body.size(), 1000U);
}

TEST(TraceSequence, WhatIsTakenAwayIsNotFoldedWith) {
  TraceSequence sequence = sequence_of("xyab");
  EXPECT_EQ(text(sequence.take_oldest(2)), "xy");
  for (const char event : std::string("xyab")) sequence.append(static_cast<uint32_t>(event), 1);
  EXPECT_EQ(text(sequence.items()), "abxyab");
  for (const char event : std::string("xyab")) sequence.append(static_cast<uint32_t>(event), 1);
  // abxy was there twice before the last ab.
  EXPECT_EQ(text(sequence.items()), "2(abxy)ab");
}

}  // namespace
}  // namespace scalediag::pmpi
