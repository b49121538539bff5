#include "report/rule.h"

#include <algorithm>
#include <array>

#include "report/shortening.h"

namespace scalediag::report {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::array<std::pair<const char*, const char*>, 11> kExamples = {{
    {"run(np=512)<120s", "between MPI_Init and MPI_Finalize; also computation, communication, waiting"},
    {"total(np=512)<150s", "with start and end, which alone are others"},
    {"efficiency(np=256)>=80%", "speed-up over the smallest measured scale, over how many times as many processes"},
    {"speedup(np=64)>30", "over the smallest measured scale"},
    {"kernel('halo').time(np=1024)<2s", "of a function or MPI operation, a rank in the mean"},
    {"kernel('halo').rank(np=1024)>3", "1 is the kernel that takes most time"},
    {"kernel('solve').share(np=64)<0.5", "of the run"},
    {"kernel('MPI_Send').metric('bytes', np=64)<2GB", "calls and bytes of all ranks, instructions of one"},
    {"growth(kernel('setup'))<=0.1", "d log time / d log processes: -1 scales ideally, 0 stays as it is"},
    {"growth(communication, np=256)<0.5", "up to that scale; without it, to four times the largest measured one"},
    {"scales(kernel('solve'))", "predict does not say that it stops scaling"},
}};

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

const char* text_of(Relation comparison) {
  switch (comparison) {
    case Relation::kLess:
      return "<";
    case Relation::kLessOrEqual:
      return "<=";
    case Relation::kGreater:
      return ">";
    case Relation::kGreaterOrEqual:
      break;
  }
  return ">=";
}

Dimension dimension_of(const Rule& rule) {
  switch (rule.quantity) {
    case Quantity::kTotal:
    case Quantity::kRun:
    case Quantity::kComputation:
    case Quantity::kCommunication:
    case Quantity::kWaiting:
    case Quantity::kOthers:
    case Quantity::kKernelTime:
      return Dimension::kTime;
    case Quantity::kEfficiency:
    case Quantity::kKernelShare:
      return Dimension::kRatio;
    case Quantity::kKernelMetric:
      if (rule.metric == "bytes") return Dimension::kBytes;
      return rule.metric.ends_with("_s") ? Dimension::kTime : Dimension::kNumber;
    case Quantity::kSpeedup:
    case Quantity::kKernelRank:
    case Quantity::kGrowth:
    case Quantity::kScales:
      break;
  }
  return Dimension::kNumber;
}

Error rule_error(const Rule& rule, size_t column, const std::string& what, const std::string& hint) {
  // A rule is text of unknown origin: its control characters must not reach the terminal.
  const std::string place = rule.where.empty() ? "" : rule.where + ": ";
  return {ErrorCode::kUsage,
          printable(place + "rule \"" + rule.text + "\", column " + std::to_string(column) + ": " + what),
          printable(hint), ""};
}

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

std::span<const std::pair<const char*, const char*>> rule_examples() { return kExamples; }

}  // namespace scalediag::report
