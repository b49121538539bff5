#include "collector/replay/partial_log.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <sstream>

#include "core/atomic_file.h"
#include "core/raw/message_log.h"
#include "core/round_distance.h"
#include "core/text/formatted.h"

namespace scalediag::replay {
namespace {

// No loop ends after more events than these: a computation of each is kept in memory, 8 GB in all.
constexpr uint64_t kMostEvents = 1'000'000'000;

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

// The number of iterations is compared with a quotient, since a product of damaged numbers may wrap.
bool is_plausible(const CutLoop& loop, uint64_t begin) {
  return loop.before >= begin && loop.before <= kMostEvents && loop.per_iteration > 0 && loop.recorded > 0 &&
         loop.recorded <= loop.iterations && loop.iterations <= (kMostEvents - loop.before) / loop.per_iteration &&
         is_amount(loop.iteration_s);
}

}  // namespace

Status write_partial_log(const std::string& path, int rank, const PartialLog& log) {
  std::string text = core::formatted("%s%d %llu %.9g %zu %zu\n", message_log::kLoopWord, rank,
                                     static_cast<unsigned long long>(log.more_events), log.most_apart, log.loops.size(),
                                     log.after_s.size());
  for (const CutLoop& loop : log.loops) {
    text += core::formatted("%llu %llu %llu %llu %.9g\n", static_cast<unsigned long long>(loop.before),
                            static_cast<unsigned long long>(loop.per_iteration),
                            static_cast<unsigned long long>(loop.iterations),
                            static_cast<unsigned long long>(loop.recorded), loop.iteration_s);
  }
  if (!log.after_s.empty()) {
    text.append(reinterpret_cast<const char*>(log.after_s.data()), log.after_s.size() * sizeof(double));
  }
  return core::write_file_atomically(path, text);
}

Result<std::optional<PartialLog>> read_partial_log(const std::string& path, int rank) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return std::optional<PartialLog>();
  const std::string bytes = TRY(core::read_file(path));
  const Error damaged{ErrorCode::kInput, path + " does not say which iterations rank " + std::to_string(rank) + " has",
                      "record it again", path};
  const size_t word = std::strlen(message_log::kLoopWord);
  if (bytes.compare(0, word, message_log::kLoopWord) != 0) return damaged;
  std::istringstream text(bytes.substr(word));
  PartialLog log;
  int its_rank = -1;
  size_t loops = 0, count = 0;
  text >> its_rank >> log.more_events >> log.most_apart >> loops >> count;
  uint64_t begin = 0;
  for (size_t i = 0; i < loops && text; ++i) {
    CutLoop loop;
    text >> loop.before >> loop.per_iteration >> loop.iterations >> loop.recorded >> loop.iteration_s;
    if (!text || !is_plausible(loop, begin)) return damaged;
    begin = loop.end();
    log.loops.push_back(loop);
  }
  if (!text || text.get() != '\n' || its_rank != rank || log.loops.empty() || !is_amount(log.most_apart)) {
    return damaged;
  }
  const size_t at = word + static_cast<size_t>(text.tellg());
  if (count != (bytes.size() - at) / sizeof(double) || (bytes.size() - at) % sizeof(double) != 0) return damaged;
  log.after_s.resize(count);
  if (count > 0) std::memcpy(log.after_s.data(), bytes.data() + at, count * sizeof(double));
  if (!std::all_of(log.after_s.begin(), log.after_s.end(), is_amount)) return damaged;
  return std::optional<PartialLog>(std::move(log));
}

CompletedComputations complete(const PartialLog& log, const std::vector<double>& replayed) {
  CompletedComputations completed;
  std::vector<double>& all = completed.computation_s;
  const auto take = [&](uint64_t begin, uint64_t end) {
    all.insert(all.end(), replayed.begin() + static_cast<std::ptrdiff_t>(begin),
               replayed.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const auto sum_from = [&all](size_t first) {
    return std::accumulate(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), 0.0);
  };
  double in_loops_s = 0, traced_loops_s = 0;
  for (const CutLoop& loop : log.loops) {
    const size_t begin = all.size();
    take(begin, loop.recorded_end());
    completed.replayed_s += sum_from(begin);
    in_loops_s += sum_from(loop.before);
    traced_loops_s += loop.iteration_s * static_cast<double>(loop.recorded);
    const auto apart = core::distance_of_rounds(replayed.data() + loop.before, loop.per_iteration, loop.recorded);
    if (apart) completed.apart = std::max(completed.apart.value_or(0), *apart);
    const size_t repeated = all.size();
    const uint64_t first = loop.recorded > 1 ? 1 : 0;
    for (uint64_t i = loop.recorded; i < loop.iterations; ++i) {
      const uint64_t like = loop.before + (first + (i - loop.recorded) % (loop.recorded - first)) * loop.per_iteration;
      take(like, like + loop.per_iteration);
    }
    completed.repeated_s += sum_from(repeated);
  }
  // A trace of crowded cores takes longer throughout.
  const double scale = traced_loops_s > 0 ? in_loops_s / traced_loops_s : 1;
  for (const double seconds : log.after_s) {
    all.push_back(seconds * scale);
    completed.traced_s += all.back();
  }
  return completed;
}

}  // namespace scalediag::replay
