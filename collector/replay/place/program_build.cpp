#include "collector/replay/place/program_build.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/atomic_file.h"
#include "core/text/join.h"

namespace scalediag::replay {
namespace {

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string words_only_in(const std::string& text, const std::string& other) {
  const auto others = words_in(other);
  std::vector<std::string> found;
  for (const std::string& word : words_in(text)) {
    if (std::ranges::find(others, word) == others.end()) found.push_back(word);
  }
  return core::join(found, " ");
}

}  // namespace

std::string build_of(const std::string& program) {
  const auto content = core::read_file(program);
  if (!content) return "";
  const std::string_view text = content.value();
  // DW_AT_producer, which lies among the strings of the debug information.
  const std::string_view begin("\0GNU ", 5);
  std::string first;
  for (size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
    const std::string producer(text.substr(at + 1, text.find('\0', at + 1) - at - 1));
    if (producer.find(" -m") == producer.npos) continue;  // the assembler, or another text
    if (producer.find(" -O") != producer.npos) return producer;
    if (first.empty()) first = producer;
  }
  return first;
}

std::string build_difference(const std::string& recorded, const std::string& now) {
  if (recorded.empty() || now.empty()) return "";
  const std::string before = words_only_in(recorded, now), after = words_only_in(now, recorded);
  if (before.empty()) return after;
  return (after.empty() ? "without " : after + " in place of ") + before;
}

}  // namespace scalediag::replay
