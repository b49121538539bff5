#include "core/raw/raw_records.h"

#include <gtest/gtest.h>

namespace scalediag::raw {
namespace {

std::string bytes_of(const Encoder& e) { return std::string(e.data(), e.size()); }

// As a machine with the lowest byte first writes them.
std::string bytes(std::initializer_list<int> values) { return std::string(values.begin(), values.end()); }

TEST(RawRecords, FieldsStandOneAfterAnother) {
  Encoder e;
  put(e, PhaseWaits{Phase::kInitEnd, {3, 256}});
  EXPECT_EQ(bytes_of(e), bytes({2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(RawRecords, TextAndVectorsBeginWithTheirLength) {
  Encoder e;
  put(e, std::vector<OperationName>{{7, "ab"}, {8, ""}});
  EXPECT_EQ(bytes_of(e), bytes({2, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 'a', 'b', 8, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(RawRecords, AListIsAVectorOfPartsThatBelongTogether) {
  Encoder e, expected;
  ListEncoder list(e);
  list.add(PeerKey{1, kPut}, PeerTotals{2, 3});
  list.add(PeerKey{4, kGot}, PeerTotals{5, 6});
  EXPECT_EQ(list.size(), 2u);
  expected.u32(2);
  for (const uint32_t first : {1u, 4u}) {
    expected.u32(first);
    expected.u32(first == 1 ? kPut : kGot);
    expected.u64(first + 1);
    expected.u64(first + 2);
  }
  EXPECT_EQ(bytes_of(e), bytes_of(expected));
}

TEST(RawRecords, ComeBackAsTheyWere) {
  Identity before;
  before.rank = 3;
  before.host = "node";
  before.period_ns = 1u << 31;
  before.counters = {"cycles", "instructions"};
  Encoder e;
  put(e, before);
  Identity after;
  Decoder d(e.data(), e.size(), false);
  get(d, after);
  EXPECT_TRUE(d.ok() && d.at_end());
  EXPECT_EQ(before, after);
}

TEST(RawRecords, AVectorThatClaimsMoreThanThereIsFails) {
  Encoder e;
  e.u32(0xFFFFFFFF);
  e.u64(1);
  e.u64(2);
  std::vector<EventOverflows> events;
  Decoder d(e.data(), e.size(), false);
  get(d, events);
  EXPECT_FALSE(d.ok());
  EXPECT_EQ(events.size(), 1u);
}

}  // namespace
}  // namespace scalediag::raw
