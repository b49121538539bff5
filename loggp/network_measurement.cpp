#include "loggp/network_measurement.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace scalediag::loggp {
namespace {

using Words = std::vector<std::string>;
constexpr uint64_t kMostCount = 1 << 30;

bool read_number(const std::string& word, double& to) {
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), to);
  return failed == std::errc() && end == word.data() + word.size();
}

bool read_number(const std::string& word, uint64_t& to) {
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), to);
  return failed == std::errc() && end == word.data() + word.size();
}

// "nan" stands for not measured.
bool read_overhead(const std::string& word, std::optional<double>& to) {
  double value = 0;
  if (!read_number(word, value)) return false;
  if (std::isfinite(value)) to = value;
  return true;
}

// size BYTES half_round_trip Q Q Q gap Q Q Q send_overhead Q receive_overhead Q repeats N
bool read_size(const Words& words, MeasuredSize& to) {
  if (words.size() != 16) return false;
  uint64_t repeats = 0;
  bool ok = read_number(words[1], to.sample.bytes) && read_overhead(words[11], to.send_overhead_s) &&
            read_overhead(words[13], to.receive_overhead_s) && read_number(words[15], repeats);
  for (size_t q = 0; q < 3; ++q) {
    ok = ok && read_number(words[3 + q], to.sample.half_round_trip_s[q]) &&
         read_number(words[7 + q], to.sample.gap_s[q]) && to.sample.half_round_trip_s[q] > 0 &&
         std::isfinite(to.sample.half_round_trip_s[q]) && std::isfinite(to.sample.gap_s[q]);
  }
  to.repeats = static_cast<int>(std::min<uint64_t>(repeats, kMostCount));
  return ok;
}

void sort_sizes(MeasuredLink& link) {
  std::stable_sort(link.sizes.begin(), link.sizes.end(),
                   [](const MeasuredSize& a, const MeasuredSize& b) { return a.sample.bytes < b.sample.bytes; });
  const auto repeated = std::unique(link.sizes.begin(), link.sizes.end(),
                                    [](const auto& a, const auto& b) { return a.sample.bytes == b.sample.bytes; });
  link.sizes.erase(repeated, link.sizes.end());
}

bool read_link(const Words& words, NetworkMeasurement& result) {
  if (words.size() != 4) return false;
  MeasuredLink& link = result.links.emplace_back();
  link.same_node = words[1] == "same_node";
  link.hosts[0] = words[2];
  link.hosts[1] = words[3];
  return link.same_node || words[1] == "other_node";
}

bool read_line(const Words& words, NetworkMeasurement& result) {
  const std::string& what = words[0];
  if (what == "ranks" && words.size() == 2) {
    uint64_t ranks = 0;
    if (!read_number(words[1], ranks)) return false;
    result.ranks = static_cast<int>(std::min<uint64_t>(ranks, kMostCount));
    return true;
  }
  if (what == "reduction" && words.size() == 2) {
    return read_number(words[1], result.reduction_s_per_byte) && std::isfinite(result.reduction_s_per_byte) &&
           result.reduction_s_per_byte >= 0;
  }
  if (what == "link") return read_link(words, result);
  const bool of_link = what == "size" || what == "sync" || what == "sync_below_zero";
  if (!of_link) return true;  // somebody else's line
  if (result.links.empty()) return false;
  MeasuredLink& link = result.links.back();
  if (what == "size") return read_size(words, link.sizes.emplace_back());
  if (what == "sync_below_zero") {
    link.always_waits = true;
    link.sync_bytes = 0;
    return true;
  }
  link.sync_bytes = kAnySize;
  return words.size() == 2 && (words[1] == "none" || read_number(words[1], *link.sync_bytes));
}

core::Error unreadable(const std::string& what) {
  return {core::ErrorCode::kInput, "the measurement " + what,
          "run it again; if it stays so, look at what the launcher prints with --verbose", ""};
}

}  // namespace

core::Result<NetworkMeasurement> parse_measurement(const std::string& text) {
  NetworkMeasurement result;
  bool began = false;
  bool ended = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    Words words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty()) continue;
    if (words[0] == "scalediag-network-probe") {
      if (words.size() != 2 || words[1] != "1") return unreadable("was made by another version of the probe");
      began = true;
    } else if (!began || ended) {
      continue;
    } else if (words[0] == "end" && words.size() == 1) {
      ended = true;
    } else if (words[0] == "library") {
      result.library = line.size() > 8 ? line.substr(8) : "";
    } else if (!read_line(words, result)) {
      return unreadable("has a line that cannot be read: " + line.substr(0, 120));
    }
  }
  if (!began) return unreadable("printed nothing");
  if (!ended) return unreadable("was cut off");
  for (MeasuredLink& link : result.links) sort_sizes(link);
  return result;
}

void add_sizes(NetworkMeasurement& to, const NetworkMeasurement& more) {
  for (MeasuredLink& link : to.links) {
    for (const MeasuredLink& other : more.links) {
      if (other.same_node == link.same_node) {
        link.sizes.insert(link.sizes.end(), other.sizes.begin(), other.sizes.end());
      }
    }
    sort_sizes(link);
  }
}

}  // namespace scalediag::loggp
