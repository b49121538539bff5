// The common part of `predict` and `report`: INPUT and the options for targets and models, and the findings made from
// them. `check` has the options for models, too.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction_request.h"
#include "core/result.h"
#include "fit/application/application.h"
#include "predict/predictor.h"
#include "report/findings/application_findings.h"

namespace scalediag::cli {

// Error (kUsage): `size` is none of the parameters besides the number of processes. An empty `size` is valid.
Status check_size(const std::string& size, const std::vector<std::string>& names);

// The files and folders that the request is answered from, for check_output_files(); names may be empty.
std::vector<std::string> inputs_of(const PredictionRequest& request);

// --at, --size and --network alone; `at` and `request` outlive the parsing.
CLI::Option* add_targets_option(CLI::App& command, std::vector<std::string>& at);
CLI::Option* add_size_option(CLI::App& command, PredictionRequest& request);
CLI::Option* add_network_option(CLI::App& command, PredictionRequest& request);
// --models
void add_model_set_option(CLI::App& command, PredictionRequest& request);
fit::ModelSet model_set_of(const PredictionRequest& request);

// --columns; `columns` outlives the parsing.
void add_columns_option(CLI::App& command, std::vector<std::string>& columns);

// INPUT, --at and those of add_model_options; `request` outlives the parsing. Returns --at.
CLI::Option* add_prediction_options(CLI::App& command, PredictionRequest& request);
// --ranks-per-node
void add_ranks_per_node_option(CLI::App& command, PredictionRequest& request);

// --size, --models, --volume-ratio, --network, --measured-network and --scaling: how to model. `request` outlives the
// parsing.
void add_model_options(CLI::App& command, PredictionRequest& request);

using predict::measured_parameters;
using predict::MeasuredParameters;

// The options for models of `data` according to `request`. Errors: a network or a volume ratio is given for data
// without messages and bytes (kUsage); as check_size and set_volume_ratios; a file cannot be read or is no network; a
// measured network without the other (kUsage).
Result<fit::ApplicationOptions> fitting_of(const PredictionRequest& request, const fit::ApplicationData& data,
                                           const MeasuredParameters& measured);

// Puts what --volume-ratio says into `fitting`. Errors (kUsage): no OPERATION=RATIO; an operation without bytes in
// `data`; no problem size that was measured at one value.
Status set_volume_ratios(const PredictionRequest& request, const fit::ApplicationData& data,
                         const MeasuredParameters& measured, fit::ApplicationOptions& fitting);

// Error (kUsage): a target has another value of a parameter than the only one that was measured, and the parameter is
// not the problem size; or volume ratios are given, which are those of one size, for targets of several.
Status check_other_sizes(const PredictionRequest& request, const MeasuredParameters& measured,
                         const std::vector<predict::Target>& targets);

// Checks the request before anything was measured: the targets among the parameters that will be measured, and the
// networks. Errors: those that findings_of() has of them.
Status check_request(const PredictionRequest& request, const MeasuredParameters& measured);

// `options` with the scaling of the request and the runs of `input`, which has to outlive their use.
report::FindingsOptions with_runs(const MeasurementInput& input, const PredictionRequest& request,
                                  report::FindingsOptions options = {});

// `options.scaling` is taken from the request. Errors: those of fit/ and report/; options that do not fit the input
// (kUsage).
Result<report::Findings> findings_of(const MeasurementInput& input, const PredictionRequest& request,
                                     report::FindingsOptions options = {});

}  // namespace scalediag::cli
