#include "loggp/network/network_words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "core/text/join.h"
#include "core/text/suggestion.h"
#include "loggp/network/network_json.h"

namespace scalediag::loggp {

namespace {

struct Unit {
  const char* name;
  double factor;
};
constexpr Unit kTimes[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
constexpr Unit kRates[] = {{"B/s", 1},      {"kB/s", 1e3},     {"MB/s", 1e6},    {"GB/s", 1e9},
                           {"kbit/s", 125}, {"Mbit/s", 125e3}, {"Gbit/s", 125e6}};
constexpr Unit kSizes[] = {{"B", 1}, {"kB", 1e3}, {"KiB", 1024}, {"MB", 1e6}, {"MiB", 1024 * 1024}};
constexpr Unit kCounts[] = {{"", 1}};

struct Word {
  const char* name;
  std::span<const Unit> units;
  const char* example;
  double least;
  double most;
};
constexpr double kAny = std::numeric_limits<double>::max();
constexpr Word kWords[] = {{"latency", kTimes, "1.2us", 0, kAny},      {"bandwidth", kRates, "12.5GB/s", 1, kAny},
                           {"overhead", kTimes, "0.2us", 0, kAny},     {"ranks-per-node", kCounts, "32", 1, 1 << 20},
                           {"node-latency", kTimes, "0.4us", 0, kAny}, {"node-bandwidth", kRates, "10GB/s", 1, kAny},
                           {"eager", kSizes, "64KiB", 0, 1e18}};

Error error_of(const std::string& message, const std::string& hint) { return {ErrorCode::kInput, message, hint}; }

Result<double> value_of(const Word& word, const std::string& text) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  const auto known = std::ranges::find_if(word.units, [&unit](const Unit& each) { return unit == each.name; });
  const std::string called = std::string(word.name) + "=" + text;
  const std::string example = std::string("for example ") + word.name + "=" + word.example;
  if (failure != std::errc() || known == word.units.end()) {
    const std::string units = core::join(word.units, ", ", [](const Unit& each) { return std::string(each.name); });
    return error_of(called + " is not a number" + (units.empty() ? "" : " with one of the units " + units), example);
  }
  const double value = number * known->factor;
  const bool whole = word.units.data() != kCounts || value == std::floor(value);  // counts are whole
  if (!(value >= word.least && value <= word.most) || !whole) return error_of(called + " is not possible", example);
  return value;
}

std::vector<std::string> names_of_words() {
  std::vector<std::string> names;
  for (const Word& word : kWords) names.emplace_back(word.name);
  return names;
}

Result<std::map<std::string, double>> values_of(const std::string& text) {
  std::map<std::string, double> values;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = std::min(part.find('='), part.size());
    const std::string name = part.substr(0, equals);
    const Word* word =
        std::find_if(std::begin(kWords), std::end(kWords), [&](const Word& w) { return name == w.name; });
    if (word == std::end(kWords) || equals == part.size()) {
      const std::string near = equals == part.size() ? "" : core::did_you_mean(name, names_of_words());
      return error_of("'" + part + "' is no word for a network",
                      !near.empty() ? near : "the words are " + core::join(kWords, ", ", [](const Word& w) {
                                               return std::string(w.name) + "=" + w.example;
                                             }));
    }
    const auto value = TRY(value_of(*word, part.substr(equals + 1)));
    if (!values.emplace(name, value).second) return error_of(name + " is given twice", "leave one out");
  }
  return values;
}

Result<Network> network_of_words(const std::string& text) {
  const std::map<std::string, double> values = TRY(values_of(text));
  for (const char* required : {"latency", "bandwidth"}) {
    if (values.count(required) == 0) {
      return error_of("'" + text + "' does not say the network's " + required,
                      "for example latency=1.2us,bandwidth=12.5GB/s");
    }
  }
  const auto value = [&values](const char* name, double otherwise) {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : found->second;
  };
  const double latency_s = value("latency", 0);
  const double overhead_s = value("overhead", 0);
  const double eager = value("eager", -1);
  const auto link_of = [&](double half_round_trip_s, double bytes_per_s) {
    LinkClass link;
    link.latency_s = half_round_trip_s - 2 * overhead_s;
    if (eager >= 0) link.sync_bytes = static_cast<uint64_t>(eager);
    Segment segment;
    segment.send_overhead_s = segment.receive_overhead_s = segment.gap_s = overhead_s;
    segment.gap_s_per_byte = 1 / bytes_per_s;
    link.segments = {segment};
    return link;
  };
  Network network;
  network.name = text;
  network.other_node = link_of(latency_s, value("bandwidth", 1));
  network.same_node = link_of(value("node-latency", latency_s), value("node-bandwidth", value("bandwidth", 1)));
  network.placement.ranks_per_node = static_cast<int>(value("ranks-per-node", 1));
  if (network.other_node.latency_s < 0 || network.same_node.latency_s < 0) {
    return error_of("'" + text + "': the overhead of both ends is more than the latency",
                    "latency includes the overhead of both ends");
  }
  TRY(validate(network, text));
  return network;
}

}  // namespace

std::vector<TypicalNetwork> typical_networks() {
  std::vector<TypicalNetwork> networks;
  for (const auto& each : nlohmann::json::parse(kTypicalNetworks.text)) {
    const auto text_of = [&each](const char* field) { return each.at(field).get<std::string>(); };
    networks.push_back({text_of("name"), text_of("what"), text_of("words"), text_of("source")});
  }
  return networks;
}

Result<Network> network_of(const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored) && !std::filesystem::is_directory(text, ignored))
    return read_network(text);
  const std::vector<TypicalNetwork> typical = typical_networks();
  const auto named = std::ranges::find_if(typical, [&text](const TypicalNetwork& each) { return each.name == text; });
  if (named != typical.end()) {
    auto network = network_of_words(named->words);
    if (network) network.value().name = named->name;
    return network;
  }
  if (text.find('=') != std::string::npos) return network_of_words(text);
  if (text.find_first_of("./") != std::string::npos) return read_network(text);  // a file's name: says what it lacks
  std::vector<std::string> names;
  for (const TypicalNetwork& each : typical) names.push_back(each.name);
  const std::string near = core::did_you_mean(text, names);
  return error_of("there is neither a file nor a typical network '" + text + "'",
                  near.empty()
                      ? "a file of `scalediag network`, words as latency=1.2us,bandwidth=12.5GB/s, or one of " +
                            core::join(names, ", ")
                      : near);
}

}  // namespace scalediag::loggp
