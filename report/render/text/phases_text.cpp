#include "report/render/text/phases_text.h"

#include <cmath>
#include <utility>

#include "core/text/join.h"
#include "core/text/quantities.h"
#include "loggp/phases/program_phases.h"
#include "report/findings/phase_findings.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {
namespace {

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string percent(double share) { return core::fixed(100 * share, 1) + " %"; }

// Rounded down: 100 % means all.
std::string share_of_events(const loggp::ScalingModel& model, uint64_t events) {
  return core::fixed(std::floor(1e4 * model.share(events)) / 100, 2) + " %";
}

std::string summary(const loggp::ScalingModel& model) {
  return "of " + std::to_string(model.events) + " events on " + std::to_string(model.scales.back()) + " ranks, " +
         share_of_events(model, model.certain_events) + " obey one equation each, " +
         share_of_events(model, model.regular_events - model.certain_events) + " one of several that differ on " +
         std::to_string(model.target) + " ranks, " + share_of_events(model, model.events - model.regular_events) +
         " none";
}

std::vector<std::string> unseen(const loggp::ScalingModel& model) {
  std::vector<std::string> lines = loggp::unseen_positions(model);
  if (!model.geometry.empty()) lines.insert(lines.begin(), model.geometry);
  if (const std::string places = loggp::unseen_places(model); !places.empty()) lines.push_back(places);
  return lines;
}

}  // namespace

std::string phases_text(const loggp::ScalingModel& model, bool all) {
  std::vector<std::string> scales;
  for (const int ranks : model.scales) scales.push_back(std::to_string(ranks));
  std::string text = model.executable + " on " + core::join(scales) + " ranks\n" + summary(model) + "\n";
  for (const std::string& line : unseen(model)) text += line + "\n";
  if (const auto loop = loggp::main_loop_of(model)) {
    text += "main loop: " + text_by_ranks(loop->iterations) + " iterations";
    if (const auto last = loop->iteration_s.rbegin(); last != loop->iteration_s.rend()) {
      text += ", each with a computation of " + core::fixed(last->second * 1e6, 1) + " us of a rank on " +
              std::to_string(last->first);
    }
    text += "\n";
  } else {
    text += "no loop is shared by all ranks\n";
  }
  int number = 0, left_out = 0;
  double left_out_share = 0;
  for (const loggp::ProgramPhase& phase : loggp::phases_of(model)) {
    ++number;
    if (!phase.relevant && !all) {
      ++left_out;
      left_out_share += phase.share;
      continue;
    }
    text += "\nphase " + std::to_string(number) + ": weight " + text_by_ranks(phase.weight) + ", " +
            percent(phase.share) + " of the computation\n";
    for (const loggp::Slot* slot : phase.slots) {
      text += "  " + loggp::text_of(*slot, model.equations.at(slot->id)) + "\n";
    }
    for (const auto* reasons : {&phase.loop_why_not, &phase.why_not}) {
      for (const std::string& why : *reasons) text += "  not regular: " + why + "\n";
    }
    for (const auto* reasons : {&phase.loop_open, &phase.open}) {
      for (const std::string& open : *reasons) text += "  left open: " + open + "\n";
    }
  }
  if (left_out > 0) {
    text += "\n" + std::to_string(left_out) + " shorter phases with " + percent(left_out_share) +
            " of the computation are not shown (--all shows them)\n";
  }
  return text;
}

nlohmann::ordered_json phases_json(const loggp::ScalingModel& model) {
  nlohmann::ordered_json document = {{"schema", "scalediag-phases/1"},
                                     {"ranks", model.scales},
                                     {"target", model.target},
                                     {"events", model.events},
                                     {"regular_events", model.regular_events},
                                     {"certain_events", model.certain_events},
                                     {"unseen_positions", unseen(model)},
                                     {"main_loop", nullptr},
                                     {"phases", nlohmann::ordered_json::array()}};
  if (const auto loop = loggp::main_loop_of(model)) {
    document["main_loop"] = {{"iterations", json_of(loop->iterations)}, {"time_s", json_of(loop->iteration_s)}};
  }
  int number = 0;
  for (const loggp::ProgramPhase& phase : loggp::phases_of(model)) {
    nlohmann::ordered_json operations = nlohmann::ordered_json::array();
    for (const loggp::Slot* slot : phase.slots) {
      operations.push_back(loggp::text_of(*slot, model.equations.at(slot->id)));
    }
    document["phases"].push_back({{"id", ++number},
                                  {"weight", json_of(phase.weight)},
                                  {"share", phase.share},
                                  {"relevant", phase.relevant},
                                  {"regular", phase.is_regular()},
                                  {"why_not", joined(phase.loop_why_not, phase.why_not)},
                                  {"open", joined(phase.loop_open, phase.open)},
                                  {"operations", operations}});
  }
  return document;
}

std::vector<std::string> uncertainty_lines(const loggp::ScalingModel& model) {
  std::vector<std::string> lines = {summary(model)};
  if (model.certain_events < model.events) {
    lines.push_back(
        "not every event obeys one equation, so that this trace may be another one than the program's, and a time that "
        "is "
        "simulated from it has an unknown error" +
        std::string(2 * model.regular_events >= model.events ? "; recording more numbers of ranks helps" : ""));
  }
  for (std::string& line : unseen(model)) lines.push_back(std::move(line));
  for (const loggp::Uncertainty& it : loggp::uncertainties_of(model)) {
    lines.push_back((it.is_irregular ? "not regular, " : "left open, ") + share_of_events(model, it.events) +
                    " of the events: " + it.text);
  }
  return lines;
}

}  // namespace scalediag::report
