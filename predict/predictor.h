// Predictions of a program from all that is known of it.
//
// Computation: ranks that were replayed at the target, else measurable points, else runs of the target itself are taken
// as they are. Otherwise curves and the scaled trace are weighed by what they missed at measured scales (backtest.h).
//
// Communication: the simulation of the trace with that computation, where there are a trace and a network, or else the
// cost of calls and bytes. An operation's calls, bytes and time are from the same source. Where the target was measured
// with a core for each rank, on the network that is asked for, it is what was measured.
//
// Waiting: that simulation, since the operations' simulated times have their waits in them, times what scaled traces
// had too little of it at measured scales (waiting_factor()). Otherwise the simulations of measured scales,
// extrapolated, and the imbalance of computation are weighed by what they missed.
//
// Start and end, threads' waiting for one another, and unattributed time: curves.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/application/application.h"
#include "predict/evidence/evidence.h"
#include "predict/prediction.h"
#include "predict/source_errors.h"
#include "predict/target.h"

namespace scalediag::predict {

class Predictor {
 public:
  // Predicts the targets. Errors: with Simulate::kAlways, those of the simulation.
  static core::Result<Predictor> of(fit::ApplicationModel model, Evidence evidence, const std::vector<Target>& targets);
  // The same with the models of `data`. Errors: also those of fit_application().
  static core::Result<Predictor> of(fit::ApplicationData data, const fit::ApplicationOptions& fitting,
                                    Evidence evidence, const std::vector<Target>& targets);
  // The same without evidence besides the model.
  explicit Predictor(fit::ApplicationModel model)
      : model_(std::make_shared<const fit::ApplicationModel>(std::move(model))) {}

  const fit::ApplicationModel& model() const { return *model_; }
  // At one of the targets, and at a measured scale where there is evidence besides the model: the prediction.
  // Elsewhere, for curves through them: what the model says, with each part in the proportion to it that these have.
  Prediction at(const std::vector<double>& values) const;
  // The simulation of a measured scale: what waiting and efficiencies were there. Null: there is none.
  const SimulatedCommunication* measured(const std::vector<double>& values) const;
  // A sentence where measured scales or targets were not simulated although there are traces; empty: they were.
  const std::string& why_not_simulated() const { return why_not_simulated_; }
  // Whether there is evidence besides the model, so that predictions at measured scales are not the model's.
  bool is_more_than_model() const { return is_more_than_model_; }
  bool simulates() const { return !measured_.empty() || simulated_targets_ > 0; }

 private:
  Prediction predict(const Target& at);
  void add_measured_scales();
  Prediction by_model(const Target& at) const;
  void choose_computation(const Target& at, const fit::Prediction& curves, Prediction& p);
  void add_communication(const Target& at, const fit::Prediction& curves, Prediction& p);
  // `how`: of the simulation, or why there is none.
  void add_waiting(const Target& at, const fit::Prediction& curves, Prediction& p, const std::string& how);
  // The whole run as it was measured, where that is the sum of the parts of `p`.
  void take_measured_run(const Target& at, const fit::Prediction& curves, Prediction& p) const;
  void leave_out_communication_of_gpus(const Target& at, Prediction& p) const;
  // The simulation of the trace at the target, which `p` then has; null: there is none, for the reason given.
  const SimulatedCommunication* simulate(const Target& at, Prediction& p, std::string& why_not);
  // The trace at a target; null: there is none, for the reason given.
  const TracedProgram* program_at(int ranks, std::string& why_not);
  // Whether a prediction beyond the measured scales is another one than the model's.
  bool has_left_the_model() const;
  void simulate_measured();
  double steps_beyond(double processes) const;
  // What ranks that were replayed at other scales lead to. Nothing: there are none.
  std::optional<Estimate> by_other_replays(const Target& at, const fit::Prediction& curves) const;

  std::shared_ptr<const fit::ApplicationModel> model_;
  Evidence evidence_;
  std::map<Target, Prediction> predictions_;
  std::map<int, SimulatedCommunication> measured_;       // by number of ranks
  std::map<int, core::Result<TracedProgram>> programs_;  // by number of ranks
  SourceErrors errors_;
  int simulated_targets_ = 0;
  bool is_more_than_model_ = false;  // so that the model's curve does not go through the predictions
  std::string why_not_simulated_;
  std::optional<core::Error> failure_;
};

}  // namespace scalediag::predict
