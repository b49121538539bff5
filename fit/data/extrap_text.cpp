#include "fit/data/extrap_text.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/text/join.h"
#include "core/text/numbers.h"
#include "fit/data/file_head.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

constexpr const char* kTextFormat =
    "the format is: PARAMETER names, POINTS of them, then REGION, METRIC and one DATA line a point";

class TextParser {
 public:
  TextParser(const std::string& text, const std::string& file) : lines_(text), file_(file) {}

  core::Result<MeasurementSet> parse() {
    for (std::optional<std::string_view> line; !error_ && (line = lines_.next());) read_line(*line);
    if (!error_) end_data_block();
    if (!error_ && !has_data_) fail("there is no DATA");
    if (error_) return *error_;
    return std::move(*builder_).finish();
  }

 private:
  void fail(const std::string& what, const std::string& hint = kTextFormat) {
    if (!error_) error_ = Error{ErrorCode::kInput, where() + ": " + what, hint, file_};
  }
  std::string where() const { return file_ + ":" + std::to_string(lines_.number()); }
  std::string block() const { return "region " + shown(region_) + ", metric " + shown(metric_); }

  void read_line(std::string_view line) {
    line = trimmed(line);
    if (line.empty() || line.front() == '#') return;
    const size_t space = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view keyword = line.substr(0, space);
    const std::string_view rest = trimmed(line.substr(space));
    if (keyword == "PARAMETER") {
      read_parameters(rest);
    } else if (keyword == "POINTS") {
      read_points(rest);
    } else if (keyword == "REGION") {
      end_data_block();
      region_ = normalized_call_path(std::string(rest));
      if (region_.empty()) fail("REGION has no name");
    } else if (keyword == "METRIC") {
      end_data_block();
      metric_ = std::string(rest);
      if (metric_.empty()) fail("METRIC has no name");
    } else if (keyword == "DATA") {
      read_data(rest);
    } else {
      fail("'" + shown(keyword) + "' is not a section of Extra-P's text format",
           "lines begin with PARAMETER, POINTS, REGION, METRIC, DATA or #");
    }
  }

  void read_parameters(std::string_view rest) {
    if (!numbers_.empty()) return fail("PARAMETER stands after POINTS", "name all parameters first");
    const size_t before = parameters_.size();
    for (TokenReader tokens(rest); const auto token = tokens.next();) parameters_.emplace_back(*token);
    if (parameters_.size() == before) fail("PARAMETER has no name");
  }

  // Numbers of a point stand in parentheses, each of them possibly in a pair of its own.
  void read_points(std::string_view rest) {
    if (parameters_.empty()) return fail("POINTS stands before PARAMETER");
    if (builder_) return fail("POINTS stands after DATA", "name all points first");
    int depth = 0;
    size_t in_group = 0;
    bool any = false;
    size_t i = 0;
    while (i < rest.size() && !error_) {
      const char c = rest[i];
      if (c == '(') {
        if (depth++ == 0) in_group = 0;
        if (depth > 2) fail("too many '(' in POINTS");
        ++i;
      } else if (c == ')') {
        if (--depth < 0) return fail("')' without '(' in POINTS");
        if (depth == 0 && in_group != parameters_.size()) return fail(wrong_point(in_group));
        ++i;
      } else if (c == ' ' || c == '\t' || c == ',') {
        ++i;
      } else {
        const size_t end = std::min(rest.find_first_of("(), \t", i), rest.size());
        const auto value = parse_number(rest.substr(i, end - i));
        if (!value) return fail("'" + shown(rest.substr(i, end - i)) + "' is not a number");
        if (depth == 0 && parameters_.size() > 1) {
          return fail("a point of " + std::to_string(parameters_.size()) + " parameters stands in parentheses");
        }
        numbers_.push_back(*value);
        any = true;
        ++in_group;
        i = end;
      }
    }
    if (error_) return;
    if (depth != 0) return fail("'(' without ')' in POINTS");
    if (!any) return fail("POINTS has no point");
    find_repeated_point();
  }

  // Repeats of a measurement are values of one DATA line; a point that is named twice is a mistake in it.
  void find_repeated_point() {
    std::set<std::vector<double>> named;
    const size_t n = parameters_.size();
    for (size_t begin = 0; begin + n <= numbers_.size(); begin += n) {
      std::vector<double> point(numbers_.begin() + static_cast<std::ptrdiff_t>(begin),
                                numbers_.begin() + static_cast<std::ptrdiff_t>(begin + n));
      const std::string text = core::join(point, " ", [](double value) { return core::to_text(value); });
      if (named.insert(std::move(point)).second) continue;
      return fail("the point (" + text + ") stands there twice",
                  "name each point once; repeated measurements are several values in its DATA line");
    }
  }

  std::string wrong_point(size_t values) const {
    return "a point has " + std::to_string(values) + " values for " + std::to_string(parameters_.size()) +
           " parameters";
  }

  size_t points() const { return parameters_.empty() ? 0 : numbers_.size() / parameters_.size(); }

  void read_data(std::string_view rest) {
    if (parameters_.empty()) return fail("DATA stands before PARAMETER");
    if (numbers_.empty()) return fail("DATA stands before POINTS");
    if (!builder_) builder_.emplace(parameters_);
    if (data_lines_ == points()) {
      return fail(block() + " has more DATA lines than there are points (" + std::to_string(points()) + ")");
    }
    if (data_lines_ == 0 && !measured_.emplace(region_, metric_).second) {
      return fail(block() + " has DATA a second time",
                  "give all of its DATA lines together; repeated measurements are several values in a line");
    }
    values_.clear();
    for (TokenReader tokens(rest); const auto token = tokens.next();) {
      const auto value = parse_number(*token);
      if (!value) return fail("'" + shown(*token) + "' is not a number");
      values_.push_back(*value);
    }
    const std::span<const double> at(numbers_.data() + data_lines_ * parameters_.size(), parameters_.size());
    builder_->add(region_, metric_, at, values_, where());
    ++data_lines_;
    has_data_ = true;
  }

  void end_data_block() {
    if (data_lines_ != 0 && data_lines_ != points()) {
      fail(block() + " has " + std::to_string(data_lines_) + " DATA lines for " + std::to_string(points()) + " points",
           "give one DATA line a point; an empty one (DATA) stands for a point without measurement");
    }
    data_lines_ = 0;
  }

  LineReader lines_;
  const std::string& file_;
  std::vector<std::string> parameters_;
  std::vector<double> numbers_;  // of all points, one point after the other
  std::string region_ = kDefaultCallPath;
  std::string metric_ = kDefaultMetric;
  size_t data_lines_ = 0;  // of the present region and metric
  bool has_data_ = false;
  std::set<std::pair<std::string, std::string>> measured_;  // regions and metrics that have DATA
  std::vector<double> values_;
  std::optional<SeriesBuilder> builder_;
  std::optional<Error> error_;
};

}  // namespace

bool is_extrap_text(std::string_view text) {
  const std::string_view line = first_content_line(text), word = line.substr(0, line.find_first_of(" \t"));
  return word == "PARAMETER" || word == "POINTS" || word == "REGION" || word == "METRIC" || word == "DATA";
}

core::Result<MeasurementSet> parse_extrap_text(const std::string& text, const std::string& file) {
  return TextParser(text, file).parse();
}

}  // namespace scalediag::fit
