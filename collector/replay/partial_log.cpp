#include "collector/replay/partial_log.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "core/atomic_file.h"
#include "core/raw/message_log.h"
#include "core/text/formatted.h"

namespace scalediag::replay {

Status write_partial_log(const std::string& path, int rank, const PartialLog& log) {
  const std::string line = core::formatted(
      "%s%d %llu %llu %llu %llu %.9g %.9g %zu\n", message_log::kLoopWord, rank,
      static_cast<unsigned long long>(log.events()), static_cast<unsigned long long>(log.before),
      static_cast<unsigned long long>(log.per_iteration), static_cast<unsigned long long>(log.iterations),
      log.iteration_s, log.most_apart, log.after_s.size());
  std::string text = line;
  if (!log.after_s.empty()) {
    text.append(reinterpret_cast<const char*>(log.after_s.data()), log.after_s.size() * sizeof(double));
  }
  return core::write_file_atomically(path, text);
}

Result<std::optional<PartialLog>> read_partial_log(const std::string& path, int rank) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return std::optional<PartialLog>();
  const std::string bytes = TRY(core::read_file(path));
  const size_t line = bytes.find('\n');
  PartialLog log;
  int its_rank = -1;
  unsigned long long events = 0, before = 0, per_iteration = 0, iterations = 0;
  size_t count = 0;
  const std::string format = std::string(message_log::kLoopWord) + "%d %llu %llu %llu %llu %lg %lg %zu";
  if (line == bytes.npos ||
      std::sscanf(bytes.substr(0, line).c_str(), format.c_str(), &its_rank, &events, &before, &per_iteration,
                  &iterations, &log.iteration_s, &log.most_apart, &count) != 8 ||
      its_rank != rank || per_iteration == 0 || events <= before || (events - before) % per_iteration != 0 ||
      (events - before) / per_iteration > iterations || count == 0 || count > bytes.size() ||
      bytes.size() - line - 1 != count * sizeof(double)) {
    return Error{ErrorCode::kInput, path + " does not say where the loop of rank " + std::to_string(rank) + " is",
                 "record it again", path};
  }
  log.before = before;
  log.per_iteration = per_iteration;
  log.iterations = iterations;
  log.recorded = (events - before) / per_iteration;
  log.after_s.resize(count);
  std::memcpy(log.after_s.data(), bytes.data() + line + 1, count * sizeof(double));
  return std::optional<PartialLog>(std::move(log));
}

CompletedComputations complete(const PartialLog& log, std::vector<double> replayed) {
  CompletedComputations completed;
  std::vector<double>& all = completed.computation_s;
  all = std::move(replayed);
  all.resize(log.events());
  const auto sum_from = [&all](uint64_t first) {
    return std::accumulate(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), 0.0);
  };
  completed.replayed_s = sum_from(0);
  const double loop_s = sum_from(log.before);
  for (uint64_t i = log.before + log.per_iteration; i < log.events(); ++i) {
    completed.apart += std::abs(all[i] - all[i - log.per_iteration]);
  }
  if (log.recorded > 1 && loop_s > 0) {
    completed.apart *= static_cast<double>(log.recorded) / static_cast<double>(log.recorded - 1) / loop_s;
  }
  const uint64_t first = log.recorded > 1 ? 1 : 0;
  for (uint64_t i = log.recorded; i < log.iterations; ++i) {
    const uint64_t like = first + (i - log.recorded) % (log.recorded - first);
    for (uint64_t k = 0; k < log.per_iteration; ++k) all.push_back(all[log.before + like * log.per_iteration + k]);
  }
  completed.repeated_s = sum_from(log.events());
  const uint64_t loop_end = all.size();
  // A trace of crowded cores takes longer throughout.
  const double traced_s = log.iteration_s * static_cast<double>(log.recorded);
  const double scale = traced_s > 0 ? loop_s / traced_s : 1;
  for (const double seconds : log.after_s) all.push_back(seconds * scale);
  completed.traced_s = sum_from(loop_end);
  return completed;
}

}  // namespace scalediag::replay
