#include "core/raw/network_addresses.h"

#include <gtest/gtest.h>

namespace scalediag::raw {
namespace {

TEST(NetworkAddresses, AreParsedWithTheirPort) {
  const SocketAddress four = parse_address("10.0.0.7", 40123), six = parse_address("2001:db8::7", 40123);
  EXPECT_EQ(four.bytes, sizeof(sockaddr_in));
  EXPECT_EQ(six.bytes, sizeof(sockaddr_in6));
  EXPECT_FALSE(four.is_six());
  EXPECT_TRUE(six.is_six());
  EXPECT_EQ(four.port(), 40123);
  EXPECT_EQ(six.port(), 40123);
  EXPECT_EQ(text_of(*four.get()), "10.0.0.7");
  EXPECT_EQ(text_of(*six.get()), "2001:db8::7");
}

TEST(NetworkAddresses, OtherTextIsNone) {
  for (const char* text : {"", "10.0.0", "10.0.0.256", "localhost", "2001:db8::7%lo", "10.0.0.7:80"}) {
    EXPECT_EQ(parse_address(text, 1).bytes, 0U) << text;
  }
  EXPECT_EQ(text_of(*SocketAddress{}.get()), "");
}

TEST(NetworkAddresses, OfThisHostAreThoseByWhichOthersReachIt) {
  bool after_six = false;
  for (const std::string& text : addresses_of_this_host()) {
    const SocketAddress address = parse_address(text, 1);
    ASSERT_GT(address.bytes, 0U) << text;
    EXPECT_FALSE(text.rfind("127.", 0) == 0 || text == "::1" || text.rfind("fe80:", 0) == 0) << text;
    EXPECT_FALSE(after_six && !address.is_six()) << text << " behind one of version 6";
    after_six = address.is_six();
  }
}

}  // namespace
}  // namespace scalediag::raw
