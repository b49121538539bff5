#include "cli/inputs/blocks/modelled_blocks.h"

#include <algorithm>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/inputs/blocks/block_run.h"
#include "core/text/join.h"
#include "core/text/quantities.h"

namespace scalediag::cli {
namespace {

// The columns of a model's attributes in executions of its block.
Result<std::vector<size_t>> columns_of_model(const fit::BlockModel& model, const loggp::BlockExecutions& executions) {
  std::vector<size_t> columns;
  for (const fit::UsedAttribute& attribute : model.attributes) {
    const auto column = column_of(attribute.name, executions.attributes);
    if (!column) {
      return Error{ErrorCode::kInput,
                   "the model of block " + model.name + " needs an attribute that these traces lack: " + attribute.name,
                   "learn without it: name the attributes to use with `blocks learn --attributes`"};
    }
    const size_t missing = executions_without(executions, *column);
    if (missing > 0) {
      return Error{ErrorCode::kInput,
                   std::to_string(missing) + " of " + std::to_string(executions.rows.size()) + " executions of block " +
                       model.name + " name no " + attribute.name + ", which its model needs",
                   "name it in every execution, or learn without it: name the attributes to use with `blocks "
                   "learn --attributes`"};
    }
    columns.push_back(*column);
  }
  return columns;
}

Status check_program(const fit::BlockModels& models, const std::vector<loggp::RankTrace>& traces) {
  const std::string program = program_of(traces);
  if (program == models.program) return Done{};
  return Error{ErrorCode::kInput, "the models are of " + models.program + ", and the traces of " + program,
               "learn models from traces of " + program};
}

// Warns of models that are of the places of other ranks than there are.
void warn_of_places(const fit::BlockModels& models, size_t ranks) {
  if (models.ranks == 0 || models.ranks == ranks) return;
  std::vector<std::string> names;
  for (const fit::BlockModel& model : models.blocks) {
    const bool of_place = std::ranges::any_of(
        model.attributes, [](const auto& attribute) { return loggp::is_rank_place(attribute.name); });
    if (of_place) names.push_back(model.name);
  }
  if (names.empty()) return;
  warn("models were learnt from " + std::to_string(models.ranks) + " ranks, this run has " + std::to_string(ranks) +
       ", and these need the place of a rank: " + core::join(names, "; ") +
       "; `blocks learn --for-other-sizes` learns without it");
}

Status check_any_block(const fit::BlockModels& models, const loggp::ProgramBlocks& program) {
  const bool any =
      std::ranges::any_of(models.blocks, [&](const auto& model) { return program.blocks.count(model.name) > 0; });
  if (any) return Done{};
  return Error{ErrorCode::kInput, "the traces have none of the blocks of the models",
               "the program takes another way through its MPI calls: learn from traces that take this one"};
}

// Warns of models that nothing is held against, or that replace nothing.
void warn_of_absent(const fit::BlockModels& models, const loggp::ProgramBlocks& program) {
  std::vector<std::string> absent;
  for (const fit::BlockModel& model : models.blocks) {
    if (program.blocks.count(model.name) > 0) continue;
    absent.push_back(model.name + " (" + core::spaced_percent(model.share) + ")");
  }
  if (absent.empty()) return;
  warn(
      "blocks with a model that these ranks do not execute, with their shares of the computation that was learnt "
      "from: " +
          core::join(absent, "; "),
      "the program takes another way through its MPI calls: learn from traces that take this one");
}

// Further beyond what was learnt from than so many times its range, a prediction is not to be relied on.
constexpr double kFar = 2;

void warn_of_far(const ModelledBlock& block) {
  const size_t all = block.estimates.size();
  const auto far = static_cast<size_t>(
      std::ranges::count_if(block.estimates, [](const auto& estimate) { return estimate.beyond > kFar; }));
  if (10 * far <= all) return;
  warn(std::to_string(far) + " of " + std::to_string(all) + " executions of block " + block.model->name +
       " have an attribute further beyond what its model was learnt from than twice the range of that: the sum of the "
       "block may be far off; learn from ranks or runs in which its attributes vary more");
}

Result<ModelledBlock> modelled_block(const fit::BlockModel& model, const loggp::BlockExecutions& executions) {
  const auto columns = TRY(columns_of_model(model, executions));
  ModelledBlock block{&model, &executions, {}, {}};
  for (const std::vector<double>& row : executions.rows) {
    block.rows.push_back(picked(row, columns));
    block.estimates.push_back(model.estimate(block.rows.back()));
  }
  return block;
}

}  // namespace

size_t ModelledBlock::outside() const {
  return static_cast<size_t>(
      std::ranges::count_if(estimates, [](const auto& estimate) { return estimate.is_outside; }));
}

Result<ModelledProgram> modelled_program(const fit::BlockModels& models, const std::vector<loggp::RankTrace>& traces,
                                         const loggp::BlockSelection& selection) {
  TRY(check_program(models, traces));
  auto program = TRY(loggp::block_executions(traces, selection, {models.listed.begin(), models.listed.end()}));
  TRY(check_any_block(models, program));
  warn_of_places(models, traces.size());
  warn_of_absent(models, program);
  ModelledProgram modelled{std::move(program), {}};
  for (const fit::BlockModel& model : models.blocks) {
    const auto found = modelled.program.blocks.find(model.name);
    if (found == modelled.program.blocks.end()) continue;
    auto block = TRY(modelled_block(model, found->second));
    warn_of_far(block);
    modelled.blocks.push_back(std::move(block));
  }
  return modelled;
}

}  // namespace scalediag::cli
