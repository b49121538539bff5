// The configurations that `scalediag profile` measures, with their arguments.
#pragma once

#include <string>
#include <vector>

#include "collector/launch/plan/program_request.h"
#include "collector/launch/plan/template_expansion.h"
#include "collector/launch/plan/word_table.h"
#include "core/experiment/experiment.h"
#include "core/result.h"

namespace scalediag::launch {

// The LIST where none is given: four numbers of processes, so that a trend can be checked, doubling up to the largest
// power of two that is not above the cores, and at least to 16: one process alone does not communicate.
std::string default_process_counts(int cores);

struct ParameterOption {
  std::string name;
  std::string list;  // LIST, see value_list.h
};

// "NAME=LIST"; error (kUsage) without a "=".
Result<ParameterOption> parse_parameter_option(const std::string& text);

struct PlannedConfiguration {
  core::Configuration configuration;
  std::vector<std::string> command;  // APP ARGS with every placeholder replaced
  std::string label;                 // "np=4 grid=64", parameters in the order of their declaration
};

// All combinations of process counts and parameter values: for each parameter combination (the last declared parameter
// varies fastest) all process counts, in the order of the list. `command` is APP ARGS as typed. Errors (kUsage): those
// of the lists and of check_placeholders(); a table without words for one of the process counts.
Result<std::vector<PlannedConfiguration>> plan_configurations(const std::string& np_list,
                                                              const std::vector<ParameterOption>& parameters,
                                                              const std::vector<std::string>& command,
                                                              const WordTables& tables = {});

struct ProfilePlan {
  std::vector<PlannedConfiguration> configurations;
  std::vector<std::string> parameter_names;
  WordTables tables;  // that the command uses
};

// The same for what was typed. Errors (kUsage): also those of parse_parameter_option() and parse_word_tables().
Result<ProfilePlan> plan_of(const ProgramRequest& request, const std::string& np_list);

// The text for each placeholder, as far as it is known.
PlaceholderValues placeholder_values(const core::Configuration& configuration, const WordTables& tables);

// "np=4 grid=64" of a configuration that is known by its values only.
std::string label_of(const core::Configuration& configuration);

}  // namespace scalediag::launch
