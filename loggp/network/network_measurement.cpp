#include "loggp/network/network_measurement.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace scalediag::loggp {
namespace {

using Words = std::vector<std::string>;
constexpr uint64_t kMostCount = 1 << 30;
constexpr double kUsualSpread = 0.3;

bool read_number(const std::string& word, double& to) {
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), to);
  return failed == std::errc() && end == word.data() + word.size();
}

bool read_number(const std::string& word, uint64_t& to) {
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), to);
  return failed == std::errc() && end == word.data() + word.size();
}

// An overhead in seconds; "nan" means that it was not measured.
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

// The time PRTT(1, 0, s) + PRTT(n, 0, s), in seconds.
double whole_s(const SizeSample& sample) { return 4 * sample.half_round_trip_s[1] + (kBurst - 1) * sample.gap_s[1]; }

std::optional<double> smaller(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// The relative distance of the median from the shortest tenth.
double spread(const SizeSample& sample) {
  const double trip = sample.half_round_trip_s[1] / sample.half_round_trip_s[0] - 1;
  const double burst_s = 2 * sample.half_round_trip_s[1] + (kBurst - 1) * std::max(0.0, sample.gap_s[1]);
  return std::max(trip, (kBurst - 1) * (sample.gap_s[1] - sample.gap_s[0]) / burst_s);
}

bool is_disturbed_by_itself(const SizeSample& sample) {
  const double one_way_s = sample.half_round_trip_s[1];
  return spread(sample) > kUsualSpread || sample.gap_s[1] < -0.1 * one_way_s || sample.gap_s[1] > 3 * one_way_s;
}

void sort_sizes(MeasuredLink& link) {
  std::ranges::stable_sort(
      link.sizes, [](const MeasuredSize& a, const MeasuredSize& b) { return a.sample.bytes < b.sample.bytes; });
  std::vector<MeasuredSize> once;
  for (MeasuredSize& size : link.sizes) {
    if (once.empty() || once.back().sample.bytes != size.sample.bytes) {
      once.push_back(size);
      continue;
    }
    const MeasuredSize& before = once.back();
    size.send_overhead_s = smaller(size.send_overhead_s, before.send_overhead_s);
    size.receive_overhead_s = smaller(size.receive_overhead_s, before.receive_overhead_s);
    if (whole_s(size.sample) < whole_s(before.sample)) {
      once.back() = size;
    } else {
      once.back().send_overhead_s = size.send_overhead_s;
      once.back().receive_overhead_s = size.receive_overhead_s;
    }
  }
  link.sizes = std::move(once);
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
  if ((what == "reduction" || what == "copy") && words.size() == 2) {
    double& s_per_byte = what == "copy" ? result.copy_s_per_byte : result.reduction_s_per_byte;
    return read_number(words[1], s_per_byte) && std::isfinite(s_per_byte) && s_per_byte >= 0;
  }
  if (what == "exchange" && words.size() == 3) {
    return read_number(words[1], result.exchanged_bytes) && read_number(words[2], result.exchange_s) &&
           std::isfinite(result.exchange_s) && result.exchange_s > 0;
  }
  if (what == "retransmitted" && words.size() == 2) return read_number(words[1], result.retransmitted);
  if (what == "took" && words.size() == 2) {
    return read_number(words[1], result.took_s) && std::isfinite(result.took_s) && result.took_s >= 0;
  }
  if (what == "link") return read_link(words, result);
  const bool of_link = what == "size" || what == "sync" || what == "sync_below_zero" || what == "connect";
  if (!of_link) return true;  // a line of another program
  if (result.links.empty()) return false;
  MeasuredLink& link = result.links.back();
  if (what == "size") return read_size(words, link.sizes.emplace_back());
  if (what == "connect") {
    return words.size() == 2 && read_number(words[1], link.connect_s) && std::isfinite(link.connect_s) &&
           link.connect_s >= 0;
  }
  if (what == "sync_below_zero") {
    link.always_waits = true;
    link.sync_bytes = 0;
    return true;
  }
  link.sync_bytes = kAnySize;
  return words.size() == 2 && (words[1] == "none" || read_number(words[1], *link.sync_bytes));
}

Error unreadable(const std::string& what) {
  return {ErrorCode::kInput, "the measurement " + what,
          "run it again; if it stays so, look at what the launcher prints with --verbose"};
}

}  // namespace

Result<NetworkMeasurement> parse_measurement(const std::string& text) {
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
      if (words.size() != 2 || words[1] != "3") return unreadable("was made by another version of the probe");
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

bool MeasuredLink::is_disturbed(size_t i) const {
  const SizeSample& sample = sizes[i].sample;
  if (is_disturbed_by_itself(sample)) return true;
  for (size_t larger = i + 1; larger < sizes.size(); ++larger) {
    const SizeSample& other = sizes[larger].sample;
    if (is_disturbed_by_itself(other)) continue;
    if (sample.half_round_trip_s[1] > (1 + kUsualSpread) * other.half_round_trip_s[1]) return true;
    if (whole_s(sample) > (1 + kUsualSpread) * whole_s(other)) return true;
  }
  return false;
}

std::vector<uint64_t> disturbed_sizes(const NetworkMeasurement& measured) {
  std::vector<uint64_t> result;
  for (const MeasuredLink& link : measured.links) {
    for (size_t i = 0; i < link.sizes.size(); ++i) {
      if (link.is_disturbed(i)) result.push_back(link.sizes[i].sample.bytes);
    }
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

size_t missing_sizes(const NetworkMeasurement& measured, const std::vector<uint64_t>& sizes) {
  size_t missing = 0;
  for (const MeasuredLink& link : measured.links) {
    missing += static_cast<size_t>(std::ranges::count_if(sizes, [&link](uint64_t bytes) {
      return std::ranges::none_of(link.sizes, [bytes](const MeasuredSize& size) { return size.sample.bytes == bytes; });
    }));
  }
  return missing;
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
