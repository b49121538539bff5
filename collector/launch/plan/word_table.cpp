#include "collector/launch/plan/word_table.h"

#include "core/text/join.h"
#include "core/text/shell_words.h"
#include "core/text/value_list.h"

namespace scalediag::launch {
namespace {

// The text between commas and line breaks that are not quoted.
std::vector<std::string> split_entries(const std::string& text) {
  std::vector<std::string> entries(1);
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ',' || c == '\n')) {
      entries.emplace_back();
      continue;
    }
    entries.back() += c;
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      entries.back() += text[++i];
    } else if (quote == c) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    }
  }
  return entries;
}

}  // namespace

Result<WordTable> parse_word_table(const std::string& text, const std::string& option) {
  WordTable table;
  for (const std::string& entry : split_entries(text)) {
    if (entry.find_first_not_of(" \t") == entry.npos) continue;  // the last line break of a file
    const size_t colon = entry.find(':');
    const auto np = core::parse_process_counts(entry.substr(0, colon));
    if (colon == entry.npos || !np || np.value().size() != 1) {
      return Error{ErrorCode::kUsage,
                   option + ": '" + entry + "' does not begin with a number of processes and a colon",
                   "as in " + option + "='2:2 1 1,4:2 2 1'; quote words that have commas: 2:\"2,1,1\"", "--words"};
    }
    auto words = TRY(core::split_shell_words(entry.substr(colon + 1)));
    if (!table.emplace(np.value().front(), std::move(words)).second) {
      return Error{ErrorCode::kUsage, option + " has np=" + std::to_string(np.value().front()) + " twice",
                   "leave one of them out", "--words"};
    }
  }
  if (!table.empty()) return table;
  return Error{ErrorCode::kUsage, option + " has no entry", "as in " + option + "='2:2 1 1,4:2 2 1'", "--words"};
}

Result<WordTables> parse_word_tables(const std::vector<std::string>& typed,
                                     const std::map<std::string, std::string>& stored) {
  WordTables tables;
  for (const std::string& text : typed) {
    const size_t equals = text.find('=');
    if (equals == text.npos) {
      return Error{ErrorCode::kUsage, "--words " + text + ": there is no table", "as in --words grid='2:2 1,4:2 2'",
                   "--words"};
    }
    const std::string name = text.substr(0, equals);
    auto table = TRY(parse_word_table(text.substr(equals + 1), "--words " + name));
    if (!tables.emplace(name, std::move(table)).second) {
      return Error{ErrorCode::kUsage, "--words " + name + " is given twice", "put its entries into one table",
                   "--words"};
    }
  }
  for (const auto& [name, text] : stored) {
    auto table = TRY(parse_word_table(text, "--words " + name));
    tables[name].merge(table);
  }
  return tables;
}

std::string text_of(const WordTable& table) {
  return core::join(table, ",", [](const auto& entry) {
    std::string text = std::to_string(entry.first) + ":";
    for (const std::string& word : entry.second) {
      const std::string quoted = core::quote_shell_word(word);
      const bool bare_comma = quoted == word && word.find(',') != word.npos;
      text += (text.back() == ':' ? "" : " ") + (bare_comma ? "'" + word + "'" : quoted);
    }
    return text;
  });
}

std::map<std::string, std::string> texts_of(const WordTables& tables) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, table] : tables) texts[name] = text_of(table);
  return texts;
}

}  // namespace scalediag::launch
