#include "collector/counters/callgrind/callgrind_file.h"

#include <charconv>
#include <string_view>
#include <unordered_map>

namespace scalediag::counters {
namespace {

// The numbers that stand for the names of one kind.
class NameTable {
 public:
  explicit NameTable(std::vector<std::string>& names) : names_(names) {}

  // The index of "(3) name", "(3)" or "name". Empty for a number that was not defined, and for one that cannot be read.
  std::optional<uint32_t> index_of(std::string_view text) {
    if (text.empty() || text.front() != '(') return intern(std::string(text));
    const size_t close = text.find(')');
    uint64_t number = 0;
    if (close == text.npos || !is_number(text.substr(1, close - 1), number)) return intern(std::string(text));
    std::string_view name = text.substr(close + 1);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    if (name.empty()) {
      const auto known = by_number_.find(number);
      return known == by_number_.end() ? std::nullopt : std::optional<uint32_t>(known->second);
    }
    return by_number_[number] = intern(std::string(name));
  }

 private:
  static bool is_number(std::string_view text, uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  }
  uint32_t intern(std::string name) {
    const auto [at, is_new] = by_name_.try_emplace(std::move(name), static_cast<uint32_t>(names_.size()));
    if (is_new) names_.push_back(at->first);
    return at->second;
  }

  std::vector<std::string>& names_;
  std::unordered_map<uint64_t, uint32_t> by_number_;
  std::unordered_map<std::string, uint32_t> by_name_;
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  size_t at = 0;
  while ((at = text.find_first_not_of(" \t", at)) != text.npos) {
    const size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

class Parser {
 public:
  Parser(const std::string& text, const std::string& file)
      : text_(text), file_(file), objects_(result_.objects), functions_(result_.functions) {}

  Result<CallgrindFile> parse() {
    object_ = *objects_.index_of("???");
    std::string_view rest = text_;
    while (!rest.empty() && problem_.empty()) {
      ++line_number_;
      const size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      take(line);
    }
    if (problem_.empty()) check_totals();
    if (!problem_.empty()) {
      return Error{ErrorCode::kInput, file_ + " cannot be used: " + problem_, "run the same command again", file_};
    }
    return std::move(result_);
  }

 private:
  void fail(const std::string& what) { problem_ = "line " + std::to_string(line_number_) + ": " + what; }

  void take(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    const char first = line.front();
    if ((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*') return take_cost(line);
    const size_t mark = line.find_first_of(":=");
    if (mark == line.npos) return fail("this is not callgrind's format");
    std::string_view value = line.substr(mark + 1);
    if (line[mark] == '=') return take_name(line.substr(0, mark), value);
    const size_t begin = value.find_first_not_of(' ');
    take_header(line.substr(0, mark), begin == value.npos ? std::string_view() : value.substr(begin));
  }

  void take_header(std::string_view key, std::string_view value) {
    if (key == "pid") {
      std::from_chars(value.data(), value.data() + value.size(), result_.pid);
    } else if (key == "desc") {
      constexpr std::string_view kTrigger = "Trigger: ";
      if (value.substr(0, kTrigger.size()) == kTrigger) result_.trigger = value.substr(kTrigger.size());
    } else if (key == "positions") {
      take_positions(value);
    } else if (key == "events") {
      take_events(value);
    } else if (key == "totals") {
      take_totals(value);
    }
    // Other lines (version, creator, cmd, part, thread, summary, event) are not needed.
  }

  void take_positions(std::string_view value) {
    const auto columns = words_of(value);
    if (columns.empty() || columns.size() > 8) return fail("these are not positions");
    position_.assign(columns.size(), 0);
    address_column_.reset();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == "instr") address_column_ = i;
    }
  }

  void take_events(std::string_view value) {
    auto events = words_of(value);
    if (events.empty() || events.size() > 64) return fail("these are not events");
    if (!result_.events.empty() && events != result_.events) return fail("its parts counted different events");
    result_.events = std::move(events);
    sums_.resize(result_.events.size(), 0);
    totals_.resize(result_.events.size(), 0);
  }

  void take_totals(std::string_view value) {
    const auto words = words_of(value);
    if (words.size() > totals_.size()) return fail("there are more totals than events");
    for (size_t i = 0; i < words.size(); ++i) {
      uint64_t total = 0;
      if (!number(words[i], 10, total)) return fail("'" + words[i] + "' is not a number");
      totals_[i] += total;
    }
    has_totals_ = true;
  }

  void take_name(std::string_view key, std::string_view value) {
    if (key == "ob") {
      object_ = known(objects_, value);
    } else if (key == "cob") {
      known(objects_, value);
    } else if (key == "fn") {
      function_ = known(functions_, value);
    } else if (key == "cfn" || key == "jfn") {
      known(functions_, value);
    } else if (key == "calls") {
      next_is_call_ = true;
    } else if (key != "fl" && key != "fi" && key != "fe" && key != "cfi" && key != "cfl" && key != "jfi" &&
               key != "jump" && key != "jcnd" && key != "ln" && key != "rfn" && key != "rfi" && key != "rob") {
      fail("'" + std::string(key) + "=' is not known");
    }
  }

  uint32_t known(NameTable& names, std::string_view value) {
    const auto index = names.index_of(value);
    if (!index) fail("the name '" + std::string(value) + "' was not defined");
    return index.value_or(0);
  }

  // Reads positions, then costs; costs at the end that are 0 may be missing.
  void take_cost(std::string_view line) {
    if (result_.events.empty()) return fail("costs before the list of events");
    size_t at = 0;
    for (uint64_t& position : position_) {
      const std::string_view word = next_word(line, at);
      if (word.empty() || !move(position, word)) return fail("a position is missing or not a number");
    }
    const size_t first = result_.costs.size();
    std::vector<uint64_t>& costs = result_.costs;
    bool any = false;
    for (size_t i = 0; i < result_.events.size(); ++i) {
      const std::string_view word = next_word(line, at);
      uint64_t value = 0;
      if (!word.empty() && !number(word, 10, value)) {
        costs.resize(first);
        return fail("'" + std::string(word) + "' is not a number");
      }
      costs.push_back(value);
      any = any || value != 0;
    }
    if (!next_word(line, at).empty()) return fail("there are more costs than events");
    const bool is_call = std::exchange(next_is_call_, false);
    if (is_call || !any) return costs.resize(first);
    if (!function_) return fail("costs before the first function");
    for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += costs[first + i];
    CallgrindLine entry{object_, *function_, std::nullopt};
    if (address_column_) entry.address = position_[*address_column_];
    result_.lines.push_back(entry);
  }

  static std::string_view next_word(std::string_view line, size_t& at) {
    at = line.find_first_not_of(" \t", at);
    if (at == line.npos) {
      at = line.size();
      return {};
    }
    const size_t begin = at;
    at = std::min(line.find_first_of(" \t", at), line.size());
    return line.substr(begin, at - begin);
  }

  static bool number(std::string_view word, int base, uint64_t& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc() && end == word.data() + word.size();
  }

  // "5" and "0x5" are absolute, "+5" and "-5" relative to the line before, "*" is the same.
  static bool move(uint64_t& position, std::string_view word) {
    if (word == "*") return true;
    uint64_t value = 0;
    const char sign = word.front();
    if (sign == '+' || sign == '-') {
      if (!number(word.substr(1), 10, value)) return false;
      position = sign == '+' ? position + value : position - value;
      return true;
    }
    const bool hexadecimal = word.substr(0, 2) == "0x";
    if (!number(hexadecimal ? word.substr(2) : word, hexadecimal ? 16 : 10, value)) return false;
    position = value;
    return true;
  }

  void check_totals() {
    if (result_.events.empty() || !has_totals_) {
      problem_ = "it is not whole: its totals are missing";
      return;
    }
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i] == totals_[i]) continue;
      problem_ = "its costs add up to " + std::to_string(sums_[i]) + " " + result_.events[i] + ", its total is " +
                 std::to_string(totals_[i]);
      return;
    }
  }

  const std::string& text_;
  const std::string& file_;
  CallgrindFile result_;
  NameTable objects_;
  NameTable functions_;
  std::string problem_;
  size_t line_number_ = 0;
  std::vector<uint64_t> position_ = {0};  // without "positions:" there is one, the line
  std::optional<size_t> address_column_;
  uint32_t object_ = 0;
  std::optional<uint32_t> function_;
  bool next_is_call_ = false;
  bool has_totals_ = false;
  std::vector<uint64_t> sums_;
  std::vector<uint64_t> totals_;
};

}  // namespace

Result<CallgrindFile> parse_callgrind(const std::string& text, const std::string& file) {
  return Parser(text, file).parse();
}

}  // namespace scalediag::counters
