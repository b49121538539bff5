#include "fit/data/sampled/perf_report.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "fit/data/measurement_set.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

constexpr const char* kPerfNote = "CPU time or counts of all processes that perf recorded together, without waiting";
constexpr double kSecondsPerCount = 1e-9;  // of the events that are clocks

// Cells are apart by two blanks or more: names of commands and symbols have single ones.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    const size_t end = std::min(line.find("  "), line.size());
    cells.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(end);
  }
  return cells;
}

// "cycles" of "cycles:ppp": behind the colon are letters that say what is counted.
std::string_view without_modifiers(std::string_view event) {
  const size_t colon = event.rfind(':');
  return colon != event.npos && event.find_first_not_of("ukhpPGHSDeIW", colon + 1) == event.npos
             ? event.substr(0, colon)
             : event;
}

std::optional<double> percent(std::string_view cell) {
  if (!cell.ends_with('%')) return std::nullopt;
  cell.remove_suffix(1);
  return parse_number(cell);
}

class PerfReader {
 public:
  PerfReader(const std::string& text, const std::string& file) : lines_(text), file_(file) { run_.file = file; }

  core::Result<MeasuredRun> read() {
    for (std::optional<std::string_view> line; !error_ && (line = lines_.next());) read_line(*line);
    if (!error_) finish_event();
    if (error_) return *error_;
    if (run_.values().empty()) {
      return Error{ErrorCode::kInput, file_ + " has no row of a symbol", "`perf report --stdio -g none` prints them",
                   file_};
    }
    run_.notes.push_back(kPerfNote);
    return std::move(run_);
  }

 private:
  struct Columns {
    std::optional<size_t> share, period, object, symbol;
    size_t count = 0;
  };

  void fail(const std::string& what, const char* hint = "print the report again with `perf report --stdio -g none`") {
    if (!error_) {
      error_ = Error{ErrorCode::kInput, file_ + ":" + std::to_string(lines_.number()) + ": " + what, hint, file_};
    }
  }

  void read_line(std::string_view line) {
    const std::string_view content = trimmed(line);
    if (content.starts_with("#")) return read_comment(trimmed(content.substr(1)));
    // Lines of call graphs are not indented as rows are, or have no share.
    if (!columns_ || content.empty() || !percent(content.substr(0, content.find(' ')))) return;
    read_row(content);
  }

  void read_comment(std::string_view comment) {
    constexpr std::string_view kSamples = "Samples: ", kCount = "Event count (approx.): ";
    if (comment.starts_with(kSamples)) {
      finish_event();
      const size_t begin = comment.find('\''), end = comment.rfind('\'');
      if (comment.find(" of events ") != comment.npos || begin == end) {
        return fail("'" + shown(comment) + "' is not of one event",
                    "`perf report --stdio -g none --no-group` prints a table an event");
      }
      event_ = without_modifiers(comment.substr(begin + 1, end - begin - 1));
    } else if (comment.starts_with(kCount)) {
      count_ = parse_number(trimmed(comment.substr(kCount.size())));
      if (!count_) fail("'" + shown(comment.substr(kCount.size())) + "' is not a number");
    } else if (comment.starts_with("Overhead") || comment.starts_with("Children")) {
      read_heading(cells_of(comment));
    }
  }

  void read_heading(const std::vector<std::string_view>& names) {
    const auto place = [&names](std::string_view name) -> std::optional<size_t> {
      const auto found = std::find(names.begin(), names.end(), name);
      return found == names.end() ? std::nullopt : std::optional(static_cast<size_t>(found - names.begin()));
    };
    Columns columns{place("Self"), place("Period"), place("Shared Object"), place("Symbol"), names.size()};
    if (!columns.share) columns.share = place("Overhead");
    if (!columns.share || !columns.symbol) return fail("there is no column Overhead or Self, or none of Symbol");
    if (!event_ || !count_) return fail("no event and its count are named above this table");
    columns_ = columns;
  }

  void read_row(std::string_view content) {
    const std::vector<std::string_view> cells = cells_of(content);
    if (cells.size() <= std::max({*columns_->share, *columns_->symbol, columns_->period.value_or(0)})) {
      return fail("'" + shown(content) + "' has fewer cells than the table has columns");
    }
    const auto share = percent(cells[*columns_->share]);
    const auto period = columns_->period ? parse_number(cells[*columns_->period]) : std::nullopt;
    if (!share || (columns_->period && !period)) return fail("'" + shown(content) + "' has no number for its share");
    const double value = period ? *period : *share / 100 * *count_;
    ++rows_;
    counted_ += value;
    run_.add(path_of(cells), metric(), value * unit());
  }

  // Addresses without a symbol differ in every run.
  std::string path_of(const std::vector<std::string_view>& cells) const {
    std::string_view symbol = cells[*columns_->symbol];
    if (symbol.size() > 3 && symbol[0] == '[' && symbol[2] == ']') symbol = trimmed(symbol.substr(3));
    const std::string_view digits = symbol.starts_with("0x") ? symbol.substr(2) : symbol;
    if (digits.size() < 8 || digits.find_first_not_of("0123456789abcdef") != digits.npos) {
      return normalized_call_path(std::string(symbol));
    }
    const std::string object = columns_->object ? std::string(cells[*columns_->object]) + ", " : "";
    return "[" + object + "no symbol]";
  }

  bool is_clock() const { return event_ == "cpu-clock" || event_ == "task-clock"; }
  double unit() const { return is_clock() ? kSecondsPerCount : 1; }
  std::string metric() const { return is_clock() ? kCpuTime : *event_; }

  void finish_event() {
    if (rows_ > 0) {
      // The shares are rounded to 0.01 %.
      const double rounding = columns_->period ? 0 : 0.5e-4 * *count_ * static_cast<double>(rows_ + 1);
      if (*count_ - counted_ > rounding) run_.add("[other]", metric(), (*count_ - counted_) * unit());
      run_.add(kWholeRun, is_clock() ? kTotalCpuTime : *event_, *count_ * unit());
    }
    event_.reset();
    count_.reset();
    columns_.reset();
    counted_ = 0;
    rows_ = 0;
  }

  LineReader lines_;
  const std::string& file_;
  MeasuredRun run_;
  std::optional<std::string> event_;
  std::optional<double> count_;     // of the event
  std::optional<Columns> columns_;  // inside a table
  double counted_ = 0;              // what the rows have of the event's count
  size_t rows_ = 0;
  std::optional<Error> error_;
};

}  // namespace

bool is_perf_report(std::string_view text) {
  text = without_byte_order_mark(text);
  return text.starts_with("#") && (text.starts_with("# To display the perf.data header info") ||
                                   text.substr(0, 4000).find("# perf version : ") != text.npos ||
                                   (text.substr(0, 4000).find("# Samples: ") != text.npos &&
                                    text.substr(0, 4000).find("# Event count (approx.): ") != text.npos));
}

core::Result<MeasuredRun> read_perf_report(const std::string& text, const std::string& file) {
  return PerfReader(text, file).read();
}

}  // namespace scalediag::fit
