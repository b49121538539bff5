// The addresses of this host, and addresses that were written as text. Header only, C++17.
#pragma once

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

namespace scalediag::raw {

struct SocketAddress {
  sockaddr_storage address{};
  socklen_t bytes = 0;  // 0: none

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&address); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
  sockaddr_in& four() { return reinterpret_cast<sockaddr_in&>(address); }
  sockaddr_in6& six() { return reinterpret_cast<sockaddr_in6&>(address); }
  bool is_six() const { return address.ss_family == AF_INET6; }
  uint16_t port() const {
    return ntohs(is_six() ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                          : reinterpret_cast<const sockaddr_in&>(address).sin_port);
  }
};

// "10.0.0.1" or "2001:db8::1", and a port. Has no bytes where the text is no address.
inline SocketAddress parse_address(const std::string& text, uint16_t port) {
  SocketAddress parsed;
  if (inet_pton(AF_INET, text.c_str(), &parsed.four().sin_addr) == 1) {
    parsed.four().sin_family = AF_INET;
    parsed.four().sin_port = htons(port);
    parsed.bytes = sizeof(sockaddr_in);
  } else if (inet_pton(AF_INET6, text.c_str(), &parsed.six().sin6_addr) == 1) {
    parsed.six().sin6_family = AF_INET6;
    parsed.six().sin6_port = htons(port);
    parsed.bytes = sizeof(sockaddr_in6);
  }
  return parsed;
}

// Without the port; empty for what is no address of the internet.
inline std::string text_of(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
  } else if (address.sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text, sizeof text);
  }
  return text;
}

// The addresses by which other hosts, and containers of this one, may reach it: those of version 4 first.
inline std::vector<std::string> addresses_of_this_host() {
  std::vector<std::string> four, six;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || (i->ifa_flags & IFF_UP) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0) continue;
    if (i->ifa_addr->sa_family == AF_INET) {
      four.push_back(text_of(*i->ifa_addr));
    } else if (i->ifa_addr->sa_family == AF_INET6) {
      const auto& address = reinterpret_cast<const sockaddr_in6*>(i->ifa_addr)->sin6_addr;
      if (!IN6_IS_ADDR_LINKLOCAL(&address)) six.push_back(text_of(*i->ifa_addr));
    }
  }
  freeifaddrs(all);
  four.insert(four.end(), six.begin(), six.end());
  return four;
}

}  // namespace scalediag::raw
