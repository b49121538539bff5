#include "report/rules/rule_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "core/text/join.h"
#include "core/text/shortening.h"
#include "core/text/suggestion.h"
#include "report/diff/comparison.h"

namespace scalediag::report {
namespace {

using core::Error;
using core::Result;

struct Function {
  const char* name;
  Quantity quantity;
};
constexpr std::array kQuantities = {
    Function{"total", Quantity::kTotal},
    Function{"run", Quantity::kRun},
    Function{"computation", Quantity::kComputation},
    Function{"gpu", Quantity::kGpu},
    Function{"communication", Quantity::kCommunication},
    Function{"waiting", Quantity::kWaiting},
    Function{"others", Quantity::kOthers},
    Function{"speedup", Quantity::kSpeedup},
    Function{"efficiency", Quantity::kEfficiency},
};
constexpr std::array kProperties = {
    Function{"time", Quantity::kKernelTime},
    Function{"share", Quantity::kKernelShare},
    Function{"rank", Quantity::kKernelRank},
    Function{"metric", Quantity::kKernelMetric},
};

struct Unit {
  const char* name;
  Dimension dimension;
  double factor;
};
constexpr std::array kUnits = {
    Unit{"us", Dimension::kTime, 1e-6},  Unit{"ms", Dimension::kTime, 1e-3}, Unit{"s", Dimension::kTime, 1},
    Unit{"min", Dimension::kTime, 60},   Unit{"h", Dimension::kTime, 3600},  Unit{"B", Dimension::kBytes, 1},
    Unit{"kB", Dimension::kBytes, 1e3},  Unit{"MB", Dimension::kBytes, 1e6}, Unit{"GB", Dimension::kBytes, 1e9},
    Unit{"TB", Dimension::kBytes, 1e12}, Unit{"%", Dimension::kRatio, 0.01},
};

template <size_t N>
std::vector<std::string> names_of(const std::array<Function, N>& functions) {
  std::vector<std::string> names;
  for (const Function& f : functions) names.emplace_back(f.name);
  return names;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// A hint of a question and a list, either of which may be empty.
std::string hint_of(const std::string& question, const std::string& list) {
  return question.empty() ? list : list.empty() ? question : question + " " + list;
}

// Every function either succeeds or leaves the first error in failure_, after which nothing is read any more.
class Parser {
 public:
  Parser(const std::string& text, const std::string& where) {
    rule_.text = text;
    rule_.where = where;
  }

  Result<Rule> parse() {
    read_rule();
    if (!failure_ && skip_blanks() < rule_.text.size()) {
      fail("'" + rest() + "' is more than a rule", "give each rule its own --rule, or its own line");
    }
    if (failure_) return *failure_;
    return std::move(rule_);
  }

 private:
  void read_rule() {
    const size_t begin = skip_blanks();
    const std::string word = read_name();
    if (word.empty()) return fail_expected("a rule begins with a quantity", "");
    if (word == "kernel") return read_kernel_value();
    if (word == "growth") return read_growth();
    if (word == "scales") return read_scales();
    if (word == "time") return read_time(begin);
    for (const Function& f : kQuantities) {
      if (word != f.name) continue;
      rule_.quantity = f.quantity;
      if (!expect('(')) return;
      read_at_and_limit(f.quantity == Quantity::kTotal || f.quantity == Quantity::kRun);
      return;
    }
    std::vector<std::string> names = names_of(kQuantities);
    for (const char* other : {"kernel", "growth", "scales"}) names.emplace_back(other);
    // A property without its kernel.
    for (const Function& f : kProperties) {
      if (word == f.name) return fail_at(begin, "'" + word + "' is of a kernel", "kernel('NAME')." + word + "(...)");
    }
    fail_at(begin, "there is no quantity '" + word + "'",
            hint_of(core::did_you_mean(word, names), "rules know: " + core::join(names)));
  }

  // Reads "(kernel=NAME, at) < history", the form of rules about a history.
  void read_time(size_t begin) {
    const size_t after = at_;
    const bool opens = skip_blanks() < rule_.text.size() && peek() == '(';
    if (opens) ++at_;
    skip_blanks();
    if (!opens || read_name() != "kernel" || skip_blanks() >= rule_.text.size() || peek() != '=') {
      at_ = after;
      return fail_at(begin, "'time' is of a kernel", "kernel('NAME').time(...), or of a history time(kernel=NAME)");
    }
    ++at_;
    rule_.quantity = Quantity::kKernelTime;
    rule_.kernel_column = column(skip_blanks());
    if (peek() == '*') {
      rule_.kernel = kEveryKernel;
      ++at_;
    } else if (peek() == '\'' || peek() == '"') {
      rule_.kernel = read_text("the kernel's name");
    } else {
      rule_.kernel = read_name();
    }
    if (!failure_ && rule_.kernel.empty())
      return fail_expected("expected the kernel's name", "time(kernel='ns::solve')");
    if (skip_blanks(); peek() == ',') {
      ++at_;
      read_at(true);
    }
    const size_t comparison = at_;
    if (!expect(')')) return;
    read_limit();
    if (!failure_ && !rule_.history && rule_.at.empty()) {
      fail_at(comparison, "it does not say at which scale", "for example time(kernel=solve, np=64)<2s");
    }
  }

  // Reads "np=512) < limit". Where `may_be_empty`, a rule about a history may leave out the scale.
  void read_at_and_limit(bool may_be_empty) {
    const size_t begin = skip_blanks();
    const bool is_empty = may_be_empty && peek() == ')';
    if (!is_empty) read_at(true);
    if (!expect(')')) return;
    read_limit();
    if (failure_ || !is_empty || rule_.history) return;
    at_ = begin;
    read_at(true);
  }

  // Reads the name in parentheses after "kernel".
  void read_kernel_name() {
    if (!expect('(')) return;
    rule_.kernel_column = column(skip_blanks());
    rule_.kernel = read_text("the kernel's name in quotes, as in kernel('solve')");
    if (!failure_ && rule_.kernel.empty()) fail_at(at_, "the kernel has no name", "kernel('solve')");
    if (!failure_) expect(')');
  }

  void read_kernel_value() {
    read_kernel_name();
    if (failure_) return;
    if (skip_blanks(); peek() != '.') {
      return fail_expected("expected .time, .share, .rank or .metric of the kernel", "kernel('NAME').share(np=64)<0.5");
    }
    ++at_;
    const size_t begin = skip_blanks();
    const std::string word = read_name();
    bool known = false;
    for (const Function& f : kProperties) {
      if (word != f.name) continue;
      rule_.quantity = f.quantity;
      known = true;
    }
    if (!known) {
      if (word == "scales" || word == "growth") {
        return fail_at(begin, "a kernel has no '" + word + "'",
                       word + " is asked of it: " + word + "(kernel('" + rule_.kernel + "'), ...)");
      }
      const std::vector<std::string> names = names_of(kProperties);
      return fail_at(begin, "a kernel has no '" + word + "'",
                     hint_of(core::did_you_mean(word, names), "kernels have: " + core::join(names)));
    }
    if (!expect('(')) return;
    if (rule_.quantity == Quantity::kKernelMetric) {
      rule_.metric_column = column(skip_blanks());
      rule_.metric = read_text("the metric's name in quotes, as in metric('instructions', np=64)");
      if (failure_ || !expect(',')) return;
    }
    read_at_and_limit(rule_.quantity == Quantity::kKernelTime);
  }

  // Reads "(" ( kernel | quantity ): the subject of growth.
  void read_growing() {
    const size_t begin = skip_blanks();
    const std::string word = read_name();
    if (word == "kernel") {
      rule_.grows = Quantity::kKernelTime;
      return read_kernel_name();
    }
    std::vector<std::string> names = {"kernel"};
    for (const Function& f : kQuantities) {
      if (f.quantity == Quantity::kSpeedup || f.quantity == Quantity::kEfficiency) continue;
      names.emplace_back(f.name);
      if (word != f.name) continue;
      rule_.grows = f.quantity;
      return;
    }
    fail_at(begin, word.empty() ? "expected what grows" : "there is no growth of '" + word + "'",
            hint_of(core::did_you_mean(word, names),
                    "growth(kernel('NAME')), or of " + core::join(std::span(names).subspan(1))));
  }

  void read_growth() {
    rule_.quantity = Quantity::kGrowth;
    if (!expect('(')) return;
    read_growing();
    if (failure_) return;
    if (skip_blanks(); peek() == ',') {
      ++at_;
      read_at(true);
    }
    if (expect(')')) read_limit();
  }

  void read_scales() {
    rule_.quantity = Quantity::kScales;
    if (!expect('(')) return;
    const size_t begin = skip_blanks();
    if (const std::string word = read_name(); word != "kernel") {
      return fail_at(begin, "expected a kernel", "scales(kernel('NAME'))");
    }
    read_kernel_name();
    if (failure_) return;
    if (skip_blanks(); peek() == ',') {
      ++at_;
      read_at(true);
    }
    expect(')');
  }

  void read_at(bool required) {
    if (failure_) return;
    while (true) {
      const size_t begin = skip_blanks();
      RuleTarget target;
      target.column = column(begin);
      target.parameter = read_name();
      if (target.parameter.empty()) {
        if (required) fail_expected("expected at which scale, as np=512", "for example total(np=512)<120s");
        return;
      }
      for (const RuleTarget& other : rule_.at) {
        if (other.parameter == target.parameter) {
          return fail_at(begin, "'" + target.parameter + "' is given twice", "a rule is about one configuration");
        }
      }
      if (!expect('=')) return;
      const size_t value = skip_blanks();
      const std::optional<double> number = read_number("a number after " + target.parameter + "=");
      if (!number) return;
      target.value = *number;
      if (!(target.value > 0)) return fail_at(value, "a parameter has to be above 0", "");
      rule_.at.push_back(std::move(target));
      if (skip_blanks(); peek() != ',') return;
      ++at_;
    }
  }

  void read_limit() {
    if (!read_comparison()) return;
    const size_t begin = skip_blanks();
    if (rule_.text.compare(begin, 7, "history") == 0) return read_history(begin);
    const std::optional<double> number = read_number("a number to compare with");
    if (!number) return;
    const size_t unit_begin = skip_blanks();
    const std::string unit = peek() == '%' ? std::string(1, rule_.text[at_++]) : read_name();
    const std::optional<double> factor = factor_of(unit, unit_begin, begin);
    if (!factor) return;
    rule_.limit = *number * *factor;
    check_limit(begin, unit);
  }

  void read_history(size_t begin) {
    const bool is_time = rule_.quantity == Quantity::kTotal || rule_.quantity == Quantity::kRun ||
                         rule_.quantity == Quantity::kKernelTime;
    if (!is_time)
      return fail_at(begin, "a history is of times", "of total, run and kernels: time(kernel=solve)<history");
    if (rule_.comparison != Relation::kLess && rule_.comparison != Relation::kLessOrEqual) {
      return fail_at(begin, "a history is an upper limit", "write <history");
    }
    at_ = begin + 7;
    rule_.history = kUnnoticedChange;
    if (skip_blanks(); peek() != '+') return;
    ++at_;
    const size_t number_begin = skip_blanks();
    const std::optional<double> number = read_number("a percentage, as in history+5%");
    if (!number) return;
    if (*number < 0) return fail_at(number_begin, "the tolerance is below 0", "for example history+5%");
    if (expect('%')) rule_.history = *number / 100;
  }

  bool read_comparison() {
    const size_t begin = skip_blanks();
    const char first = peek();
    const bool with_equal = first != '\0' && at_ + 1 < rule_.text.size() && rule_.text[at_ + 1] == '=';
    if (first == '<') rule_.comparison = with_equal ? Relation::kLessOrEqual : Relation::kLess;
    if (first == '>') rule_.comparison = with_equal ? Relation::kGreaterOrEqual : Relation::kGreater;
    if (first != '<' && first != '>') {
      const bool equal = first == '=' || first == '!';
      const bool reversed =
          first == '=' && at_ + 1 < rule_.text.size() && (rule_.text[at_ + 1] == '<' || rule_.text[at_ + 1] == '>');
      fail_at(
          begin, equal && !reversed ? "values are not compared for being equal" : "expected <, <=, > or >=",
          reversed ? std::string("did you mean '") + rule_.text[at_ + 1] + "='?" : "for example total(np=512)<120s");
      return false;
    }
    at_ += with_equal ? 2 : 1;
    return true;
  }

  std::optional<double> factor_of(const std::string& unit, size_t unit_begin, size_t number_begin) {
    const Dimension dimension = dimension_of(rule_);
    std::vector<std::string> units;
    for (const Unit& u : kUnits) {
      if (u.dimension == dimension) units.emplace_back(u.name);
    }
    if (unit.empty()) {
      if (dimension != Dimension::kTime) return 1.0;
      fail_at(number_begin, "a time needs a unit", "for example 120s; units are " + core::join(units));
      return std::nullopt;
    }
    for (const Unit& u : kUnits) {
      if (unit == u.name && u.dimension == dimension) return u.factor;
    }
    const std::string list = units.empty() ? "leave it out: this is a plain number" : "units are " + core::join(units);
    fail_at(unit_begin, "there is no unit '" + unit + "' here", hint_of(core::did_you_mean(unit, units), list));
    return std::nullopt;
  }

  // Checks limits that make sense only with a percentage.
  void check_limit(size_t begin, const std::string& unit) {
    const bool fraction = rule_.quantity == Quantity::kKernelShare;
    const bool about_one = rule_.quantity == Quantity::kEfficiency;
    if (!unit.empty() || !((fraction && rule_.limit > 1) || (about_one && rule_.limit >= 5))) return;
    const std::string number = rule_.text.substr(begin, at_ - begin);
    fail_at(begin, std::string(fraction ? "a share" : "an efficiency") + " is 1 where it is all",
            "did you mean " + number.substr(0, number.find_last_not_of(" \t\r") + 1) + "%?");
  }

  std::string read_name() {
    const size_t begin = at_;
    if (failure_ || is_digit(peek())) return "";
    while (is_name_character(peek())) ++at_;
    return rule_.text.substr(begin, at_ - begin);
  }

  std::string read_text(const std::string& expected) {
    std::string text;
    if (failure_) return text;
    const char quote = peek();
    if (quote != '\'' && quote != '"') {
      fail_expected("expected " + expected, "");
      return text;
    }
    const size_t begin = at_++;
    while (at_ < rule_.text.size()) {
      const char c = rule_.text[at_++];
      if (c != quote) {
        text += c;
      } else if (peek() == quote) {
        text += quote;
        ++at_;
      } else {
        return text;
      }
    }
    fail_at(begin, "the quote is not closed", "");
    return text;
  }

  std::optional<double> read_number(const std::string& expected) {
    if (failure_) return std::nullopt;
    const size_t begin = at_;
    const char* first = rule_.text.data() + at_;
    const char* last = rule_.text.data() + rule_.text.size();
    const char* digits = first != last && *first == '-' ? first + 1 : first;
    double value = 0;
    // from_chars also accepts "inf" and "nan", which are no limits.
    const bool starts = digits != last && (is_digit(*digits) || *digits == '.');
    const auto [end, error] =
        starts ? std::from_chars(first, last, value) : std::from_chars_result{first, std::errc::invalid_argument};
    if (error == std::errc::result_out_of_range) {
      fail_at(begin, "the number is too large or too small", "");
      return std::nullopt;
    }
    if (error != std::errc()) {
      fail_expected("expected " + expected, "");
      return std::nullopt;
    }
    at_ += static_cast<size_t>(end - first);
    return value;
  }

  bool expect(char c) {
    if (failure_) return false;
    skip_blanks();
    if (peek() == c) {
      ++at_;
      return true;
    }
    fail_expected(std::string("expected '") + c + "'", "");
    return false;
  }

  size_t skip_blanks() {
    while (at_ < rule_.text.size() && is_blank(rule_.text[at_])) ++at_;
    return at_;
  }
  char peek() const { return at_ < rule_.text.size() ? rule_.text[at_] : '\0'; }
  std::string rest() const { return core::shorten_middle(rule_.text.substr(at_), 20); }
  size_t column(size_t at) const { return core::display_width(rule_.text.substr(0, at)) + 1; }

  void fail_expected(const std::string& what, const std::string& hint) {
    fail_at(at_, what + (at_ >= rule_.text.size() ? ", and the rule ends" : ", found '" + rest() + "'"), hint);
  }
  void fail(const std::string& what, const std::string& hint) { fail_at(at_, what, hint); }
  void fail_at(size_t at, const std::string& what, const std::string& hint) {
    if (!failure_) failure_ = rule_error(rule_, column(at), what, hint);
  }

  Rule rule_;
  size_t at_ = 0;
  std::optional<Error> failure_;
};

bool is_space(char c) { return c == ' ' || c == '\t'; }

// The line without its comment, which begins with a # outside of quotes.
std::string without_comment(const std::string& line) {
  char quote = '\0';
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote != '\0') {
      if (line[i] == quote) quote = '\0';
    } else if (line[i] == '\'' || line[i] == '"') {
      quote = line[i];
    } else if (line[i] == '#' && (i == 0 || is_space(line[i - 1]))) {
      return line.substr(0, i);
    }
  }
  return line;
}

}  // namespace

Result<Rule> parse_rule(const std::string& text, const std::string& where) { return Parser(text, where).parse(); }

std::vector<Result<Rule>> parse_rules(const std::string& text, const std::string& file) {
  std::vector<Result<Rule>> rules;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = without_comment(text.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    const size_t last = line.find_last_not_of(" \t\r");
    if (last == std::string::npos) continue;
    line.resize(last + 1);  // blanks before it stay, so that columns are those of the file
    rules.push_back(parse_rule(line, file + ":" + std::to_string(number)));
  }
  return rules;
}

}  // namespace scalediag::report
