#include "cli/options/option_table.h"

#include <algorithm>
#include <sstream>

namespace scalediag::cli {
namespace {

// The value's name: the type's, which is followed by the texts of checks, "TEXT:{auto,cpu,wall}", "UINT:INT in [0 -
// 1000000]".
std::string value_name(const std::string& type) { return type.substr(0, std::min(type.find(':'), type.find(" in ["))); }

std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  const size_t open = type.find(":{"), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::istringstream list(type.substr(open + 2, close - open - 2));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

// Whether a positional of this name is something other than a file.
bool is_no_file(const std::string& name) { return name == "SHELL"; }

ValueKind kind_of(const OptionRow& row, bool positional) {
  if (!row.choices.empty()) return ValueKind::kChoice;
  if (row.value == "DIR") return ValueKind::kFolder;
  // A text without further description may be a file.
  if (row.value == "FILE" || row.value == "TEXT") return ValueKind::kFile;
  if (positional) return is_no_file(row.names.front()) ? ValueKind::kOther : ValueKind::kFile;
  return ValueKind::kOther;
}

OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  const bool positional = option.get_positional();
  if (positional) {
    row.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  }
  row.description = option.get_description();
  row.required = option.get_required();
  row.repeatable = !positional && option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() == 0) return row;
  const std::string type = option.get_type_name();
  row.value = positional && row.names.front() != "DIR" ? row.names.front() : positional ? "DIR" : value_name(type);
  row.choices = choices_of(type);
  row.kind = kind_of(row, positional);
  row.default_value = option.get_default_str();
  return row;
}

CommandRow command_row(const CLI::App& app) {
  CommandRow command;
  command.name = app.get_name();
  command.description = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options({})) {
    if (option->get_group().empty()) continue;  // hidden
    (option->get_positional() ? command.positionals : command.options).push_back(row_of(*option));
  }
  return command;
}

}  // namespace

OptionTable option_table(const CLI::App& app) {
  OptionTable table;
  table.program = command_row(app);
  table.program.name.clear();
  for (const CLI::App* command : app.get_subcommands({})) {
    table.commands.push_back(command_row(*command));
    // The option parser never sees the words after "--": these take them from the invocation.
    table.commands.back().takes_command =
        command->get_name() == "profile" || command->get_name() == "record" || command->get_name() == "emulate";
  }
  return table;
}

}  // namespace scalediag::cli
