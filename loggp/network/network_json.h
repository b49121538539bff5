// network.json, the file that holds a network.
#pragma once

#include <string>

#include "core/result.h"
#include "loggp/network/network.h"

namespace scalediag::loggp {

// Reads the file that network.schema.json describes. L, o_s, o_r, g and G are required, 0 where they cost nothing: a
// forgotten one would make every message too cheap. Other fields that are missing have the values above. An unknown
// field is an error, because it is a misspelt one, and so is a field that would have no effect.
Result<Network> parse_network(const std::string& text, const std::string& file);
Result<Network> read_network(const std::string& path);
Result<std::string> network_text(const Network& network);

// Eight hexadecimal digits of what messages cost: the same for networks that differ in name, measurements and notes
// only.
Result<std::string> fingerprint_of(Network network);

}  // namespace scalediag::loggp
