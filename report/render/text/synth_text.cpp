#include "report/render/text/synth_text.h"

#include <algorithm>

#include "core/text/numbers.h"
#include "core/text/quantities.h"

namespace scalediag::report {
namespace {

constexpr double kHour_s = 3600;

std::string against(double value, double from) { return from > 0 ? core::signed_percent(value / from - 1) : "-"; }

// The part of a run in which a rank computes, in the mean.
double parallel_efficiency(const SynthOutcome& o) { return o.total_s() > 0 ? o.computation_s / o.total_s() : 0; }

std::string targets_text(const std::vector<SynthOutcome>& outcomes, const core::TableStyle& style) {
  double longest_s = 0;
  for (const SynthOutcome& o : outcomes) longest_s = std::max(longest_s, o.total_s());
  const core::TimeFormat time(longest_s);
  core::Table table({{"ranks"},
                     {"predicted " + std::string(time.unit())},
                     {"simulated"},
                     {"efficiency"},
                     {"processes"},
                     {"core-hours"},
                     {"of a run"}});
  std::string disturbed;
  for (const SynthOutcome& o : outcomes) {
    table.add_row({std::to_string(o.ranks) + (o.disturbed.empty() ? "" : " !"), time(o.total_s()),
                   against(o.simulated_s(), o.total_s()), core::percent(parallel_efficiency(o)),
                   std::to_string(o.processes), core::four_digits(core_hours(o.processes, o.took_s)),
                   core::four_digits(core_hours(o.ranks, o.total_s()))});
    if (!o.disturbed.empty()) disturbed = "!: disturbed, predictions leave it out\n";
  }
  return table.text(style) + disturbed +
         "efficiency: the part of a run in which a rank computes, in the mean; core-hours: of measuring\n";
}

std::string one_text(const SynthOutcome& o, const core::TableStyle& style) {
  const core::TimeFormat time(o.total_s());
  core::Table table({{"phase"},
                     {"weight"},
                     {"one round " + std::string(time.unit())},
                     {"all " + std::string(time.unit())},
                     {"share"},
                     {"simulated"},
                     {"slowest"},
                     {"routines", 2, core::TableColumn::Align::kLeft, 1}});
  int number = 0;
  for (const loggp::PhaseResult& p : o.result.phases) {
    const double all_s = p.weight * p.time_s;
    table.add_row({std::to_string(++number), core::four_digits(p.weight), time(p.time_s), time(all_s),
                   core::percent(o.total_s() > 0 ? all_s / o.total_s() : 0), against(p.simulated_s, p.time_s),
                   "rank " + std::to_string(p.slowest), p.routines});
  }
  std::string text = "predicted: " + time(o.total_s()) + " " + time.unit() + " on " + core::counted(o.ranks, "rank");
  if (o.connections_s > 0) {
    text += ", of which " + time(o.connections_s) + " " + time.unit() + " for making connections, as simulated";
  }
  text += "\nsimulated: " + time(o.simulated_s()) + " " + time.unit() + " (" + against(o.simulated_s(), o.total_s()) +
          "); by the same phases " + time(o.result.simulated_s + o.connections_s) + " " + time.unit() + "\n\n" +
          table.text(style) + "\n";
  text += "measured on " + std::to_string(o.processes) + " processes: at most " +
          core::counted(o.measured_at_once, "rank") + " at a time, and " + core::counted(o.black_holes, "black hole") +
          "; " + core::counted(o.ranges, "set") + " of ranks, so that each message was measured" +
          (o.groups > 0 ? " once among ranks that communicate alike (" + core::counted(o.groups, "group") + " of " +
                              core::counted(o.ranks, "rank") + ")"
                        : "") +
          "\n";
  const core::TimeFormat late(o.result.most_late_s);
  if (o.black_holes > 0) {
    text += "black holes sent later than was due by " + late(o.result.late_s) + " " + late.unit() +
            " in the mean, by " + late(o.result.most_late_s) + " " + late.unit() + " at most\n";
  }
  text += "core-hours: " + core::four_digits(core_hours(o.processes, o.took_s)) + " for measuring (" +
          std::to_string(o.processes) + " x " + core::four_digits(o.took_s) + " s), " +
          core::four_digits(core_hours(o.ranks, o.total_s())) + " for a run (" + std::to_string(o.ranks) + " x " +
          core::four_digits(o.total_s()) + " s)\n";
  return text;
}

nlohmann::ordered_json one_json(const SynthOutcome& o) {
  nlohmann::ordered_json json;
  json["schema"] = "scalediag-synth/1";
  json["ranks"] = o.ranks;
  json["total_s"] = o.total_s();
  json["phases_s"] = o.result.total_s;
  json["connections_s"] = o.connections_s;
  json["simulated_s"] = o.simulated_s();
  json["simulated_by_phases_s"] = o.result.simulated_s + o.connections_s;
  auto& phases = json["phases"] = nlohmann::ordered_json::array();
  for (const loggp::PhaseResult& p : o.result.phases) {
    phases.push_back({{"routines", p.routines},
                      {"weight", p.weight},
                      {"time_s", p.time_s},
                      {"simulated_s", p.simulated_s},
                      {"slowest", p.slowest},
                      {"measured_ranks", p.measured}});
  }
  json["processes"] = o.processes;
  json["measured_at_once"] = o.measured_at_once;
  json["black_holes"] = o.black_holes;
  json["measurements"] = o.ranges;
  json["groups"] = o.groups;
  json["late_s"] = {{"mean", o.result.late_s}, {"max", o.result.most_late_s}};
  json["elapsed_s"] = o.took_s;
  json["core_hours"] = core_hours(o.processes, o.took_s);
  json["core_hours_of_run"] = core_hours(o.ranks, o.total_s());
  json["parallel_efficiency"] = parallel_efficiency(o);
  json["disturbed"] = o.disturbed;
  return json;
}

}  // namespace

double core_hours(int cores, double seconds) { return cores * seconds / kHour_s; }

std::string synth_text(const std::vector<SynthOutcome>& outcomes, const core::TableStyle& style) {
  return outcomes.size() == 1 ? one_text(outcomes.front(), style) : targets_text(outcomes, style);
}

nlohmann::ordered_json synth_json(const std::vector<SynthOutcome>& outcomes) {
  if (outcomes.size() == 1) return one_json(outcomes.front());
  nlohmann::ordered_json json = {{"schema", "scalediag-synth-targets/1"}};
  for (const SynthOutcome& o : outcomes) json["targets"].push_back(one_json(o));
  return json;
}

}  // namespace scalediag::report
