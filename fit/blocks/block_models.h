// The learnt models of a program's blocks, and their file.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
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
  uint64_t ranks = 0;                  // of the run that they were learnt from; 0: not known
  // Blocks that attributes of an execution count from: those with a model, and those that are as long but have none.
  std::vector<std::string> listed;
  // Of the program: tags that stand for one another in names of blocks, from and to.
  std::vector<std::pair<int, int>> tags;
  std::vector<BlockModel> blocks;  // the longest first
};

// {"schema": "scalediag-blocks/1", "program", "metric", "listed", "tags": [[from, to]], "blocks": [{"name",
// "model", "formula", "held_out_error", ...}]}
nlohmann::ordered_json block_models_json(const BlockModels& models);

// Errors (kInput): the file cannot be read, is no such document, is of another version or contradicts itself, with the
// file's name and the place.
Result<BlockModels> read_block_models(const std::string& file);

}  // namespace scalediag::fit
