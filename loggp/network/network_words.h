// A network as it is given on a command line: a file, a few words, or the name of a typical one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "loggp/network/network.h"

namespace scalediag::loggp {

// A file's text as cmake/EmbedFiles.cmake puts it into the program.
struct EmbeddedText {
  std::string_view text;
  std::string_view sha256;  // hexadecimal
};
extern const EmbeddedText kTypicalNetworks;  // typical_networks.json

struct TypicalNetwork {
  std::string name;
  std::string what;
  std::string words;   // as network_of() takes them
  std::string source;  // where the words' values were published
};
std::vector<TypicalNetwork> typical_networks();

// The network that `text` names: a file (read_network), words, or the name of a typical network; a file comes first.
// Words are NAME=VALUE, separated by commas:
//   latency         half the time of a ping-pong of small messages between two nodes, the CPUs' part included; required
//   bandwidth       of large messages between two nodes, "12.5GB/s" or "100Gbit/s"; required
//   overhead        the CPU's part of latency at each end (0: the CPU is free meanwhile)
//   ranks-per-node  (1)
//   node-latency, node-bandwidth  the same between ranks of one node (as between two)
//   eager           the largest message that does not wait for its receiver, "64KiB" (all)
// Errors (kInput) name the word and what there is instead.
Result<Network> network_of(const std::string& text);

}  // namespace scalediag::loggp
