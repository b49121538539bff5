#include "collector/inject/files/file_callers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace scalediag::inject::files {
namespace {

// As a function of the C library that is interposed.
__attribute__((noinline)) uint32_t call(Function function) {
  return place_of(function, {reinterpret_cast<uintptr_t>(__builtin_return_address(0)),
                             reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa())});
}
// The empty statements keep the calls from becoming jumps.
__attribute__((noinline)) uint32_t write_block() {
  const uint32_t place = call(Function::kWrite);
  asm volatile("");
  return place;
}
__attribute__((noinline)) uint32_t checkpoint() {
  const uint32_t place = write_block();
  asm volatile("");
  return place;
}
__attribute__((noinline)) uint32_t output() {
  const uint32_t place = write_block();
  asm volatile("");
  return place;
}

PlaceRecord record_of(uint32_t number) {
  const std::vector<PlaceRecord> all = places();
  return *std::find_if(all.begin(), all.end(), [&](const PlaceRecord& p) { return p.number == number; });
}

TEST(FileCallers, ArePlacesByTheFunctionsAboveThem) {
  uint32_t first[2] = {}, second[2] = {};
  for (int i = 0; i < 2; ++i) {
    first[i] = checkpoint();
    second[i] = output();
  }
  EXPECT_NE(first[0], 0U);
  EXPECT_EQ(first[0], first[1]);
  EXPECT_EQ(second[0], second[1]);
  EXPECT_NE(first[0], second[0]);
  // write_block, which called, its caller and the caller's.
  const PlaceRecord one = record_of(first[0]), other = record_of(second[0]);
  ASSERT_EQ(one.frames.size(), 3U);
  EXPECT_EQ(one.frames[0], other.frames[0]);
  EXPECT_NE(one.frames[1], other.frames[1]);
}

TEST(FileCallers, OfOneFunctionAreNoneOfAnother) {
  uint32_t place[2] = {};
  for (const Function function : {Function::kRead, Function::kWrite}) {
    place[function == Function::kRead ? 0 : 1] = call(function);
  }
  EXPECT_NE(place[0], place[1]);
  EXPECT_EQ(record_of(place[0]).function, Function::kRead);
}

// Brief threads that each write one line fill no table.
TEST(FileCallers, AreTheSameOnEveryThread) {
  uint32_t place[3] = {};
  for (uint32_t& p : place) std::thread([&p] { p = write_block(); }).join();
  EXPECT_NE(place[0], 0U);
  EXPECT_EQ(place[0], place[1]);
  EXPECT_EQ(place[0], place[2]);
}

TEST(FileCallers, AddUpWhatWasDone) {
  const uint32_t place = write_block();
  const PlaceRecord before = record_of(place);
  add_at(place, 100, 7);
  add_at(place, -1, 5);  // failed
  const PlaceRecord after = record_of(place);
  EXPECT_EQ(after.calls, before.calls + 2);
  EXPECT_EQ(after.bytes, before.bytes + 100);
  EXPECT_EQ(after.ticks, before.ticks + 12);
}

// The last test: it fills the table, with callers that are on no stack.
TEST(FileCallers, HaveNoPlaceBeyondTheEndOfTheTable) {
  uint32_t known[2] = {}, last = 1;
  for (uint32_t& place : known) {
    place = write_block();
    for (uintptr_t i = 1; i <= CallingPlaces::kMost; ++i) last = place_of(Function::kSync, {i, 0});
  }
  EXPECT_EQ(last, 0U);
  EXPECT_NE(known[0], 0U);
  EXPECT_EQ(known[0], known[1]);
  EXPECT_EQ(places().size(), CallingPlaces::kMost);
  EXPECT_EQ(record_of(CallingPlaces::kMost).frames.size(), 1U);
}

}  // namespace
}  // namespace scalediag::inject::files
