// The commands and options of the command line as data, from which completion scripts and the manual page are made, so
// that they always agree with the option parser.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace scalediag::cli {

enum class ValueKind { kNone, kFile, kFolder, kChoice, kOther };

struct OptionRow {
  std::vector<std::string> names;  // "-n", "--np", short ones first; of a positional its name
  std::string value;               // the value's name in help: "LIST"; empty: a flag
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> choices;  // of kChoice
  std::string description;
  std::string default_value;  // empty: none that is shown
  bool required = false;
  bool repeatable = false;
};

struct CommandRow {
  std::string name;  // empty: scalediag itself
  std::string description;
  std::vector<OptionRow> options;      // in the order of help
  std::vector<OptionRow> positionals;  // in their order
  bool takes_command = false;          // APP ARGS after "--"
  std::string footer;
};

struct OptionTable {
  CommandRow program;
  std::vector<CommandRow> commands;  // in the order of help
};

OptionTable option_table(const CLI::App& app);

}  // namespace scalediag::cli
