// A question for a prediction, as typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalediag::cli {

constexpr const char* kByAll = "all";                // all that is known
constexpr const char* kByCosts = "costs";            // of calls, averaged: no traces
constexpr const char* kBySimulation = "simulation";  // of the trace, an error where it cannot be simulated
constexpr const char* kByCallSite = "callsite";      // costs, of each call site by itself
constexpr const char* kByCallPath = "callpath";      // of call paths in place of functions and operations

constexpr const char* kEnsembleModels = "ensemble";  // the median of all hypotheses
constexpr const char* kDingModels = "ding2018";      // the selection of Ding et al. 2018

struct PredictionRequest {
  std::string input;
  std::vector<std::string> more_inputs;  // further files of the same experiment, where it is of another tool
  std::vector<std::string> columns;      // of a table: what they are (fit/data/tables/column_request.h)
  std::vector<std::string> at;  // NAME=LIST each; empty: 4 and 16 times the largest measured number of processes
  std::string size;             // a parameter, or NAME=EXPRESSION (core/equations/size_expression.h)
  std::string size_values;      // the values of a parameter in that expression: "case=1:32000,2:64000"
  std::string models = kEnsembleModels;
  std::string network;
  std::string measured_network;
  std::vector<std::string> volume_ratios;  // OPERATION=RATIO each
  std::string scaling = "auto";
  std::optional<uint64_t> node_memory_bytes;  // needs ranks_per_node: when a node's memory no longer suffices
  std::optional<int> ranks_per_node;
  std::string replayed;             // a folder with replayed ranks, whose computation targets have; empty: none
  std::vector<std::string> points;  // folders of other inputs, whose computation targets have that it fits
  std::string region;               // what is modelled instead of the whole program; empty: nothing
  std::string by = kByAll;          // what communication at the targets is predicted by
};

}  // namespace scalediag::cli
