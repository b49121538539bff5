// The learnt models of a program's blocks, and their file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/blocks/block_model.h"

namespace scalediag::fit {

// The quantity that values of executions are.
constexpr const char* kSecondMetric = "seconds";
constexpr const char* kInstructionMetric = "instructions";

struct BlockModels {
  std::string program;                 // file name of the executable
  std::string metric = kSecondMetric;  // one of the above
  // Blocks that attributes of an execution count from: those with a model, and those that are as long but have none.
  std::vector<std::string> listed;
  std::vector<BlockModel> blocks;  // the longest first
};

// {"schema": "scalediag-blocks/1", "program", "metric", "listed", "blocks": [{"name", "model", "formula",
// "held_out_error",
// ...}]}
nlohmann::ordered_json block_models_json(const BlockModels& models);

// Errors (kInput): the file cannot be read, is no such document, is of another version or contradicts itself, with the
// file's name and the place.
core::Result<BlockModels> read_block_models(const std::string& file);

}  // namespace scalediag::fit
