#include "cli/inputs/blocks/check_blocks.h"

#include "cli/inputs/blocks/modelled_blocks.h"
#include "fit/blocks/block_samples.h"

namespace scalediag::cli {
namespace {

report::CheckedBlock checked(const ModelledBlock& modelled) {
  const loggp::BlockExecutions& executions = *modelled.executions;
  report::CheckedBlock block;
  block.name = modelled.model->name;
  block.executions = executions.values.size();
  block.outside = modelled.outside();
  std::vector<double> predicted;
  for (size_t i = 0; i < block.executions; ++i) {
    const auto& [rank, computation, recorded_s] = executions.places[i];
    const fit::BlockEstimate& estimate = modelled.estimates[i];
    block.each.push_back(
        {rank, computation, executions.values[i], estimate, modelled.model->outside(modelled.rows[i])});
    block.measured += executions.values[i];
    block.predicted += estimate.value;
    predicted.push_back(estimate.value);
  }
  block.error = fit::relative_mean_error(predicted, executions.values);
  return block;
}

}  // namespace

Result<report::BlockCheck> check_blocks(const fit::BlockModels& models, const BlockSource& source) {
  const auto run = TRY(read_block_run(source));
  loggp::BlockSelection selection = selection_of(run, models.metric, models.tags);
  selection.with_recorded = true;
  const auto modelled = TRY(modelled_program(models, run.traces, selection));
  report::BlockCheck check;
  check.metric = models.metric;
  check.ranks = run.ranks.size();
  check.total = modelled.program.total;
  for (const ModelledBlock& block : modelled.blocks) check.blocks.push_back(checked(block));
  return check;
}

}  // namespace scalediag::cli
