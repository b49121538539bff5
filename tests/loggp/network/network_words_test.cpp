#include "loggp/network/network_words.h"

#include <gtest/gtest.h>

#include <set>

namespace scalediag::loggp {
namespace {

std::string refusal_of(const std::string& text) {
  const auto network = network_of(text);
  return network ? "no error" : network.error().message;
}

TEST(NetworkWords, AreInTheUnitsOfTheFile) {
  const auto read = network_of("latency=1.2us,bandwidth=100Gbit/s,overhead=0.2us,ranks-per-node=32,eager=64KiB");
  ASSERT_TRUE(read) << read.error().message;
  const Network& network = read.value();
  // Half a round trip is L and the overheads of both ends: 1.2 - 0.2 - 0.2 us.
  EXPECT_DOUBLE_EQ(network.other_node.latency_s, 0.8e-6);
  EXPECT_DOUBLE_EQ(network.other_node.segments.at(0).send_overhead_s, 0.2e-6);
  EXPECT_DOUBLE_EQ(network.other_node.segments.at(0).gap_s_per_byte, 1 / 12.5e9);  // 100 Gbit/s = 12.5 GB/s
  EXPECT_EQ(network.other_node.sync_bytes, 65536u);
  EXPECT_EQ(network.placement.ranks_per_node, 32);
  EXPECT_DOUBLE_EQ(network.same_node.latency_s, network.other_node.latency_s);
}

TEST(NetworkWords, MayDifferWithinANode) {
  const auto read = network_of("latency=2us,bandwidth=1GB/s,node-latency=500ns,node-bandwidth=4GB/s");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_DOUBLE_EQ(read.value().same_node.latency_s, 0.5e-6);
  EXPECT_DOUBLE_EQ(read.value().same_node.segments.at(0).gap_s_per_byte, 0.25e-9);
  EXPECT_DOUBLE_EQ(read.value().other_node.latency_s, 2e-6);
}

TEST(NetworkWords, ErrorsNameTheWord) {
  EXPECT_EQ(refusal_of("latency=1us"), "'latency=1us' does not say the network's bandwidth");
  EXPECT_EQ(refusal_of("latency=1,bandwidth=1GB/s"), "latency=1 is not a number with one of the units s, ms, us, ns");
  EXPECT_EQ(refusal_of("latency=1us,bandwidth=0GB/s"), "bandwidth=0GB/s is not possible");
  EXPECT_EQ(refusal_of("latency=1us,bandwidth=1GB/s,ranks-per-node=1.5"), "ranks-per-node=1.5 is not possible");
  EXPECT_EQ(refusal_of("latency=1us,speed=1GB/s"), "'speed=1GB/s' is no word for a network");
  EXPECT_EQ(refusal_of("latency=1us,latency=1us,bandwidth=1GB/s"), "latency is given twice");
  EXPECT_EQ(refusal_of("latency=1us,bandwidth=1GB/s,"), "'' is no word for a network");
  EXPECT_EQ(refusal_of("latency=nans,bandwidth=1GB/s"), "latency=nans is not possible");
  EXPECT_EQ(refusal_of("latency=1us,bandwidth=1GB/s,overhead=1us"),
            "'latency=1us,bandwidth=1GB/s,overhead=1us': the overhead of both ends is more than the latency");
}

TEST(NetworkWords, AMistypedWordHearsTheNearestOne) {
  EXPECT_EQ(network_of("latency=1us,bandwith=1GB/s").error().hint, "did you mean 'bandwidth'?");
  EXPECT_NE(network_of("latency=1us,hdr").error().hint.find("latency=1.2us, bandwidth=12.5GB/s"), std::string::npos);
}

TEST(NetworkWords, TypicalNetworksCanAllBeTaken) {
  std::set<std::string> names;
  for (const TypicalNetwork& each : typical_networks()) {
    const auto network = network_of(each.name);
    ASSERT_TRUE(network) << each.name << ": " << network.error().message;
    EXPECT_EQ(network.value().name, each.name);
    EXPECT_NE(each.source.find("http"), std::string::npos) << each.name;
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
  }
  EXPECT_GE(names.size(), 4u);
}

TEST(NetworkWords, AMistypedNameHearsWhichThereAre) {
  const auto network = network_of("slingshot");
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().message, "there is neither a file nor a typical network 'slingshot'");
  EXPECT_EQ(network.error().hint, "did you mean 'slingshot11'?");
  EXPECT_NE(network_of("token-ring").error().hint.find("hdr, ndr, slingshot11"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::loggp
