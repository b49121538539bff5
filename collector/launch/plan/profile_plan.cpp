#include "collector/launch/plan/profile_plan.h"

#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/shell_words.h"
#include "core/text/value_list.h"

namespace scalediag::launch {
namespace {

struct Parameter {
  std::string name;
  std::vector<core::ListValue> values;
};

Result<std::vector<Parameter>> parse_parameters(const std::vector<ParameterOption>& options) {
  std::vector<Parameter> parameters;
  for (const ParameterOption& option : options) {
    auto values = TRY(core::parse_value_list(option.list, "--param " + option.name));
    for (const core::ListValue& value : values) {
      if (value.value > 0) continue;
      return Error{ErrorCode::kUsage, "--param " + option.name + ": " + value.text + " is not above 0",
                   "models need positive values; what is no quantity (a switch, a seed) can stand in ARGS itself",
                   "--param"};
    }
    parameters.push_back({option.name, std::move(values)});
  }
  return parameters;
}

PlannedConfiguration plan_one(int np, const std::vector<Parameter>& parameters, const std::vector<size_t>& chosen,
                              const std::vector<std::string>& command, const WordTables& tables) {
  PlannedConfiguration plan;
  plan.configuration.np = np;
  plan.label = "np=" + std::to_string(np);
  PlaceholderValues texts = placeholder_values({np, {}}, tables);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const core::ListValue& value = parameters[i].values[chosen[i]];
    plan.configuration.parameters[parameters[i].name] = value.value;
    texts[parameters[i].name] = {value.text};
    plan.label += " " + parameters[i].name + "=" + value.text;
  }
  for (const std::string& word : command) {
    for (std::string& argument : expand_placeholders(word, texts)) plan.command.push_back(std::move(argument));
  }
  return plan;
}

// Counts like an odometer, the last digit fastest. False after the last combination.
bool advance(std::vector<size_t>& chosen, const std::vector<Parameter>& parameters) {
  for (size_t i = chosen.size(); i-- > 0;) {
    if (++chosen[i] < parameters[i].values.size()) return true;
    chosen[i] = 0;
  }
  return false;
}

Status check_tables(const WordTables& tables, int np) {
  for (const auto& [name, table] : tables) {
    if (table.count(np) > 0) continue;
    const std::string number = std::to_string(np);
    return Error{ErrorCode::kUsage,
                 "--words " + name + " has no words for np=" + number + ": it has np=" +
                     core::join(table, ", ", [](const auto& entry) { return std::to_string(entry.first); }),
                 "add them: --words " + core::quote_shell_word(name + "=" + text_of(table) + "," + number + ":WORDS"),
                 "--words"};
  }
  return Done{};
}

}  // namespace

PlaceholderValues placeholder_values(const core::Configuration& configuration, const WordTables& tables) {
  PlaceholderValues values = {{"np", {std::to_string(configuration.np)}}};
  for (const auto& [name, value] : configuration.parameters) values[name] = {core::to_text(value)};
  for (const auto& [name, table] : tables) {
    if (const auto words = table.find(configuration.np); words != table.end()) values[name] = words->second;
  }
  return values;
}

Result<ProfilePlan> plan_of(const ProgramRequest& request, const std::string& np_list) {
  std::vector<ParameterOption> parameters;
  ProfilePlan plan;
  for (const std::string& text : request.parameters) {
    auto option = TRY(parse_parameter_option(text));
    plan.parameter_names.push_back(option.name);
    parameters.push_back(std::move(option));
  }
  // Of an earlier experiment's tables those that are needed here.
  std::map<std::string, std::string> stored;
  for (const std::string& argument : request.command) {
    for (const std::string& name : placeholders_of(argument)) {
      const auto table = request.stored_words.find(name);
      if (table != request.stored_words.end()) stored.insert(*table);
    }
  }
  plan.tables = TRY(parse_word_tables(request.words, stored));
  plan.configurations = TRY(plan_configurations(np_list, parameters, request.command, plan.tables));
  return plan;
}

std::string default_process_counts(int cores) {
  int largest = 16;
  while (2 * largest <= cores) largest *= 2;
  return std::to_string(largest / 8) + ".." + std::to_string(largest);
}

Result<ParameterOption> parse_parameter_option(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == text.npos) {
    return Error{ErrorCode::kUsage, "--param " + text + ": there are no values", "as in --param grid=64,128,256",
                 "--param"};
  }
  return ParameterOption{text.substr(0, equals), text.substr(equals + 1)};
}

Result<std::vector<PlannedConfiguration>> plan_configurations(const std::string& np_list,
                                                              const std::vector<ParameterOption>& options,
                                                              const std::vector<std::string>& command,
                                                              const WordTables& tables) {
  const auto counts = TRY(core::parse_process_counts(np_list));
  std::vector<std::string> names, table_names;
  for (const ParameterOption& option : options) names.push_back(option.name);
  for (const auto& [name, table] : tables) table_names.push_back(name);
  TRY(check_placeholders(command, names, table_names));
  for (const int np : counts) TRY(check_tables(tables, np));
  const auto parameters = TRY(parse_parameters(options));

  std::vector<PlannedConfiguration> plan;
  std::vector<size_t> chosen(parameters.size(), 0);
  do {
    for (const int np : counts) {
      plan.push_back(plan_one(np, parameters, chosen, command, tables));
      if (plan.size() > core::kMaxListValues) {
        return Error{ErrorCode::kUsage,
                     "there are more than " + std::to_string(core::kMaxListValues) + " combinations to run",
                     "shorten the lists", "--param"};
      }
    }
  } while (advance(chosen, parameters));
  return plan;
}

std::string label_of(const core::Configuration& configuration) {
  std::string label = "np=" + std::to_string(configuration.np);
  for (const auto& [name, value] : configuration.parameters) label += " " + name + "=" + core::to_text(value);
  return label;
}

}  // namespace scalediag::launch
