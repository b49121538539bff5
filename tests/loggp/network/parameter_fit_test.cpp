#include "loggp/network/parameter_fit.h"

#include <gtest/gtest.h>

#include <random>

#include "loggp/network/network_json.h"
#include "loggp/network/network_measurement.h"
#include "tests/core/text_mutation.h"

namespace scalediag::loggp {
namespace {

struct Truth {
  double send_s = 0, receive_s = 0, latency_s = 0, gap_s = 0, gap_s_per_byte = 0, per_byte_s = 0, extra_s = 0;
};

// The measurement of a network with these parameters without noise: T = o_s + L + o_r + extra + (G + O) b, y = g + G b.
MeasuredSize measured(uint64_t bytes, const Truth& t, bool with_overheads, double noise = 0) {
  const auto b = static_cast<double>(bytes - 1);
  MeasuredSize m;
  m.sample.bytes = bytes;
  const double one_way_s = t.send_s + t.latency_s + t.receive_s + t.extra_s + (t.gap_s_per_byte + t.per_byte_s) * b;
  for (size_t q = 0; q < 3; ++q) {
    m.sample.half_round_trip_s[q] = one_way_s * (1 + noise);
    m.sample.gap_s[q] = (t.gap_s + t.gap_s_per_byte * b) * (1 + noise);
  }
  if (with_overheads) {
    m.send_overhead_s = t.send_s + t.per_byte_s * b;
    m.receive_overhead_s = t.receive_s + t.per_byte_s * b;
  }
  return m;
}

MeasuredLink link_of(const Truth& eager, const Truth& large, uint64_t sync, double noise = 0) {
  MeasuredLink link;
  link.hosts[0] = "a";
  link.hosts[1] = "b";
  link.sync_bytes = sync;
  std::mt19937 random(20180601);
  std::normal_distribution<double> normal(0, 1);
  for (uint64_t bytes = 1; bytes <= (1 << 20); bytes *= 2) {
    const bool small = bytes <= sync;
    link.sizes.push_back(measured(bytes, small ? eager : large, small, noise * normal(random)));
  }
  return link;
}

const Truth kEager{2e-6, 3e-6, 1e-3, 4e-6, 8e-9, 1e-9, 0};
// Above S_sync: two control messages more, 2 (2 + 1000 + 3) us.
const Truth kLarge{2e-6, 3e-6, 1e-3, 4e-6, 8e-9, 1e-9, 2 * 1.005e-3};

TEST(ParameterFit, FindsWhatWasPutIn) {
  const auto fitted = fit_link(link_of(kEager, kLarge, 65536));
  ASSERT_TRUE(fitted.ok());
  const LinkClass& link = fitted.value();
  ASSERT_EQ(link.segments.size(), 2U);
  EXPECT_EQ(link.sync_bytes, 65536U);
  EXPECT_EQ(link.segments[0].to_bytes, 65537U);  // S_sync ends a segment exactly
  EXPECT_NEAR(link.latency_s, 1e-3, 1e-9);
  for (const Segment& s : link.segments) {
    EXPECT_NEAR(s.send_overhead_s, 2e-6, 1e-11);
    EXPECT_NEAR(s.receive_overhead_s, 3e-6, 1e-11);
    EXPECT_NEAR(s.gap_s, 4e-6, 1e-10);
    EXPECT_NEAR(s.gap_s_per_byte, 8e-9, 1e-13);
    EXPECT_NEAR(s.overhead_s_per_byte, 1e-9, 1e-13);
    EXPECT_LT(s.residual, 1e-6);
  }
  EXPECT_NEAR(link.segments[1].handshake, 1, 1e-6);
  EXPECT_NEAR(link.latency_of(link.segments[1]), 1e-3, 1e-8);
}

TEST(ParameterFit, ReadsBackAsAValidNetwork) {
  Network network;
  network.other_node = fit_link(link_of(kEager, kLarge, 65536)).value();
  const auto text = network_text(network);
  ASSERT_TRUE(text.ok());
  const auto read = parse_network(text.value(), "n.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().same_node.segments.size(), 2U);  // the class that was not measured equals the measured one
}

TEST(ParameterFit, SendThatWaitsWithoutAskingHasNoHandshake) {
  // Shared memory: above 256 bytes sends wait, and cost no more for it.
  const auto link = fit_link(link_of(kEager, kEager, 256)).value();
  ASSERT_EQ(link.segments.size(), 2U);
  EXPECT_NEAR(link.segments[1].handshake, 0, 1e-6);
  EXPECT_NEAR(one_way_s(link, 1024), 5e-6 + 1e-3 + 9e-9 * 1023, 1e-9);
}

TEST(ParameterFit, FindsAChangeOfCostBelowSSync) {
  // From 4096 bytes on a message takes 0.1 ms longer, and a byte half the time.
  const Truth later{2e-6, 3e-6, 1.1e-3, 4e-6, 4e-9, 1e-9, 0};
  MeasuredLink link;
  link.sync_bytes = kAnySize;
  for (uint64_t bytes = 1; bytes <= (1 << 20); bytes *= 2) {
    link.sizes.push_back(measured(bytes, bytes < 4096 ? kEager : later, true));
  }
  const LinkClass fitted = fit_link(link).value();
  ASSERT_EQ(fitted.segments.size(), 2U);
  EXPECT_EQ(fitted.segments[0].to_bytes, 3072U);  // between 2048 and 4096
  EXPECT_NEAR(fitted.segments[1].gap_s_per_byte, 4e-9, 1e-12);
  const auto closer = sizes_to_add(link, fitted);
  ASSERT_EQ(closer.size(), 4U);
  for (const uint64_t bytes : closer) EXPECT_TRUE(bytes > 2048 && bytes < 4096) << bytes;
}

// From 6 MiB on a byte takes twice as long, which the last two sizes alone show: no segment has two.
TEST(ParameterFit, AsksForSizesWhereAChangeMayLie) {
  Truth slow = kEager;
  slow.gap_s_per_byte *= 2;
  MeasuredLink link;
  link.sync_bytes = kAnySize;
  for (uint64_t bytes = 1; bytes <= (1 << 24); bytes *= 2)
    link.sizes.push_back(measured(bytes, bytes < (6 << 20) ? kEager : slow, true));
  const auto closer = sizes_to_add(link, fit_link(link).value());
  EXPECT_GT(std::ranges::count_if(closer, [](uint64_t bytes) { return bytes > (4 << 20) && bytes < (8 << 20); }), 0);
  EXPECT_GT(std::ranges::count_if(closer, [](uint64_t bytes) { return bytes > (8 << 20); }), 0);
}

TEST(ParameterFit, NoiseOfOnePercentMakesNoSegments) {
  const auto link = fit_link(link_of(kEager, kLarge, 65536, 0.01)).value();
  EXPECT_EQ(link.segments.size(), 2U);
  EXPECT_NEAR(link.segments[1].gap_s_per_byte, 8e-9, 0.05 * 8e-9);
  EXPECT_LT(largest_residual(link), 0.03);
}

TEST(ParameterFit, NothingIsNegativeWhenOverheadsOverlapTheFlight) {
  // Each side is busy for longer than half of a message's duration.
  MeasuredLink link = link_of(kEager, kEager, kAnySize);
  for (MeasuredSize& size : link.sizes) size.send_overhead_s = size.receive_overhead_s = 0.8e-3;
  const LinkClass fitted = fit_link(link).value();
  EXPECT_EQ(fitted.latency_s, 0);
  EXPECT_FALSE(fitted.notes.empty());
  EXPECT_NEAR(one_way_s(fitted, 1), 1.005e-3, 1e-9);  // the measured time stays
}

TEST(ParameterFit, AFewSlowSizesDoNotMoveTheBandwidth) {
  MeasuredLink link = link_of(kEager, kLarge, 65536);
  // Of the four sizes above S_sync, the third burst was slower by a quarter: less than what counts as disturbed.
  for (double& quantile : link.sizes[19].sample.gap_s) quantile *= 1.25;
  const LinkClass fitted = fit_link(link).value();
  EXPECT_NEAR(fitted.segments.back().gap_s_per_byte, 8e-9, 0.01 * 8e-9);
}

TEST(ParameterFit, DisturbedSizesAreLeftOutAndTold) {
  MeasuredLink link = link_of(kEager, kLarge, 65536);
  for (double& quantile : link.sizes[3].sample.half_round_trip_s) quantile *= 4;  // slower than larger ones
  link.sizes[12].sample.half_round_trip_s[0] *= 0.5;                              // varies widely
  link.sizes[18].sample.gap_s[1] = -1;
  EXPECT_TRUE(link.is_disturbed(3) && link.is_disturbed(12) && link.is_disturbed(18));
  EXPECT_FALSE(link.is_disturbed(2) || link.is_disturbed(4));
  const LinkClass fitted = fit_link(link).value();
  EXPECT_LT(largest_residual(fitted), 1e-6);
  ASSERT_EQ(fitted.notes.size(), 1U);
  EXPECT_NE(fitted.notes[0].find("left out: 8 B, 4096 B, 262144 B"), std::string::npos) << fitted.notes[0];
}

TEST(ParameterFit, DisorderShowsInTheResidual) {
  MeasuredLink link = link_of(kEager, kEager, kAnySize);
  for (size_t i = 0; i < link.sizes.size(); i += 2) {
    for (double& quantile : link.sizes[i].sample.half_round_trip_s) quantile *= 3;
  }
  EXPECT_GT(largest_residual(fit_link(link).value()), kPoorResidual);
}

TEST(ParameterFit, TooLittleIsRefused) {
  MeasuredLink link = link_of(kEager, kLarge, 65536);
  link.sync_bytes.reset();
  EXPECT_NE(fit_link(link).error().message.find("no S_sync"), std::string::npos);
  link.sync_bytes = 8;
  link.sizes.resize(2);
  EXPECT_NE(fit_link(link).error().message.find("2 sizes"), std::string::npos);
}

const std::string kProbeOutput = R"(a launcher says something
scalediag-network-probe 3
library Open MPI v4.1.4, package: Debian
ranks 4
reduction 1.25e-10
copy 2.5e-10
exchange 524288 0.125
retransmitted 17
link same_node n0 n0
sync 256
size 8 half_round_trip 1e-06 2e-06 3e-06 gap -1e-08 1e-07 2e-07 send_overhead 3e-07 receive_overhead 4e-07 repeats 50
size 1 half_round_trip 1e-06 1.5e-06 3e-06 gap 1e-08 1e-07 2e-07 send_overhead nan receive_overhead nan repeats 50
link other_node n0 n1
connect 0.04
sync none
end
goodbye
)";

TEST(ParameterFit, ExchangeIsHowMuchLongerBytesTakeWhereAllSendToAll) {
  const LinkClass link = fit_link(link_of(kEager, kLarge, 65536)).value();
  // 4 ranks, 3 messages each: 4 us + 8 ns x 524287 apiece, three times in a row, and once the latency, which without
  // its bytes' 8 ns consists of 5 us of overheads, 1 ms, 1 ns a byte and the handshake's 2.01 ms.
  const double streams_s = 3 * (4e-6 + 8e-9 * 524287);
  const double way_s = 5e-6 + 1e-3 + 1e-9 * 524287 + 2.01e-3;
  EXPECT_NEAR(exchange_of(link, 524288, 4, way_s + streams_s), 1, 1e-4);
  EXPECT_NEAR(exchange_of(link, 524288, 4, way_s + 1.8 * streams_s), 1.8, 1e-4);
  EXPECT_EQ(exchange_of(link, 524288, 4, 0.5 * streams_s), 1);
}

TEST(ParameterFit, AnExchangeThatSaysNothingIsToldAndNotTaken) {
  LinkClass link = fit_link(link_of(kEager, kLarge, 65536)).value();
  NetworkMeasurement measured;
  measured.ranks = 4;
  measured.exchange_s = 100;
  measured.exchanged_bytes = 1024;  // is buffered and does not share
  fit_exchange(measured, link);
  EXPECT_EQ(link.exchange, 1);
  ASSERT_FALSE(link.notes.empty());
  EXPECT_NE(link.notes.back().find("1024 B do not wait for their receiver"), std::string::npos) << link.notes.back();

  measured.exchanged_bytes = 524288;  // in 100 s: 8000 times what G says
  fit_exchange(measured, link);
  EXPECT_EQ(link.exchange, kLargestExchange);
  EXPECT_NE(link.notes.back().find("counts as 8"), std::string::npos) << link.notes.back();
}

TEST(ParameterFit, AnExchangeInWhichTcpRetransmittedSaysSo) {
  LinkClass link = fit_link(link_of(kEager, kLarge, 65536)).value();
  NetworkMeasurement measured;
  measured.ranks = 4;
  measured.exchanged_bytes = 524288;
  measured.exchange_s = 0.1;
  fit_exchange(measured, link);
  EXPECT_TRUE(link.notes.empty());
  measured.retransmitted = 17;
  fit_exchange(measured, link);
  ASSERT_EQ(link.notes.size(), 1U);
  EXPECT_EQ(link.notes[0].rfind("TCP sent 17 segments again", 0), 0U) << link.notes[0];
}

TEST(NetworkMeasurement, ReadsTheProbesLines) {
  const auto read = parse_measurement(kProbeOutput);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const NetworkMeasurement& m = read.value();
  EXPECT_EQ(m.library, "Open MPI v4.1.4, package: Debian");
  EXPECT_EQ(m.ranks, 4);
  EXPECT_DOUBLE_EQ(m.copy_s_per_byte, 2.5e-10);
  EXPECT_EQ(m.exchanged_bytes, 524288U);
  EXPECT_DOUBLE_EQ(m.exchange_s, 0.125);
  EXPECT_EQ(m.retransmitted, 17U);
  ASSERT_EQ(m.links.size(), 2U);
  EXPECT_TRUE(m.links[0].same_node);
  EXPECT_EQ(*m.links[0].sync_bytes, 256U);
  EXPECT_EQ(*m.links[1].sync_bytes, kAnySize);
  EXPECT_EQ(m.links[0].connect_s, 0);
  EXPECT_DOUBLE_EQ(m.links[1].connect_s, 0.04);
  ASSERT_EQ(m.links[0].sizes.size(), 2U);
  EXPECT_EQ(m.links[0].sizes[0].sample.bytes, 1U);  // in rising order
  EXPECT_FALSE(m.links[0].sizes[0].send_overhead_s.has_value());
  EXPECT_DOUBLE_EQ(*m.links[0].sizes[1].send_overhead_s, 3e-7);
  EXPECT_DOUBLE_EQ(m.links[0].sizes[1].sample.gap_s[0], -1e-8);
}

TEST(NetworkMeasurement, OfASizeThatCameTwiceTheQuickerIsKept) {
  NetworkMeasurement m = parse_measurement(kProbeOutput).value();
  NetworkMeasurement more = m;
  more.links[0].sizes[0].sample.half_round_trip_s[1] = 1.2e-6;
  more.links[0].sizes[1].sample.half_round_trip_s[1] = 9e-6;
  more.links[0].sizes[1].send_overhead_s.reset();
  add_sizes(m, more);
  ASSERT_EQ(m.links[0].sizes.size(), 2U);
  EXPECT_DOUBLE_EQ(m.links[0].sizes[0].sample.half_round_trip_s[1], 1.2e-6);
  EXPECT_DOUBLE_EQ(m.links[0].sizes[1].sample.half_round_trip_s[1], 2e-6);
  EXPECT_DOUBLE_EQ(*m.links[0].sizes[1].send_overhead_s, 3e-7);
}

TEST(NetworkMeasurement, EveryTruncationIsNoticed) {
  const size_t last = kProbeOutput.find("end\n") + 3;
  for (size_t length = 0; length < last; ++length) {
    EXPECT_FALSE(parse_measurement(kProbeOutput.substr(0, length)).ok()) << length;
  }
}

TEST(NetworkMeasurement, MutantsDoNotBreakTheReader) {
  std::mt19937 random(20180601);
  for (int i = 0; i < 20000; ++i) {
    const auto read = parse_measurement(core::mutate_text(kProbeOutput, random));
    if (!read.ok()) {
      EXPECT_FALSE(read.error().message.empty());
      continue;
    }
    for (const MeasuredLink& link : read.value().links) {
      const auto fitted = fit_link(link);
      if (!fitted.ok()) {
        EXPECT_FALSE(fitted.error().message.empty());
        continue;
      }
      Network network;
      network.same_node = network.other_node = fitted.value();
      EXPECT_TRUE(validate(network, "n.json").ok());
    }
  }
}

}  // namespace
}  // namespace scalediag::loggp
