#include "cli/answers/prediction_note.h"

#include <cmath>

#include "cli/diagnostics.h"
#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction.h"
#include "core/text/quantities.h"

namespace scalediag::cli {
namespace {

constexpr double kSame = 0.01;  // of the total

}  // namespace

void note_prediction(const std::string& folder, int ranks, const std::string& network, const OwnTotal& own) {
  const auto measured = load_measurement_input(folder);
  if (!measured || !measured.value().profile || !(own.total_s > 0)) return;
  PredictionRequest request;
  request.input = folder;
  request.at = {"np=" + std::to_string(ranks)};
  request.network = network;
  const auto findings = findings_of(measured.value(), request);
  if (!findings || findings.value().targets.empty()) return;
  const report::TargetFindings& target = findings.value().targets.front();
  if (!target.run_s || !target.computation_s) return;
  if (std::abs(target.run_s->value / own.total_s - 1) < kSame) return;
  std::string text = "`predict` takes " + core::time_text(target.run_s->value) + " for this run: computation is " +
                     predict::taken_sources(target.sources, predict::Component::kComputation);
  if (own.computation_s > 0) {
    text += ", " + core::fixed(target.computation_s->value / own.computation_s, 3) + " times " + own.whose;
  }
  text += "; communication is " + predict::taken_sources(target.sources, predict::Component::kCommunication) +
          " and waiting " + predict::taken_sources(target.sources, predict::Component::kWaiting);
  if (target.simulated && target.simulated->waiting_factor != 1) {
    text += ", times " + core::fixed(target.simulated->waiting_factor, 2) + " as at measured scales";
  }
  if (target.unattributed_s && target.unattributed_s->value > kSame * own.total_s) {
    text += "; " + core::time_text(target.unattributed_s->value) + " are in no sample";
  }
  note(text);
}

}  // namespace scalediag::cli
