#include "loggp/representatives/computation_vector.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/atomic_file.h"
#include "core/statistics.h"
#include "core/text/formatted.h"

namespace scalediag::loggp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVectorWord = "scalediag-vector ";
constexpr uint64_t kOnce = 1, kRepeated = 2;  // versions
constexpr double kLongestComputation_s = 1e9;

bool has_series(const std::vector<TraceStep>& steps) {
  return std::ranges::all_of(steps, [](const TraceStep& step) {
    return step.count > 0 ? has_series(step.body) : step.computations_s.size() == step.before.n;
  });
}

uint64_t ns_of(float seconds) { return static_cast<uint64_t>(std::llround(static_cast<double>(seconds) * 1e9)); }

// The number at the beginning of `text`, which moves on behind it and the `end` that has to follow.
bool take_number(std::string_view& text, char end, uint64_t& number) {
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto n = static_cast<size_t>(stop - text.data());
  if (failed != std::errc() || n >= text.size() || text[n] != end) return false;
  text.remove_prefix(n + 1);
  return true;
}

double double_at(std::string_view bytes, size_t at) {
  uint64_t bits = 0;
  for (size_t i = 0; i < sizeof bits; ++i) {
    bits |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return std::bit_cast<double>(bits);
}

// The rank whose file has this name; nothing: none has.
std::optional<int> rank_of_file(const std::string& name) {
  int rank = 0;
  if (!name.starts_with("rank")) return std::nullopt;
  std::from_chars(name.data() + 4, name.data() + name.size(), rank);
  return rank >= 0 && name == vector_file_name(rank) ? std::optional(rank) : std::nullopt;
}

}  // namespace

ComputationVector computations_of(const RankTrace& trace) {
  ComputationVector computations;
  if (!has_series(trace.steps)) return computations;
  computations.reserve(trace.n_events + 1);
  each_occurrence(trace.steps,
                  [&](const TraceStep& step, uint64_t number) { computations.push_back(step.computations_s[number]); });
  computations.push_back(static_cast<float>(static_cast<double>(trace.tail_ns) * 1e-9));
  return computations;
}

void set_computations(RankTrace& trace, const ComputationVector& computations, double factor) {
  const auto multiple = static_cast<float>(factor);
  size_t next = 0;
  each_occurrence(trace.steps, [&](TraceStep& step, uint64_t number) {
    const float seconds = computations[next++] * multiple;
    const uint64_t ns = ns_of(seconds);
    TraceTimes& times = step.before;
    if (number == 0) {
      step.computations_s.clear();
      times = {times.n, 0, ns, ns, 0};
    }
    step.computations_s.push_back(seconds);
    times.total += ns;
    times.least = std::min(times.least, ns);
    times.most = std::max(times.most, ns);
  });
  trace.tail_ns = ns_of(computations.back() * multiple);
}

std::string vector_file_name(int rank) { return core::formatted("rank%06d.vector", rank); }

double VectorRepeats::error() const {
  return core::coefficient_of_variation(totals_s) * core::error_of_median(totals_s.size());
}

size_t ReplayedRanks::least_repeats() const {
  size_t least = vectors.empty() ? 1 : std::numeric_limits<size_t>::max();
  for (const auto& [rank, vector] : vectors) {
    const auto its = repeats.find(rank);
    least = std::min(least, its == repeats.end() ? 1 : std::max<size_t>(1, its->second.totals_s.size()));
  }
  return least;
}

Result<ReplayedVector> parse_vector(std::string_view bytes, int rank, const std::string& file) {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorCode::kInput, file + ": " + what, "replay rank " + std::to_string(rank) + " again", file};
  };
  std::string_view left = bytes;
  if (!left.starts_with(kVectorWord)) return wrong("is no vector of a replayed rank");
  left.remove_prefix(kVectorWord.size());
  uint64_t version = 0, its_rank = 0, count = 0, repeats = 0;
  if (!take_number(left, ' ', version)) return wrong("its first line is damaged");
  if (version != kOnce && version != kRepeated) {
    return wrong("has version " + std::to_string(version) + ", this scalediag reads 1 and 2");
  }
  const bool is_repeated = version == kRepeated;
  if (!take_number(left, ' ', its_rank) || !take_number(left, is_repeated ? ' ' : '\n', count) ||
      (is_repeated && !take_number(left, '\n', repeats))) {
    return wrong("its first line is damaged");
  }
  if (its_rank != static_cast<uint64_t>(rank)) return wrong("is of rank " + std::to_string(its_rank));
  const uint64_t doubles = left.size() / sizeof(double);
  if (left.size() % sizeof(double) != 0 || count > doubles || repeats > doubles ||
      doubles != (is_repeated ? 2 * count + repeats : count)) {
    return wrong("says that it holds " + std::to_string(count) + " computations, and has " +
                 std::to_string(left.size()) + " bytes of them: it was cut off or damaged");
  }
  if (count == 0) return wrong("holds not even the computation after the last event");
  ReplayedVector read;
  read.computations.reserve(count);
  for (uint64_t i = 0; i < doubles; ++i) {
    const double seconds = double_at(left, i * sizeof(double));
    if (!(seconds >= 0 && seconds <= kLongestComputation_s)) {
      return wrong("computation " + std::to_string(i) + " is no time: it was damaged");
    }
    if (i < count) read.computations.push_back(static_cast<float>(seconds));
    if (i >= count && i < 2 * count && is_repeated) read.repeats.apart_s += seconds;
    if (i >= 2 * count) read.repeats.totals_s.push_back(seconds);
  }
  return read;
}

Result<ReplayedRanks> read_replayed_ranks(const std::string& folder) {
  const std::string where = (fs::path(folder) / "replay").string();
  std::set<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator it(where, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().extension() == ".vector") files.insert(it->path());
  }
  if (files.empty()) {
    return Error{ErrorCode::kInput, where + " holds no vector of a replayed rank", "`scalediag replay` writes them",
                 where};
  }
  ReplayedRanks replayed{where, {}, {}};
  for (const fs::path& file : files) {
    const auto rank = rank_of_file(file.filename().string());
    if (!rank) {
      return Error{ErrorCode::kInput, file.string() + " is not named as the vector of a rank",
                   "rank 3 has the name " + vector_file_name(3), file.string()};
    }
    const auto bytes = TRY(core::read_file(file.string()));
    auto vector = TRY(parse_vector(bytes, *rank, file.string()));
    replayed.vectors[*rank] = std::move(vector.computations);
    replayed.repeats[*rank] = std::move(vector.repeats);
  }
  return replayed;
}

}  // namespace scalediag::loggp
