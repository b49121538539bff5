#include "predict/evidence/trace_evidence.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/experiment/experiment.h"
#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/phases/scaled/scaled_program.h"
#include "loggp/traces/median_traces.h"
#include "predict/evidence/traces.h"

namespace scalediag::predict {
namespace {

class FolderTraces : public TraceEvidence {
 public:
  FolderTraces(std::string folder, const std::set<int>& scales, double events_of_rank, LoneRanks lone, PairLimit limit)
      : folder_(std::move(folder)),
        scales_(scales.begin(), scales.end()),
        events_of_rank_(events_of_rank),
        lone_(std::move(lone)),
        limit_(std::move(limit)) {}

  const std::vector<int>& scales() const override { return scales_; }
  double events_at(int ranks) const override { return events_of_rank_ * ranks; }
  core::Result<TracedProgram> recorded(int ranks) const override;
  core::Result<TracedProgram> scaled(int ranks, int up_to) const override;

 private:
  std::string folder_;
  std::vector<int> scales_;
  double events_of_rank_;
  LoneRanks lone_;
  PairLimit limit_;
};

core::Result<TracedProgram> FolderTraces::recorded(int ranks) const {
  const auto run = find_trace_folder(folder_, ranks, "");
  if (!run) return run.error();
  auto traces = loggp::read_traces(run.value());
  if (!traces) return traces.error();
  take_medians_of_repeats(run.value(), traces.value());
  loggp::stretch_computations(traces.value(), lone_.factor_at(ranks));
  auto program = loggp::TraceProgram::of(traces.value());
  if (!program) return program.error();
  TracedProgram traced;
  traced.program = std::make_shared<loggp::TraceProgram>(std::move(program.value()));
  traced.computation_s = loggp::mean_computation_s(traces.value());
  for (const loggp::RankTrace& trace : traces.value()) traced.events += static_cast<double>(trace.n_events);
  traced.counts = counts_of(traces.value());
  return traced;
}

core::Result<TracedProgram> FolderTraces::scaled(int ranks, int up_to) const {
  std::vector<int> used, left_out;
  for (const int scale : scales_) (scale < ranks && scale <= up_to ? used : left_out).push_back(scale);
  if (used.size() < 2) {
    return core::Error{core::ErrorCode::kInput, "traces of fewer than two smaller numbers of ranks", "", folder_};
  }
  Remarks remarks;
  auto model = read_scaling_model(folder_, left_out, ranks, remarks, lone_, limit_);
  if (!model) return model.error();
  loggp::ScaledTraces traces(std::move(model.value()), ranks);
  if (const auto error = unmatched_error(traces, folder_)) return *error;
  loggp::scale_to_total(traces);
  loggp::let_ranks_differ(traces);
  TracedProgram traced;
  traced.computation_s = loggp::mean_computation_s(traces);
  traced.events = events_at(ranks);
  traced.certainty = certainty_by_operation(traces.model());
  traced.counts = counts_of(traces);
  if (auto run_s = computation_of_runs(folder_, traces.model().scales, lone_)) {
    auto interval = scaled_computation({std::move(run_s.value()), loggp::measured_phases(traces.model())}, ranks,
                                       traced.computation_s);
    if (interval) traced.interval = std::move(interval.value());
  }
  auto program = loggp::ScaledProgram::of(std::move(traces));
  if (!program) return program.error();
  traced.program = std::make_shared<loggp::ScaledProgram>(std::move(program.value()));
  return traced;
}

}  // namespace

std::shared_ptr<const TraceEvidence> traces_of(const std::string& folder, const LoneRanks& lone,
                                               const PairLimit& limit) {
  const auto experiment = core::ExperimentFolder(folder).load();
  if (!experiment) return nullptr;
  const std::set<int> scales = traced_scales(folder, experiment.value());
  std::set<std::map<std::string, double>> inputs;
  for (const core::RunEntry& entry : experiment.value().runs) {
    if (entry.state == core::RunState::kComplete) inputs.insert(entry.configuration.parameters);
  }
  if (scales.empty() || inputs.size() > 1) return nullptr;
  const auto run = find_trace_folder(folder, *scales.rbegin(), "");
  if (!run) return nullptr;
  const auto traces = loggp::read_traces(run.value());
  if (!traces || traces.value().empty()) return nullptr;
  double events = 0;
  for (const loggp::RankTrace& trace : traces.value()) events += static_cast<double>(trace.n_events);
  return std::make_shared<FolderTraces>(folder, scales, events / static_cast<double>(traces.value().size()), lone,
                                        limit);
}

}  // namespace scalediag::predict
