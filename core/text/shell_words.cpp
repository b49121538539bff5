#include "core/text/shell_words.h"

#include <cstring>

namespace scalediag::core {

Result<std::vector<std::string>> split_shell_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // Inside "..." a backslash quotes only characters that would be special there.
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < text.size() &&
                         (quote == 0 || std::strchr("\\\"$`", text[i + 1]) != nullptr);
    if (escapes) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) {
    return Error{ErrorCode::kUsage, "a quote is not closed in '" + text + "'", std::string("add the missing ") + quote,
                 text};
  }
  if (in_word) words.push_back(word);
  return words;
}

std::string quote_shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=./:,@%{}^") == std::string::npos;
  // Braces are quoted, since a shell expands {a,b}.
  const bool brace_list = word.find('{') != std::string::npos && word.find(',') != std::string::npos;
  if (plain && !brace_list) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string join_shell_words(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) {
    if (!joined.empty()) joined += ' ';
    joined += quote_shell_word(word);
  }
  return joined;
}

}  // namespace scalediag::core
