#include "collector/launch/session/profile_summary.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "collector/launch/plan/profile_plan.h"
#include "core/atomic_file.h"
#include "core/profile/repeats/ended_runs.h"
#include "core/text/join.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/table.h"

namespace scalediag::launch {
namespace {

std::vector<core::ConfigurationSummary> summarize_all(const std::vector<core::Run>& runs) {
  std::vector<core::ConfigurationSummary> summaries;
  // Runs are sorted by configuration.
  for (size_t begin = 0; begin < runs.size();) {
    std::vector<const core::Run*> repeats;
    size_t end = begin;
    while (end < runs.size() && runs[end].np == runs[begin].np && runs[end].parameters == runs[begin].parameters) {
      repeats.push_back(&runs[end++]);
    }
    core::leave_out_whole_runs(repeats);
    summaries.push_back(core::summarize(repeats));
    begin = end;
  }
  return summaries;
}

}  // namespace

std::string configuration_table(const std::vector<core::Run>& runs) {
  const auto summaries = summarize_all(runs);
  if (summaries.empty()) return "";
  double largest_s = 0;
  for (const auto& summary : summaries) largest_s = std::max(largest_s, summary.total_s);
  const core::TimeFormat time(largest_s);
  const std::string unit = std::string(" [") + time.unit() + "]";
  const bool threads_wait = std::ranges::any_of(summaries, [](const auto& s) { return s.openmp_waiting_s > 0; });
  std::vector<core::TableColumn> columns = {{"configuration", 2, core::TableColumn::Align::kLeft, 1}, {"repeats"}};
  columns.push_back({(runs.front().clock == core::Clock::kCpu ? "CPU time per rank" : "total") + unit});
  columns.push_back({"computation" + unit});
  if (threads_wait) columns.push_back({"OpenMP waiting" + unit});
  const bool uses_gpu = std::ranges::any_of(summaries, [](const auto& s) { return s.gpu_s > 0; });
  if (uses_gpu) columns.push_back({"GPU calls" + unit});
  for (const char* part : {"communication", "others"}) columns.push_back({part + unit});
  columns.push_back({"varies"});
  core::Table table(columns);
  for (const auto& summary : summaries) {
    std::vector<std::string> cells = {label_of({summary.np, summary.parameters}), std::to_string(summary.runs.size()),
                                      time(summary.total_s), time(summary.computation_s)};
    if (threads_wait) cells.push_back(time(summary.openmp_waiting_s));
    if (uses_gpu) cells.push_back(time(summary.gpu_s));
    for (const double part : {summary.communication_s, summary.others_s}) cells.push_back(time(part));
    cells.push_back(summary.runs.size() > 1 ? core::percent(summary.run_cv) : "-");
    table.add_row(std::move(cells));
  }
  return table.text({});
}

std::string measurement_line(const std::vector<core::Run>& runs) {
  if (runs.empty()) return "";
  std::vector<std::string> kinds;  // with the rate that was used, which may differ from the requested one
  for (const core::Run& run : runs) {
    std::string kind = run.sampler;
    if (run.sampling_rate_hz > 0 && run.sampler != "none")
      kind += " at " + std::to_string(std::lround(run.sampling_rate_hz)) + " Hz";
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  const std::string clock = runs[0].clock == core::Clock::kCpu ? "CPU time" : "wall time";
  return "clock: " + clock + " (" + runs[0].clock_reason + "); sampler: " + core::join(kinds);
}

std::string saved_time_text(const std::vector<core::Run>& runs) {
  double all_s = 0, left_out_s = 0;
  int ended = 0;
  for (const core::Run& run : runs) {
    all_s += run.times.wall_s.mean;
    if (!run.cut) continue;
    left_out_s += run.cut->left_out_s;
    ++ended;
  }
  if (ended == 0 || !(all_s > 0)) return "";
  return core::counted(ended, "run") + " of " + std::to_string(runs.size()) + " ended after some rounds: all took " +
         core::time_text(all_s - left_out_s) + ", and would have taken " + core::time_text(all_s) + " as whole runs (" +
         core::spaced_percent(left_out_s / all_s, 0) + " saved)";
}

std::string describe_noise(const NoisyConfiguration& noisy, double target_cv) {
  std::string text = noisy.label + " varies by " + core::percent(noisy.stability.run_cv) + " over " +
                     std::to_string(noisy.repeats) + " repeats";
  const auto& kernels = noisy.stability.noisy;
  const auto worst = std::ranges::find_if(kernels, [](const auto& k) { return !k.few_samples; });
  if (worst != kernels.end()) {
    text +=
        ", its " + worst->name + " (" + core::percent(worst->share) + " of the time) by " + core::percent(worst->cv);
  }
  return text + "; the target is " + core::percent(target_cv);
}

std::vector<std::string> collect_warnings(const std::vector<core::Run>& runs) {
  std::vector<std::string> texts;
  for (const core::RunWarning& warning : core::group_warnings(runs)) {
    const std::string others =
        warning.runs.size() > 1 ? " and " + std::to_string(warning.runs.size() - 1) + " more" : "";
    texts.push_back(warning.text + " (" + warning.runs[0] + others + ")");
  }
  return texts;
}

std::string few_scales_text(const std::vector<core::Run>& runs) {
  std::set<int> scales;
  for (const core::Run& run : runs) scales.insert(run.np);
  constexpr size_t kEnough = 4;
  if (scales.size() < 2 || scales.size() >= kEnough) return "";
  return std::to_string(scales.size()) +
         " numbers of processes are few to predict others from: " + std::to_string(kEnough) +
         " or more tell hypotheses apart; the same command with more of them after -n adds them";
}

std::string last_output(const std::string& run_folder) {
  constexpr size_t kLines = 5;
  for (const char* log : {"/stderr.log", "/stdout.log"}) {
    const auto text = core::read_file(run_folder + log);
    if (!text) continue;
    std::vector<std::string> lines;
    std::istringstream input(text.value());
    bool is_launchers = false;
    for (std::string line; std::getline(input, line);) {
      const bool is_rule = line.size() > 20 && line.find_first_not_of('-') == line.npos;
      if (is_rule) is_launchers = !is_launchers;
      if (!is_rule && !is_launchers && !line.empty()) lines.push_back("  | " + core::printable(line) + "\n");
    }
    if (lines.empty()) continue;
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(std::min(kLines, lines.size())));
    return core::join(lines, "");
  }
  return "";
}

}  // namespace scalediag::launch
