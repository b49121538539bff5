#include "cli/manual_page.h"

#include <sstream>

#include "core/text/join.h"

namespace scalediag::cli {
namespace {

// Escapes the characters that roff would replace typographically, so that text copied from the page works in a shell.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  return out;
}

// A line of text that is no request.
std::string line_of(const std::string& text) {
  return (text.empty() || (text[0] != '.' && text[0] != '\'') ? "" : "\\&") + text + "\n";
}

// Text that is filled: short lines, each sentence on a new one, as man(7) recommends.
std::string filled(const std::string& text) {
  constexpr size_t kLine = 76;
  std::istringstream words(text);
  std::string out, line;
  const auto flush = [&] {
    if (!line.empty()) out += line_of(line);
    line.clear();
  };
  for (std::string word; words >> word;) {
    const std::string roff = escaped(word);
    if (!line.empty() && line.size() + 1 + roff.size() > kLine) flush();
    line += (line.empty() ? "" : " ") + roff;
    if (word.size() > 1 && word.back() == '.') flush();
  }
  flush();
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

bool is_indented(const std::string& line) { return line.starts_with("  "); }

// The footer of a help text: paragraphs, and indented lines that stay as they are.
std::string footer_of(const std::string& footer) {
  std::istringstream lines(footer);
  std::string out, paragraph;
  bool literal = false;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) out += ".PP\n" + filled(paragraph);
    paragraph.clear();
  };
  const auto set_literal = [&](bool to) {
    if (literal == to) return;
    end_paragraph();
    out += to ? ".PP\n.nf\n.RS 4\n" : ".RE\n.fi\n";
    literal = to;
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      set_literal(false);
      end_paragraph();
    } else if (is_indented(line)) {
      set_literal(true);
      out += line_of(escaped(line.substr(2)));
    } else {
      set_literal(false);
      paragraph += line + " ";
    }
  }
  set_literal(false);
  end_paragraph();
  return out;
}

std::string option_of(const OptionRow& option) {
  std::string out = ".TP\n";
  for (size_t i = 0; i < option.names.size(); ++i) out += (i == 0 ? "" : ", ") + bold(option.names[i]);
  if (!option.value.empty()) out += " " + italic(option.value);
  out += "\n";
  std::string text = option.description + ".";
  if (option.kind == ValueKind::kChoice) text += " One of " + core::join(option.choices) + ".";
  if (!option.default_value.empty()) text += " Default: " + option.default_value + ".";
  return out + filled(text);
}

std::string usage_of(const CommandRow& command) {
  std::string out = bold("scalediag " + command.name);
  bool any_optional = false;
  for (const OptionRow& option : command.options) {
    if (option.required) out += " " + bold(option.names.front()) + " " + italic(option.value);
    any_optional = any_optional || !option.required;
  }
  if (any_optional) out += " [" + italic("options") + "]";
  for (const OptionRow& positional : command.positionals) {
    out += positional.required ? " " + italic(positional.names.front()) : " [" + italic(positional.names.front()) + "]";
  }
  if (command.takes_command) out += " " + bold("--") + " " + italic("APP ARGS");
  return out + "\n";
}

std::string command_of(const CommandRow& command) {
  std::string out = ".SS scalediag " + escaped(command.name) + "\n" + usage_of(command);
  out += ".PP\n" + filled(command.description + ".");
  for (const OptionRow& positional : command.positionals) {
    out += ".TP\n" + italic(positional.names.front()) + "\n" + filled(positional.description + ".");
  }
  for (const OptionRow& option : command.options) {
    if (option.names.back() != "--help") out += option_of(option);
  }
  return out + footer_of(command.footer);
}

constexpr const char* kEnd = R"(.SH ENVIRONMENT
.TP
.B NO_COLOR
No colours on a terminal.
.TP
.B COLUMNS
Width of tables where the output is no terminal.
.TP
.B SCALEDIAG_LIBRARY_DIR
Where libscalediag.so and scalediag\-rank lie, if not beside the program as
installed.
.TP
.B XDG_CACHE_HOME
Its folder scalediag holds what
.B scalediag machine
measured; ~/.cache where it is not set.
.SH EXIT STATUS
.TP
.B 0
Success.
.TP
.B 1
A rule of
.B scalediag check
failed.
.TP
.B 2
The command line or the input cannot be used.
.TP
.B 3
This machine lacks something or refuses it.
.TP
.B 130
It was interrupted.
.PP
.B scalediag profile
passes the application\(aqs own status on; 124 says that a run exceeded its
time limit.
)";

}  // namespace

std::string manual_page(const OptionTable& table, const std::string& version, const std::string& date) {
  std::string out = ".\\\" Made by `scalediag man` from the options that the program knows.\n";
  out += ".TH SCALEDIAG 1 \"" + date + "\" \"scalediag " + version + "\" \"User Commands\"\n";
  out += ".SH NAME\nscalediag \\- tell which function of an MPI program stops scaling\n.SH SYNOPSIS\n";
  for (size_t i = 0; i < table.commands.size(); ++i) out += (i == 0 ? "" : ".br\n") + usage_of(table.commands[i]);
  out += ".SH DESCRIPTION\n" +
         filled(
             "scalediag tells which function of an MPI program will stop scaling, at what scale, why, and what the "
             "whole run costs there, from a few small runs of an unmodified program. It profiles the program at "
             "several process counts, models every function and every MPI operation, and predicts larger scales "
             "with intervals.");
  out += ".SH OPTIONS\n";
  for (const OptionRow& option : table.program.options) out += option_of(option);
  out += footer_of(table.program.footer);
  out += ".SH COMMANDS\n";
  for (const CommandRow& command : table.commands) out += command_of(command);
  return out + kEnd;
}

}  // namespace scalediag::cli
