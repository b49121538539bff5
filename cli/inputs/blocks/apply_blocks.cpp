#include "cli/inputs/blocks/apply_blocks.h"

#include <algorithm>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/inputs/blocks/modelled_blocks.h"
#include "core/text/quantities.h"
#include "loggp/representatives/computation_vector.h"

namespace scalediag::cli {
namespace {

// Models that know too little of the input go wrong although their attributes stay within what was learnt.
void warn_of_change(const report::AppliedBlock& sum) {
  constexpr double kMuch = 3;  // more than machines, or caches that ranks share, usually change
  if (sum.predicted_s < kMuch * sum.recorded_s && kMuch * sum.predicted_s > sum.recorded_s) return;
  const core::TimeFormat time(std::max(sum.predicted_s, sum.recorded_s));
  warn("the models put " + time(sum.predicted_s) + " " + time.unit() + " in place of " + time(sum.recorded_s) + " " +
       time.unit() +
       " that were recorded, over all ranks: unless the other machine or input explains that, they do not know what "
       "the time depends on; `blocks check` shows each block");
}

// In seconds, of each rank.
std::vector<std::vector<double>> recorded_computations(const std::vector<loggp::RankTrace>& traces, double factor) {
  std::vector<std::vector<double>> recorded;
  for (const loggp::RankTrace& trace : traces) {
    const loggp::ComputationVector of_trace = loggp::computations_of(trace);
    auto& of_rank = recorded.emplace_back(of_trace.begin(), of_trace.end());
    for (double& seconds : of_rank) seconds *= factor;
  }
  return recorded;
}

}  // namespace

Result<report::AppliedBlocks> apply_blocks(const fit::BlockModels& models, std::vector<loggp::RankTrace>& traces,
                                           double other_factor) {
  if (models.metric != fit::kSecondMetric) {
    return Error{ErrorCode::kInput, "the models are of " + models.metric + ", and a simulation needs seconds",
                 "learn them with `blocks learn --metric seconds`"};
  }
  loggp::BlockSelection selection;
  selection.with_recorded = true;
  selection.tags = models.tags;
  for (size_t rank = 0; rank < traces.size(); ++rank) selection.ranks.insert(static_cast<int>(rank));
  const auto modelled = TRY(modelled_program(models, traces, selection));

  report::AppliedBlocks applied;
  // A computation may have several blocks: each takes its recorded part away and adds its own.
  std::vector<std::vector<double>> computed = recorded_computations(traces, other_factor);
  for (const ModelledBlock& modelled_block : modelled.blocks) {
    report::AppliedBlock block{modelled_block.model->name};
    block.executions = modelled_block.estimates.size();
    block.outside = modelled_block.outside();
    for (size_t i = 0; i < block.executions; ++i) {
      const double predicted_s = modelled_block.estimates[i].value;
      const auto& [rank, computation, recorded_s] = modelled_block.executions->places[i];
      computed[rank][computation] += predicted_s - recorded_s * other_factor;
      block.recorded_s += recorded_s;
      block.predicted_s += predicted_s;
    }
    applied.blocks.push_back(std::move(block));
  }
  warn_of_change(applied.sum());
  applied.other_s = modelled.program.total - applied.sum().recorded_s;
  for (size_t rank = 0; rank < traces.size(); ++rank) {
    loggp::ComputationVector vector;
    for (const double seconds : computed[rank]) vector.push_back(static_cast<float>(std::max(0.0, seconds)));
    loggp::set_computations(traces[rank], vector);
  }
  return applied;
}

}  // namespace scalediag::cli
