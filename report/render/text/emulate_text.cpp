#include "report/render/text/emulate_text.h"

#include <algorithm>
#include <span>

#include "core/statistics.h"
#include "core/text/join.h"
#include "core/text/quantities.h"

namespace scalediag::report {
namespace {

std::string order_text(const EmulationOutcome& outcome) {
  std::string text;
  if (outcome.by_network > 0) {
    text +=
        core::count_text(static_cast<double>(outcome.by_network)) +
        " receives from any rank took the message that comes first on the network" +
        (outcome.not_waited_for > 0 ? "; for " + core::count_text(static_cast<double>(outcome.not_waited_for)) +
                                          " of them ranks that polled or waited could still have sent an earlier one\n"
                                    : "\n");
  }
  if (outcome.by_this_machine > 0) {
    text += core::count_text(static_cast<double>(outcome.by_this_machine)) +
            " results of probes, tests, waits for some requests or receives from any rank are those of this machine: "
            "on the network other messages may be first, and the program may do something else\n";
  }
  return text;
}

// Of the ranks' own time, what they waited for files, locks or other processes is in no emulated time.
double not_emulated_share(const EmulationOutcome& outcome) {
  double blocked_s = 0, own_s = 0;  // here; sleep is as long on any processor
  for (size_t r = 0; r < outcome.sleep.size(); ++r) {
    const core::EmulatedSleep& sleep = outcome.sleep[r];
    blocked_s += sleep.blocked_s;
    own_s += sleep.told_s +
             (outcome.simulation.simulation.ranks[r].computation_s - sleep.told_s) / outcome.simulation.cpu_factor;
  }
  return blocked_s > 0 ? blocked_s / (blocked_s + own_s) : 0;
}

std::string sleep_text(const std::vector<core::EmulatedSleep>& sleep) {
  // "3 s (rank 7)"; empty where no rank slept.
  const auto longest = [&](double core::EmulatedSleep::*part) -> std::string {
    const auto at =
        std::max_element(sleep.begin(), sleep.end(), [&](const auto& a, const auto& b) { return a.*part < b.*part; });
    if (at == sleep.end() || (*at).*part <= 0) return "";
    return core::time_text((*at).*part) + " (rank " + std::to_string(at - sleep.begin()) + ")";
  };
  std::string text;
  if (const std::string told = longest(&core::EmulatedSleep::told_s); !told.empty()) {
    text += "ranks slept up to " + told + ": that is in their computation, since it passes on the target as well\n";
  }
  if (const std::string waited = longest(&core::EmulatedSleep::waited_s); !waited.empty()) {
    text += "ranks slept up to " + waited +
            " between tests that found nothing: that is not counted, since the network says when they find something\n";
  }
  return text;
}

std::string missing_region_text(const std::string& name, const std::vector<std::string>& marked) {
  constexpr size_t kShown = 20;
  const std::string missing = "no rank has left the region " + name;
  if (marked.empty()) return missing + ": the program marked no region (docs/regions.md)\n";
  if (std::find(marked.begin(), marked.end(), name) != marked.end()) return missing + ", which was entered\n";
  return missing + ": the program marked " + core::join(std::span(marked).first(std::min(marked.size(), kShown))) +
         (marked.size() > kShown ? ", ...\n" : "\n");
}

std::string region_text(const EmulationOutcome& outcome) {
  const auto& [times, ranks, begin_s, end_s] = outcome.part;
  if (outcome.region.empty()) return "";
  if (ranks == 0) return missing_region_text(outcome.region, outcome.marked);
  const core::TimeFormat format(end_s);
  return "region " + outcome.region + ": " + format(end_s - begin_s) + " " + format.unit() +
         " of the predicted time, from " + format(begin_s) + " to " + format(end_s) + " " + format.unit() + " (" +
         std::to_string(ranks) + " ranks, up to " + core::count_text(static_cast<double>(times)) + " times each)\n";
}

std::string repeats_text(const std::vector<double>& totals_s) {
  if (totals_s.size() < 2) return "";
  const auto [least, most] = std::minmax_element(totals_s.begin(), totals_s.end());
  const core::TimeFormat format(*most);
  return std::to_string(totals_s.size()) + " emulations: predicted time " + format(core::mean(totals_s)) + " " +
         format.unit() + " on average, from " + format(*least) + " to " + format(*most) + " " + format.unit() +
         ", standard deviation " + core::fixed(100 * core::coefficient_of_variation(totals_s), 1) +
         " %; all else is of the last one\n";
}

}  // namespace

nlohmann::ordered_json emulation_json(const EmulationOutcome& outcome) {
  nlohmann::ordered_json json = simulation_json(outcome.simulation);
  json["schema"] = "scalediag-emulate/1";
  json["order"] = {{"by_network", outcome.by_network},
                   {"not_waited_for", outcome.not_waited_for},
                   {"by_this_machine", outcome.by_this_machine}};
  json["repeats"] = {{"total_s", outcome.totals_s}};
  json["not_emulated_share"] = not_emulated_share(outcome);
  if (!outcome.region.empty()) {
    const auto& [times, ranks, begin_s, end_s] = outcome.part;
    json["region"] = {{"name", outcome.region}, {"marked", outcome.marked}, {"times", times},
                      {"ranks", ranks},         {"begin_s", begin_s},       {"end_s", end_s}};
  }
  for (size_t r = 0; r < outcome.sleep.size(); ++r) {
    nlohmann::ordered_json& rank = json["ranks"][r];
    rank["slept_s"] = outcome.sleep[r].told_s;
    rank["slept_in_waits_s"] = outcome.sleep[r].waited_s;
    rank["not_emulated_s"] = outcome.sleep[r].blocked_s;
  }
  return json;
}

std::string emulation_text(const EmulationOutcome& outcome, size_t top, const core::TableStyle& style) {
  return simulation_text(outcome.simulation, top, style) + "\nran here in " +
         core::fixed(outcome.simulation.elapsed_s, 2) + " s, which is not predicted\n" +
         repeats_text(outcome.totals_s) + region_text(outcome) + sleep_text(outcome.sleep) + order_text(outcome);
}

std::string not_emulated_text(const EmulationOutcome& outcome) {
  // A busy system holds up a short run for a large share, too: it is told from both on.
  constexpr double kTolerable = 0.1, kTolerable_s = 0.05;
  double longest_s = 0;
  for (const core::EmulatedSleep& sleep : outcome.sleep) longest_s = std::max(longest_s, sleep.blocked_s);
  const double share = not_emulated_share(outcome);
  if (share <= kTolerable || longest_s <= kTolerable_s) return "";
  return core::fixed(100 * share, 0) +
         " % of the ranks' time outside of MPI was no CPU time: they waited for files, locks or other processes, up "
         "to " +
         core::time_text(longest_s) + " a rank, which is left out of the emulated time";
}

}  // namespace scalediag::report
