#include "report/render/text/simulate_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text/join.h"
#include "core/text/quantities.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {
namespace {

// Of what a run takes longer: an operation's that is printed, and one that no operation has.
constexpr double kLeastShare = 0.0005, kLeastRest = 0.005;

nlohmann::ordered_json tolerance_json(const std::string& parameter, const loggp::Tolerance& tolerance) {
  nlohmann::ordered_json json = {{"parameter", parameter},
                                 {"limits", nlohmann::ordered_json::array()},
                                 {"bends", tolerance.bends},
                                 {"error", tolerance.error},
                                 {"simulations", tolerance.simulations}};
  for (const auto& [longer, factor, shares] : tolerance.limits) {
    nlohmann::ordered_json& limit = json["limits"].emplace_back();
    limit["longer"] = longer;
    limit["factor"] = factor ? nlohmann::ordered_json(*factor) : nlohmann::ordered_json();
    if (factor) limit["shares"] = shares;
  }
  json["alone"] = tolerance.alone;
  return json;
}

nlohmann::ordered_json computation_json(const predict::ScaledComputation& computation) {
  return {{"mean_s", json_of(computation.mean_s)},
          {"predicted_s", json_of(computation.predicted_s)},
          {"widened", computation.is_outside},
          {"from", computation.scales},
          {"check_error", json_of(computation.check_error)},
          {"points", computation.points},
          {"cache_known", computation.knows_caches()}};
}

std::string factor_text(double factor) { return core::fixed(factor, factor < 10 ? 3 : 1); }

// A row for each operation, those that make the run longest first.
std::string tolerance_shares_text(const std::string& parameter, const loggp::Tolerance& tolerance,
                                  const core::TableStyle& style) {
  std::vector<core::TableColumn> columns = {{parameter + ": of these", 0, core::TableColumn::Align::kLeft}};
  std::map<std::string, double> largest;
  for (const auto& [longer, factor, shares] : tolerance.limits) {
    columns.push_back({core::percent(longer)});
    for (const auto& [operation, share] : shares) largest[operation] = std::max(largest[operation], share);
  }
  columns.push_back({"alone at least"});
  std::erase_if(largest, [](const auto& item) { return item.second < kLeastShare; });
  if (largest.empty()) return "";
  std::vector<std::pair<double, std::string>> rows;
  for (const auto& [operation, share] : largest) rows.emplace_back(-share, operation);
  std::sort(rows.begin(), rows.end());
  core::Table table(columns);
  std::vector<std::string> rest = {"not on the path"};
  bool is_whole = true;
  for (const auto& [share, operation] : rows) {
    std::vector<std::string> row = {operation};
    for (const auto& [longer, factor, shares] : tolerance.limits) {
      const auto found = shares.find(operation);
      row.push_back(!factor ? "-" : core::percent(found == shares.end() ? 0 : found->second));
    }
    const auto alone = tolerance.alone.find(operation);
    const double alone_share = alone == tolerance.alone.end() ? 0 : alone->second;
    row.push_back(tolerance.limits.back().factor ? core::percent(alone_share) : "-");
    table.add_row(row);
  }
  for (const auto& [longer, factor, shares] : tolerance.limits) {
    double left = 1;
    for (const auto& [operation, share] : shares) left -= share;
    if (factor && std::fabs(left) > kLeastRest) is_whole = false;
    rest.push_back(factor ? core::percent(left) : "-");
  }
  rest.emplace_back();
  if (!is_whole) table.add_row(rest);
  return "\n" + table.text(style);
}

std::string tolerance_text(const std::vector<std::pair<std::string, loggp::Tolerance>>& tolerances,
                           const core::TableStyle& style) {
  std::vector<core::TableColumn> columns = {{"run time longer by", 0, core::TableColumn::Align::kLeft}};
  for (const auto& [longer, factor, shares] : tolerances.front().second.limits)
    columns.push_back({core::percent(longer)});
  columns.push_back({"critical path changes near", 2, core::TableColumn::Align::kLeft});
  core::Table table(columns);
  for (const auto& [parameter, tolerance] : tolerances) {
    std::vector<std::string> row = {parameter + (parameter == "bandwidth" ? " divided by" : " times")};
    for (const auto& [longer, factor, shares] : tolerance.limits) {
      row.push_back(factor ? factor_text(*factor) : "> " + core::fixed(loggp::kMostFactor, 0));
    }
    std::vector<std::string> bends;
    for (const double bend : tolerance.bends) bends.push_back(core::fixed(bend, bend < 10 ? 2 : 1));
    row.push_back(core::join(bends));
    table.add_row(row);
  }
  std::string text = table.text(style);
  for (const auto& [parameter, tolerance] : tolerances) {
    if (tolerance.error == 0) continue;
    text += parameter + ": the run time jumps at one of these; it is up to " + core::percent(tolerance.error) +
            " of the run time away from what was looked for\n";
  }
  for (const auto& [parameter, tolerance] : tolerances) text += tolerance_shares_text(parameter, tolerance, style);
  return text;
}

std::string replayed_text(const SimulationOutcome& outcome, const core::TimeFormat& time) {
  const loggp::ReplayedShare& replayed = *outcome.replayed;
  std::string text = "computation: of " + std::to_string(replayed.replayed) + " of " +
                     core::counted(replayed.ranks, "rank") + ", replayed " +
                     (replayed.repeats > 1 ? std::to_string(replayed.repeats) + " times (error of the medians " +
                                                 core::spaced_percent(replayed.error) + ")"
                                           : "once, so that noise is not known (replay --repeat)");
  if (replayed.replayed < replayed.ranks) {
    text += "; others are " +
            (replayed.apart ? "up to " + core::spaced_percent(*replayed.apart) + " beyond noise"
                            : std::string("apart by what is not known")) +
            " from the one that stands for them";
  }
  if (outcome.total_s) {
    text +=
        "\nwith these errors: " + time(outcome.total_s->low) + " - " + time(outcome.total_s->high) + " " + time.unit();
  }
  return text + "\n";
}

// "rank - 4, along the side of 2": the neighbour that a direction's messages come from.
std::string neighbour_text(const loggp::GridTraffic& traffic, const loggp::GridDirection& direction) {
  int distance = 1;
  for (int side = 0; side < direction.side; ++side) distance *= traffic.grid.sides[static_cast<size_t>(side)];
  return std::string("rank ") + (direction.step < 0 ? "- " : "+ ") + std::to_string(distance) + ", along the side of " +
         std::to_string(traffic.grid.sides[static_cast<size_t>(direction.side)]);
}

std::string directions_text(const SimulationOutcome& outcome, const core::TableStyle& style) {
  const loggp::GridTraffic& own = *outcome.directions;
  const double idle_s = own.idle_s();
  const core::TimeFormat time(idle_s);
  core::Table table({{"waited for", 0, core::TableColumn::Align::kLeft},
                     {std::string(time.unit())},
                     {"share"},
                     {"messages"},
                     {"bytes"}});
  const auto add = [&](const std::string& who, const loggp::GridDirection& d) {
    table.add_row({who, time(d.idle_s), core::percent(idle_s > 0 ? d.idle_s / idle_s : 0), core::count_text(d.messages),
                   core::bytes_text(d.bytes)});
  };
  for (const loggp::GridDirection& direction : own.directions) add(neighbour_text(own, direction), direction);
  if (own.others.messages > 0) add("other ranks", own.others);
  std::string text =
      "the ranks form a grid of " + loggp::text_of(own.grid) + "; all of them wait " + time(idle_s) + " " +
      time.unit() + " for messages to be sent" +
      (idle_s > 0 && !own.directions.empty() ? ", longest for " + neighbour_text(own, own.directions.front()) : "") +
      "\n" + table.text(style);
  if (!outcome.grids.empty()) {
    const core::TimeFormat total(outcome.grids.back().total_s);
    core::Table grids({{"grid", 0, core::TableColumn::Align::kLeft},
                       {std::string(total.unit())},
                       {"waiting"},
                       {"messages"},
                       {"bytes"}});
    for (const loggp::GridTraffic& grid : outcome.grids) {
      const double all_s = grid.total_s * grid.ranks;
      grids.add_row({loggp::text_of(grid.grid) + (grid.grid.sides == own.grid.sides ? " *" : ""), total(grid.total_s),
                     core::percent(all_s > 0 ? grid.idle_s() / all_s : 0), core::count_text(grid.messages()),
                     core::bytes_text(grid.bytes())});
    }
    text += "\nthe same program in other grids, by its equations, the fastest first (*: its own)\n" + grids.text(style);
  }
  for (const std::string& reason : outcome.without_grids) text += reason + "\n";
  return text;
}

nlohmann::ordered_json grid_json(const loggp::GridTraffic& traffic) {
  nlohmann::ordered_json json = {{"sides", nlohmann::ordered_json::array()},
                                 {"total_s", traffic.total_s},
                                 {"idle_s", traffic.idle_s()},
                                 {"messages", traffic.messages()},
                                 {"bytes", traffic.bytes()},
                                 {"directions", nlohmann::ordered_json::array()}};
  for (int side = 0; side < traffic.grid.dimensions; ++side) {
    json["sides"].push_back(traffic.grid.sides[static_cast<size_t>(side)]);
  }
  for (const loggp::GridDirection& d : traffic.directions) {
    json["directions"].push_back(
        {{"side", d.side}, {"step", d.step}, {"idle_s", d.idle_s}, {"messages", d.messages}, {"bytes", d.bytes}});
  }
  return json;
}

}  // namespace

nlohmann::ordered_json simulation_json(const SimulationOutcome& outcome) {
  const loggp::Simulation& s = outcome.simulation;
  nlohmann::ordered_json document = {{"schema", "scalediag-simulate/1"},
                                     {"total_s", s.total_s},
                                     {"events", s.n_events},
                                     {"messages", s.n_messages},
                                     {"truncated_messages", s.n_truncated},
                                     {"elapsed_s", outcome.elapsed_s},
                                     {"peak_memory_bytes", outcome.peak_memory_bytes}};
  if (outcome.ideal_s) document["ideal_network_s"] = *outcome.ideal_s;
  if (!outcome.doubts.empty()) document["doubts"] = outcome.doubts;
  if (outcome.rounds > 0) document["rounds"] = outcome.rounds;
  if (outcome.cpu_factor != 1) document["cpu_factor"] = outcome.cpu_factor;
  if (outcome.recorded_s > 0) document["recorded_s"] = outcome.recorded_s;
  if (outcome.blocks) document["blocks"] = applied_blocks_json(*outcome.blocks);
  if (const auto& computation = outcome.computation) {
    document["computation"] = computation_json(*computation);
    document["total_interval_s"] = json_of(outcome.total_s);
  }
  if (const auto& replayed = outcome.replayed) {
    document["replayed"] = {{"ranks", replayed->replayed},
                            {"repeats", replayed->repeats},
                            {"error", replayed->repeats > 1 ? nlohmann::ordered_json(replayed->error) : nullptr},
                            {"apart", json_of(replayed->apart)}};
    document["total_interval_s"] = json_of(outcome.total_s);
  }
  if (const auto& e = outcome.efficiencies) {
    document["efficiencies"] = {{"parallel", e->parallel()},
                                {"load_balance", e->load_balance},
                                {"communication", e->communication()},
                                {"serialisation", e->serialisation},
                                {"transfer", e->transfer}};
  }
  nlohmann::ordered_json& path = document["critical_path"] = nlohmann::ordered_json::array();
  for (const loggp::PathPart& part : outcome.path) {
    path.push_back({{"name", part.name}, {"kind", loggp::kind_of(part)}, {"seconds", part.seconds}});
  }
  nlohmann::ordered_json& what_ifs = document["what_ifs"] = nlohmann::ordered_json::array();
  for (const auto& [text, total_s] : outcome.what_ifs) what_ifs.push_back({{"what_if", text}, {"total_s", total_s}});
  if (!outcome.tolerances.empty()) {
    nlohmann::ordered_json& tolerances = document["tolerances"] = nlohmann::ordered_json::array();
    for (const auto& [parameter, tolerance] : outcome.tolerances) {
      tolerances.push_back(tolerance_json(parameter, tolerance));
    }
  }
  nlohmann::ordered_json& ranks = document["ranks"] = nlohmann::ordered_json::array();
  for (size_t r = 0; r < s.ranks.size(); ++r) {
    const loggp::RankTimes& t = s.ranks[r];
    ranks.push_back({{"rank", r},
                     {"end_s", t.end_s},
                     {"computation_s", t.computation_s},
                     {"device_wait_s", t.device_wait_s},
                     {"transfer_s", t.transfer_s},
                     {"waiting_s", t.waiting_s()},
                     {"late_sender_s", t.late_sender_s},
                     {"late_receiver_s", t.late_receiver_s},
                     {"collective_wait_s", t.collective_wait_s},
                     {"lock_wait_s", t.lock_wait_s}});
  }
  if (!outcome.algorithms.empty()) document["algorithms"] = outcome.algorithms;
  if (outcome.directions) {
    document["grid"] = grid_json(*outcome.directions);
    document["grids"] = nlohmann::ordered_json::array();
    for (const loggp::GridTraffic& grid : outcome.grids) document["grids"].push_back(grid_json(grid));
    document["grids_left_out"] = outcome.without_grids;
  }
  return document;
}

std::string simulation_text(const SimulationOutcome& outcome, size_t top, const core::TableStyle& style) {
  const loggp::Simulation& s = outcome.simulation;
  const core::TimeFormat time(s.total_s);
  std::string text = core::join(outcome.doubts, "\n") + (outcome.doubts.empty() ? "" : "\n\n");
  text += "predicted time: " + time(s.total_s) + " " + time.unit() + ", " + std::to_string(s.ranks.size()) +
          (s.ranks.size() == 1 ? " rank, " : " ranks, ") + core::count_text(static_cast<double>(s.n_messages)) +
          " messages\n";
  if (outcome.cpu_factor != 1) {
    text += "computation takes " + core::fixed(outcome.cpu_factor, 3) + " times as long as where it was measured\n";
  }
  if (outcome.recorded_s > 0) text += "recorded in " + time(outcome.recorded_s) + " " + time.unit() + "\n";
  if (outcome.blocks) text += applied_blocks_text(*outcome.blocks);
  if (outcome.replayed) text += replayed_text(outcome, time);
  if (const auto& computation = outcome.computation) {
    text += (outcome.total_s ? "with the ends of the computation's interval: " + time(outcome.total_s->low) + " - " +
                                   time(outcome.total_s->high) + " " + time.unit()
                             : "the simulation took too long to be repeated with the ends of the computation's "
                               "interval") +
            "\n" + text_of(*computation) + "\n";
  }
  text += "\n";
  loggp::RankTimes mean;
  loggp::RankTimes largest;
  const auto n = static_cast<double>(std::max<size_t>(1, s.ranks.size()));
  using Part = double loggp::RankTimes::*;
  constexpr std::pair<const char*, Part> kParts[] = {{"computation", &loggp::RankTimes::computation_s},
                                                     {"waiting for the device", &loggp::RankTimes::device_wait_s},
                                                     {"transfer", &loggp::RankTimes::transfer_s},
                                                     {"late sender", &loggp::RankTimes::late_sender_s},
                                                     {"late receiver", &loggp::RankTimes::late_receiver_s},
                                                     {"wait at collective", &loggp::RankTimes::collective_wait_s},
                                                     {"lock held", &loggp::RankTimes::lock_wait_s}};
  for (const loggp::RankTimes& t : s.ranks) {
    for (const auto& [name, part] : kParts) {
      mean.*part += t.*part / n;
      largest.*part = std::max(largest.*part, t.*part);
    }
  }
  core::TableColumn name{"ranks spend", 0, core::TableColumn::Align::kLeft};
  core::Table ranks({name, {std::string("mean ") + time.unit()}, {std::string("max ") + time.unit()}, {"mean/time"}});
  for (const auto& [title, part] : kParts) {
    // Few programs have a device, or locks.
    const bool is_rare = part == &loggp::RankTimes::device_wait_s || part == &loggp::RankTimes::lock_wait_s;
    if (is_rare && largest.*part == 0) continue;
    ranks.add_row(
        {title, time(mean.*part), time(largest.*part), core::percent(s.total_s > 0 ? mean.*part / s.total_s : 0)});
  }
  text += ranks.text(style) + "\n";
  name.title = "critical path";
  core::Table path({name, {"", 2, core::TableColumn::Align::kLeft}, {time.unit()}, {"share"}});
  for (size_t i = 0; i < outcome.path.size() && (top == 0 || i < top); ++i) {
    const loggp::PathPart& part = outcome.path[i];
    path.add_row({part.name, loggp::kind_of(part), time(part.seconds),
                  core::percent(s.total_s > 0 ? part.seconds / s.total_s : 0)});
  }
  if (!outcome.path.empty()) text += path.text(style) + "\n";
  if (const auto& e = outcome.efficiencies) {
    text += "parallel efficiency " + core::percent(e->parallel()) + " = load balance " +
            core::percent(e->load_balance) + " x serialisation " + core::percent(e->serialisation) + " x transfer " +
            core::percent(e->transfer) + "\n";
  }
  for (const auto& [what_if, total_s] : outcome.what_ifs) {
    text += "what if " + what_if + ": " + time(total_s) + " " + time.unit() + " (" +
            core::percent(s.total_s > 0 ? total_s / s.total_s - 1 : 0) + ")\n";
  }
  if (!outcome.tolerances.empty()) text += "\n" + tolerance_text(outcome.tolerances, style);
  if (outcome.directions) text += "\n" + directions_text(outcome, style);
  if (!outcome.algorithms.empty()) text += "\n";
  for (const std::string& algorithm : outcome.algorithms) text += algorithm + "\n";
  return text;
}

}  // namespace scalediag::report
