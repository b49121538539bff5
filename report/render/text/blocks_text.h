// The output of `scalediag blocks`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/text/table.h"
#include "fit/blocks/block_models.h"

namespace scalediag::report {

// Models held against executions that were measured, in the unit of the models' metric.
struct CheckedBlock {
  std::string name;
  size_t executions = 0;
  size_t outside = 0;                  // executions with an attribute beyond what was learnt from
  double measured = 0, predicted = 0;  // sums
  std::optional<double> error;         // relative mean error of single executions; empty: they took no time
  struct Execution {
    uint32_t rank = 0;
    uint64_t computation = 0;  // its number on the rank: that before this event of the trace
    double measured = 0;
    fit::BlockEstimate predicted;
    std::vector<std::string> outside;  // attributes beyond what was learnt from
  };
  std::vector<Execution> each;
};

struct BlockCheck {
  std::vector<CheckedBlock> blocks;  // in the order of the models
  size_t ranks = 0;
  std::string metric;
  double total = 0;  // of all computation of these ranks, also of blocks without a model
};

// The computations of a run that models replaced; sums over ranks.
struct AppliedBlock {
  std::string name;
  size_t executions = 0;
  size_t outside = 0;
  double recorded_s = 0, predicted_s = 0;
};
struct AppliedBlocks {
  std::vector<AppliedBlock> blocks;  // those with a model
  double other_s = 0;                // of the others, as recorded

  AppliedBlock sum() const;  // of blocks
};

std::string block_models_text(const fit::BlockModels& models, const core::TableStyle& style);
std::string block_check_text(const BlockCheck& check, const core::TableStyle& style);
nlohmann::ordered_json block_check_json(const BlockCheck& check);
// A line for each execution: "block,rank,computation,measured,predicted,low,high,outside", the last one with the names
// of attributes, separated by spaces; low and high are empty where the interval is not known.
std::string block_check_csv(const BlockCheck& check);
nlohmann::ordered_json applied_blocks_json(const AppliedBlocks& applied);
std::string applied_blocks_text(const AppliedBlocks& applied);

}  // namespace scalediag::report
