#include "report/render/text/blocks_text.h"

#include <algorithm>

#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/document/document.h"

namespace scalediag::report {
namespace {

std::string effect_text(const fit::UsedAttribute& attribute) {
  return attribute.name + " " + core::signed_percent(attribute.effect) + " from " + core::four_digits(attribute.least) +
         " to " + core::four_digits(attribute.most);
}

// "-" where it is not known.
std::string percent_or_none(const std::optional<double>& part) { return part ? core::percent(*part) : "-"; }

std::string deviation_text(double predicted, double measured) {
  if (measured > 0) return core::signed_percent(predicted / measured - 1);
  return predicted > 0 ? "-" : core::signed_percent(0);
}

std::string interval_text(const std::optional<fit::BlockInterval>& interval) {
  if (!interval) return "-";
  return core::signed_percent(interval->low) + " to " + core::signed_percent(interval->high);
}

}  // namespace

std::string block_models_text(const fit::BlockModels& models, const core::TableStyle& style) {
  const bool is_time = models.metric == fit::kSecondMetric;
  core::Table table({{"share"},
                     {"executions"},
                     {is_time ? "mean us" : "mean"},
                     {"error"},
                     {"of sum"},
                     {"90 % of executions", 2, core::TableColumn::Align::kLeft},
                     {"model", 2, core::TableColumn::Align::kLeft},
                     {"block", 2, core::TableColumn::Align::kLeft, 1}});
  std::string formulas;
  for (const fit::BlockModel& block : models.blocks) {
    table.add_row({core::percent(block.share), std::to_string(block.executions),
                   is_time ? core::fixed(block.mean * 1e6, 3) : core::fixed(block.mean, 0),
                   percent_or_none(block.held_out_error), core::signed_percent(block.held_out_error_of_sum),
                   interval_text(block.deviations), fit::name_of(block.method), block.name});
    formulas += "\n" + block.name + "\n  " + models.metric + " = " + block.formula() + "\n";
    if (block.fitted_executions < block.executions) {
      formulas += "  fitted to " + std::to_string(block.fitted_executions) + " of the " +
                  std::to_string(block.executions) + " executions, drawn at random\n";
    }
    if (!block.attributes.empty()) {
      formulas += "  " + core::join(block.attributes, "; ", effect_text) + "\n";
    }
  }
  return "blocks of " + models.program + "\n\n" + table.text(style) +
         "\n  error: relative mean error on executions that were held out; of sum: by how much the sum of their "
         "predictions "
         "is off\n  90 % of executions: their deviations; -: not known, too few were held out\n" +
         formulas +
         "\n  below a formula: by how much of the block's mean it grows from the least to the most of an "
         "attribute\n";
}

std::string block_check_text(const BlockCheck& check, const core::TableStyle& style) {
  const bool is_time = check.metric == fit::kSecondMetric;
  const int digits = is_time ? 6 : 0;
  core::Table table({{"executions"},
                     {"outside"},
                     {is_time ? "measured s" : "measured"},
                     {is_time ? "predicted s" : "predicted"},
                     {"total"},
                     {"error"},
                     {"block", 2, core::TableColumn::Align::kLeft, 1}});
  double measured = 0, predicted = 0;
  for (const CheckedBlock& block : check.blocks) {
    table.add_row({std::to_string(block.executions), std::to_string(block.outside), core::fixed(block.measured, digits),
                   core::fixed(block.predicted, digits), deviation_text(block.predicted, block.measured),
                   percent_or_none(block.error), block.name});
    measured += block.measured;
    predicted += block.predicted;
  }
  return "models of " + check.metric + " held against " + std::to_string(check.ranks) + " ranks\n\n" +
         table.text(style) +
         "\n  error: relative mean error of single executions; outside: with an attribute beyond what was learnt from\n"
         "  all blocks with a model: " +
         deviation_text(predicted, measured) + ", they are " +
         core::spaced_percent(check.total > 0 ? measured / check.total : 0) + " of the computation\n";
}

nlohmann::ordered_json block_check_json(const BlockCheck& check) {
  nlohmann::ordered_json blocks = nlohmann::ordered_json::array();
  for (const CheckedBlock& block : check.blocks) {
    blocks.push_back({{"name", block.name},
                      {"executions", block.executions},
                      {"outside", block.outside},
                      {"measured", block.measured},
                      {"predicted", block.predicted},
                      {"error", block.error ? nlohmann::ordered_json(*block.error) : nullptr}});
  }
  return {{"schema", "scalediag-block-check/1"},
          {"metric", check.metric},
          {"ranks", check.ranks},
          {"total", check.total},
          {"blocks", blocks}};
}

std::string block_check_csv(const BlockCheck& check) {
  DocumentTable table;
  for (const char* title : {"block", "rank", "computation", "measured", "predicted", "low", "high", "outside"}) {
    table.columns.push_back({title});
  }
  for (const CheckedBlock& block : check.blocks) {
    for (const CheckedBlock::Execution& execution : block.each) {
      const fit::BlockEstimate& predicted = execution.predicted;
      table.rows.push_back(
          {{block.name, std::to_string(execution.rank), std::to_string(execution.computation),
            core::to_text(execution.measured), core::to_text(predicted.value),
            predicted.interval ? core::to_text(predicted.interval->low) : "",
            predicted.interval ? core::to_text(predicted.interval->high) : "", core::join(execution.outside, " ")}});
    }
  }
  return csv_table(table);
}

AppliedBlock AppliedBlocks::sum() const {
  AppliedBlock all;
  for (const AppliedBlock& block : blocks) {
    all.executions += block.executions;
    all.outside += block.outside;
    all.recorded_s += block.recorded_s;
    all.predicted_s += block.predicted_s;
  }
  return all;
}

nlohmann::ordered_json applied_blocks_json(const AppliedBlocks& applied) {
  const auto values = [](const AppliedBlock& block) {
    return nlohmann::ordered_json{{"executions", block.executions},
                                  {"outside", block.outside},
                                  {"recorded_s", block.recorded_s},
                                  {"predicted_s", block.predicted_s}};
  };
  nlohmann::ordered_json json = values(applied.sum());
  json["other_s"] = applied.other_s;
  json["blocks"] = nlohmann::ordered_json::array();
  for (const AppliedBlock& block : applied.blocks) {
    nlohmann::ordered_json of_block = {{"name", block.name}};
    of_block.update(values(block));
    json["blocks"].push_back(std::move(of_block));
  }
  return json;
}

std::string applied_blocks_text(const AppliedBlocks& applied) {
  const AppliedBlock sum = applied.sum();
  const double recorded_s = sum.recorded_s + applied.other_s;
  std::string text =
      "computation by block models: " + core::spaced_percent(recorded_s > 0 ? sum.recorded_s / recorded_s : 0) +
      " of what was recorded, which they change by " + deviation_text(sum.predicted_s, sum.recorded_s) + "\n";
  for (const AppliedBlock& block : applied.blocks) {
    if (block.outside == 0) continue;
    text += "  " + std::to_string(block.outside) + " of " + std::to_string(block.executions) + " executions of " +
            block.name + " have an attribute beyond what its model was learnt from\n";
  }
  return text;
}

}  // namespace scalediag::report
