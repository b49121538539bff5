#include "cli/completion_scripts.h"

#include <algorithm>

#include "core/text/join.h"

namespace scalediag::cli {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::vector<std::string> names_of(const OptionTable& table) {
  std::vector<std::string> names;
  for (const CommandRow& command : table.commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> option_names(const CommandRow& command, const OptionTable& table) {
  std::vector<std::string> names;
  for (const std::vector<OptionRow>* options : {&command.options, &table.program.options}) {
    for (const OptionRow& option : *options) {
      for (const std::string& name : option.names) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  }
  return names;
}

std::string words_reply(const std::vector<std::string>& words) {
  return "COMPREPLY=($(compgen -W '" + core::join(words, " ") + "' -- \"$cur\"))";
}

std::string bash_value(const OptionRow& option) {
  switch (option.kind) {
    case ValueKind::kChoice: return words_reply(option.choices);
    case ValueKind::kFile: return "compopt -o default 2>/dev/null";
    case ValueKind::kFolder: return "compopt -o dirnames 2>/dev/null";
    case ValueKind::kOther:
    case ValueKind::kNone: break;
  }
  return ":";
}

// The text in '...' of a POSIX shell.
std::string shell_quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

std::string zsh_action(const OptionRow& option) {
  switch (option.kind) {
    case ValueKind::kChoice: return "(" + core::join(option.choices, " ") + ")";
    case ValueKind::kFile: return "_files";
    case ValueKind::kFolder: return "_files -/";
    case ValueKind::kOther:
    case ValueKind::kNone: break;
  }
  return " ";
}

std::string zsh_escaped(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) text = replaced(text, special, std::string("\\") + special);
  return text;
}

// An _arguments spec for each name: '(-n --np)-n[description]:LIST: '.
std::string zsh_option(const OptionRow& option) {
  std::string specs;
  for (const std::string& name : option.names) {
    std::string spec = option.repeatable ? "*" : "(" + core::join(option.names, " ") + ")";
    spec += name + "[" + zsh_escaped(option.description) + "]";
    if (!option.value.empty()) spec += ":" + zsh_escaped(option.value) + ":" + zsh_action(option);
    specs += " \\\n        " + shell_quoted(spec);
  }
  return specs;
}

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_option(const OptionRow& option, const std::string& condition) {
  std::string line = "complete -c scalediag" + condition;
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  switch (option.kind) {
    case ValueKind::kChoice: line += " -x -a " + fish_quoted(core::join(option.choices, " ")); break;
    case ValueKind::kFile: line += " -r -F"; break;
    case ValueKind::kFolder: line += " -x -a '(__fish_complete_directories)'"; break;
    case ValueKind::kOther: line += " -x"; break;
    case ValueKind::kNone: break;
  }
  return line + " -d " + fish_quoted(option.description) + "\n";
}

}  // namespace

std::string bash_completion(const OptionTable& table) {
  std::string script =
      "# Completion of scalediag for bash, made by `scalediag completion bash`.\n"
      "_scalediag() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' i\n"
      "  COMPREPLY=()\n"
      "  # Bash takes --name=value for three words.\n"
      "  if [[ $cur == '=' ]]; then\n"
      "    cur=''\n"
      "  elif [[ $prev == '=' && COMP_CWORD -gt 1 ]]; then\n"
      "    prev=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
      "      compopt -o default 2>/dev/null\n"
      "      return\n"
      "    fi\n"
      "    if [[ -z $command && ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; fi\n"
      "  done\n"
      "  case \"$command $prev\" in\n";
  for (const CommandRow& command : table.commands) {
    for (const OptionRow& option : command.options) {
      if (option.value.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back("'" + command.name + " " + name + "'");
      script += "    " + core::join(patterns, " | ") + ")\n      " + bash_value(option) + "\n      return ;;\n";
    }
  }
  script +=
      "  esac\n"
      "  case $command in\n"
      "    '')\n"
      "      if [[ $cur == -* ]]; then\n        " +
      words_reply(option_names(table.program, table)) + "\n      else\n        " + words_reply(names_of(table)) +
      "\n      fi ;;\n";
  for (const CommandRow& command : table.commands) {
    std::string positional = "compopt -o default 2>/dev/null";
    if (!command.positionals.empty()) positional = bash_value(command.positionals.front());
    script += "    " + command.name + ")\n      if [[ $cur == -* ]]; then\n        " +
              words_reply(option_names(command, table)) + "\n      else\n        " + positional + "\n      fi ;;\n";
  }
  return script + "  esac\n}\ncomplete -F _scalediag scalediag\n";
}

std::string zsh_completion(const OptionTable& table) {
  std::string script =
      "#compdef scalediag\n"
      "# Completion of scalediag for zsh, made by `scalediag completion zsh`.\n"
      "_scalediag() {\n"
      "  local curcontext=\"$curcontext\" state line ret=1\n"
      "  typeset -A opt_args\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const CommandRow& command : table.commands) {
    script += "    " +
              shell_quoted(replaced(command.name + ":" + replaced(command.description, ":", "\\:"), "\n", " ")) + "\n";
  }
  script += "  )\n  _arguments -C";
  for (const OptionRow& option : table.program.options) script += zsh_option(option);
  script +=
      " \\\n        '1:command:->command' \\\n        '*::argument:->argument' && ret=0\n"
      "  case $state in\n"
      "    command) _describe -t commands 'command' commands && ret=0 ;;\n"
      "    argument)\n"
      "      case $line[1] in\n";
  for (const CommandRow& command : table.commands) {
    script += "      " + command.name + ")\n        _arguments";
    for (const OptionRow& option : command.options) script += zsh_option(option);
    for (const OptionRow& positional : command.positionals) {
      script += " \\\n        " + shell_quoted(":" + zsh_escaped(positional.value) + ":" + zsh_action(positional));
    }
    if (command.takes_command) script += " \\\n        '*::application:_normal'";
    script += " && ret=0 ;;\n";
  }
  return script + "      esac ;;\n  esac\n  return ret\n}\n_scalediag \"$@\"\n";
}

std::string fish_completion(const OptionTable& table) {
  std::string script =
      "# Completion of scalediag for fish, made by `scalediag completion fish`.\n"
      "complete -c scalediag -n __fish_use_subcommand -f\n";
  for (const OptionRow& option : table.program.options) script += fish_option(option, " -n __fish_use_subcommand");
  for (const CommandRow& command : table.commands) {
    script += "complete -c scalediag -n __fish_use_subcommand -a " + command.name + " -d " +
              fish_quoted(command.description) + "\n";
  }
  for (const CommandRow& command : table.commands) {
    const std::string condition = " -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionRow& option : command.options) script += fish_option(option, condition);
    for (const OptionRow& positional : command.positionals) {
      if (positional.kind != ValueKind::kChoice) continue;
      script +=
          "complete -c scalediag" + condition + " -f -a " + fish_quoted(core::join(positional.choices, " ")) + "\n";
    }
  }
  return script;
}

}  // namespace scalediag::cli
