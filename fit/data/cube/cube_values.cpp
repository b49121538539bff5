#include "fit/data/cube/cube_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "fit/data/inflated.h"
#include "fit/data/tables/cell_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

constexpr size_t kMostValues = size_t{1} << 26;
constexpr const char* kCopyAgain = "copy the file again";

template <typename T>
T swapped_if(std::string_view bytes, size_t at, bool other_order) {
  char raw[sizeof(T)];
  std::memcpy(raw, bytes.data() + at, sizeof(T));
  if (other_order) std::reverse(std::begin(raw), std::end(raw));
  T value;
  std::memcpy(&value, raw, sizeof(T));
  return value;
}

// A number of a row, as stored.
struct Reader {
  const char* dtype;
  size_t bytes;
  double (*read)(std::string_view data, size_t at, bool other_order);
};

template <typename T>
double read_as(std::string_view data, size_t at, bool other_order) {
  return static_cast<double>(swapped_if<T>(data, at, other_order));
}

// CubeLib converts to double and back, which turns the last 1024 values into 0; counters that ran below 0 have those.
double read_unsigned(std::string_view data, size_t at, bool other_order) {
  const auto value = swapped_if<uint64_t>(data, at, other_order);
  return value > 0xFFFF'FFFF'FFFF'FBFFu ? 0 : static_cast<double>(value);
}

constexpr Reader kReaders[] = {
    {"DOUBLE", 8, read_as<double>},         {"FLOAT", 8, read_as<double>},
    {"MINDOUBLE", 8, read_as<double>},      {"MAXDOUBLE", 8, read_as<double>},
    {"UINT64", 8, read_unsigned},           {"UNSIGNED INTEGER", 8, read_unsigned},
    {"INTEGER", 8, read_as<int64_t>},       {"SIGNED INTEGER", 8, read_as<int64_t>},
    {"INT64", 8, read_as<int64_t>},         {"INT", 4, read_as<int32_t>},
    {"SIGNED INT", 4, read_as<int32_t>},    {"INT32", 4, read_as<int32_t>},
    {"UNSIGNED INT", 4, read_as<uint32_t>}, {"UINT32", 4, read_as<uint32_t>},
    {"SHORT INT", 2, read_as<int16_t>},     {"SIGNED SHORT INT", 2, read_as<int16_t>},
    {"INT16", 2, read_as<int16_t>},         {"UNSIGNED SHORT INT", 2, read_as<uint16_t>},
    {"UINT16", 2, read_as<uint16_t>},       {"INT8", 1, read_as<int8_t>},
    {"UINT8", 1, read_as<uint8_t>},         {"CHAR", 1, read_as<uint8_t>},
};

const Reader* reader_of(const std::string& dtype) {
  const auto found = std::find_if(std::begin(kReaders), std::end(kReaders),
                                  [&dtype](const Reader& reader) { return dtype == reader.dtype; });
  return found == std::end(kReaders) ? nullptr : found;
}

// The call paths by the number that rows have. Rows of exclusive metrics are numbered as one meets call paths in a walk
// down the tree, those of inclusive ones with all callees of a path next to each other.
std::vector<size_t> paths_by_row(const CubeAnchor& anchor, bool inclusive) {
  std::vector<size_t> order;
  order.reserve(anchor.nodes.size());
  if (!inclusive) {
    for (size_t i = 0; i < anchor.nodes.size(); ++i) order.push_back(i);
    return order;
  }
  for (size_t root = 0; root < anchor.nodes.size(); ++root) {
    if (anchor.nodes[root].parent >= 0) continue;
    order.push_back(root);
    std::vector<size_t> open{root};
    while (!open.empty()) {
      const std::vector<int>& children = anchor.nodes[open.back()].children;
      open.pop_back();
      for (const int child : children) order.push_back(static_cast<size_t>(child));
      for (auto child = children.rbegin(); child != children.rend(); ++child)
        open.push_back(static_cast<size_t>(*child));
    }
  }
  return order;
}

struct Index {
  bool other_order = false;
  std::vector<size_t> rows;  // the call path of each row
};

core::Result<Index> read_index(const CubeAnchor& anchor, const CubeMetric& metric, std::string_view bytes,
                               const std::string& where) {
  const auto wrong = [&where](const std::string& what) {
    return Error{ErrorCode::kInput, where + ".index: " + what, kCopyAgain, where};
  };
  // "CUBEX.INDEX", the number 1 in the writer's byte order, its version, the kind, the number of rows.
  constexpr std::string_view kMark = "CUBEX.INDEX";
  constexpr size_t kHead = kMark.size() + 4 + 2 + 1;
  if (!bytes.starts_with(kMark) || bytes.size() < kHead) return wrong("it does not begin as an index of Cube does");
  Index index;
  index.other_order = swapped_if<uint32_t>(bytes, kMark.size(), false) != 1;
  const std::vector<size_t> paths = paths_by_row(anchor, metric.inclusive);
  if (bytes.size() < kHead + 4) {  // all rows are there
    index.rows = paths;
    return index;
  }
  const size_t rows = swapped_if<uint32_t>(bytes, kHead, index.other_order);
  if ((bytes.size() - kHead - 4) / 4 != rows || rows > paths.size()) {
    return wrong("it is to have " + std::to_string(rows) + " rows and has " +
                 std::to_string((bytes.size() - kHead - 4) / 4) + ", of " + std::to_string(paths.size()) +
                 " call paths");
  }
  index.rows.reserve(rows);
  for (size_t i = 0; i < rows; ++i) {
    const size_t row = swapped_if<uint32_t>(bytes, kHead + 4 + i * 4, index.other_order);
    if (row >= paths.size()) return wrong("row " + std::to_string(row) + " is beyond the call tree");
    index.rows.push_back(paths[row]);
  }
  return index;
}

// The values without the head; compressed ones are unpacked block by block. Empty where they do not give `size` bytes.
std::optional<std::string> plain_data(std::string_view bytes, size_t size, bool other_order) {
  constexpr std::string_view kPlain = "CUBEX.DATA", kPacked = "ZCUBEX.DATA";
  if (bytes.starts_with(kPlain)) {
    bytes.remove_prefix(kPlain.size());
    return bytes.size() == size ? std::optional(std::string(bytes)) : std::nullopt;
  }
  if (!bytes.starts_with(kPacked) || bytes.size() < kPacked.size() + 8) return std::nullopt;
  const auto blocks = swapped_if<uint64_t>(bytes, kPacked.size(), other_order);
  size_t at = kPacked.size() + 8;
  if (blocks > (bytes.size() - at) / 24) return std::nullopt;
  std::string_view packed = bytes.substr(at + blocks * 24);
  std::string out;
  for (uint64_t i = 0; i < blocks; ++i, at += 24) {
    const auto length = swapped_if<uint64_t>(bytes, at + 16, other_order);
    if (length == 0) continue;
    if (length > packed.size()) return std::nullopt;
    const auto block = inflated(packed.substr(0, length), Packing::kZlib, size - out.size());
    if (!block) return std::nullopt;
    out += *block;
    packed.remove_prefix(length);
  }
  return out.size() == size ? std::optional(std::move(out)) : std::nullopt;
}

// The values of one row, one a rank.
void reduce_row(const CubeAnchor& anchor, CubeReduction reduction, const std::vector<double>& row, double* ranks,
                std::vector<int>& active) {
  std::fill_n(ranks, anchor.ranks, 0.0);
  std::fill(active.begin(), active.end(), 0);
  for (size_t l = 0; l < row.size(); ++l) {
    if (!anchor.locations[l].is_thread) continue;
    const auto r = static_cast<size_t>(anchor.locations[l].rank);
    double& to = ranks[r];
    const bool first = active[r] == 0;
    switch (reduction) {
      case CubeReduction::kTime:
        if (row[l] == 0) continue;
        [[fallthrough]];
      case CubeReduction::kSum:
        to += row[l];
        break;
      case CubeReduction::kMin:
        to = first ? row[l] : std::min(to, row[l]);
        break;
      case CubeReduction::kMax:
        to = first ? row[l] : std::max(to, row[l]);
        break;
    }
    ++active[r];
  }
}

// An inclusive metric's threads are averaged after callees were taken off, since other threads work there. What
// rounding leaves of a time, and an unsigned counter whose callees counted more than their caller, is nothing.
void take_off_callees(const CubeAnchor& anchor, size_t width, bool is_unsigned, std::vector<double>& values) {
  // Callees come after their callers, so that each path still has its inclusive value when it is taken off.
  for (size_t i = 0; i < anchor.nodes.size(); ++i) {
    for (size_t l = 0; l < width; ++l) {
      double& own = values[i * width + l];
      const double inclusive = own;
      for (const int child : anchor.nodes[i].children) own -= values[static_cast<size_t>(child) * width + l];
      if (std::abs(own) < 1e-9 * std::abs(inclusive) || (is_unsigned && own < 0)) own = 0;
    }
  }
}

double over_ranks(CubeReduction reduction, const std::vector<double>& ranks) {
  if (reduction == CubeReduction::kMin) return *std::min_element(ranks.begin(), ranks.end());
  if (reduction == CubeReduction::kMax) return *std::max_element(ranks.begin(), ranks.end());
  double sum = 0;
  for (const double value : ranks) sum += value;
  return sum / static_cast<double>(ranks.size());
}

}  // namespace

bool is_readable_dtype(const std::string& dtype) { return reader_of(dtype) != nullptr; }

CubeReduction reduction_of(const CubeMetric& metric) {
  if (metric.dtype == "MINDOUBLE") return CubeReduction::kMin;
  if (metric.dtype == "MAXDOUBLE") return CubeReduction::kMax;
  return seconds_per(metric.unit) ? CubeReduction::kTime : CubeReduction::kSum;
}

core::Result<std::vector<double>> read_cube_values(const CubeAnchor& anchor, const CubeMetric& metric,
                                                   std::string_view index_bytes, std::string_view data,
                                                   const std::string& where) {
  const Reader& reader = *reader_of(metric.dtype);
  const CubeReduction reduction = reduction_of(metric);
  const core::Result<Index> index = read_index(anchor, metric, index_bytes, where);
  if (!index) return index.error();
  const size_t width = anchor.locations.size();
  const size_t count = index.value().rows.size() * width;
  const bool keeps_threads = metric.inclusive;
  if (count > kMostValues || (keeps_threads && anchor.nodes.size() * width > kMostValues)) {
    return Error{ErrorCode::kInput, where + ": more than " + std::to_string(kMostValues) + " values of a metric",
                 "cut the profile to the call paths that matter, as `cube_cut` of Cube does", where};
  }
  const std::optional<std::string> bytes = plain_data(data, count * reader.bytes, index.value().other_order);
  if (!bytes) {
    return Error{ErrorCode::kInput,
                 where + ".data: it does not hold the " + std::to_string(index.value().rows.size()) + " rows of " +
                     std::to_string(width) + " values that its index and anchor.xml tell of",
                 kCopyAgain, where};
  }

  std::vector<double> result(anchor.nodes.size(), 0.0);
  std::vector<double> row(width), ranks(static_cast<size_t>(anchor.ranks));
  std::vector<int> active(ranks.size());
  std::vector<double> all(keeps_threads ? anchor.nodes.size() * width : 0);
  const auto reduce_to = [&](size_t path) {
    reduce_row(anchor, reduction, row, ranks.data(), active);
    if (reduction == CubeReduction::kTime) {
      for (size_t r = 0; r < ranks.size(); ++r) ranks[r] /= std::max(active[r], 1);
    }
    result[path] = over_ranks(reduction, ranks);
  };
  for (size_t i = 0; i < index.value().rows.size(); ++i) {
    const size_t path = index.value().rows[i];
    for (size_t l = 0; l < width; ++l) {
      row[l] = reader.read(*bytes, (i * width + l) * reader.bytes, index.value().other_order);
    }
    if (keeps_threads) {
      std::copy(row.begin(), row.end(), all.begin() + static_cast<std::ptrdiff_t>(path * width));
    } else {
      reduce_to(path);
    }
  }
  if (!keeps_threads) return result;
  const bool adds_up = reduction == CubeReduction::kTime || reduction == CubeReduction::kSum;
  if (adds_up) take_off_callees(anchor, width, metric.dtype.starts_with("U"), all);
  for (size_t path = 0; path < anchor.nodes.size(); ++path) {
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(path * width), width, row.begin());
    reduce_to(path);
  }
  return result;
}

}  // namespace scalediag::fit
