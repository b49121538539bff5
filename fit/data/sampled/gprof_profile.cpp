#include "fit/data/sampled/gprof_profile.h"

#include <optional>
#include <vector>

#include "fit/data/measurement_set.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::string_view kTitle = "Flat profile:";
constexpr size_t kTitleWithin = 4000;  // commands that were pasted along may stand above it
constexpr const char* kNote =
    "CPU time of the program's own functions, without libraries, MPI and waiting; of one process, unless `gprof -s` "
    "summed up several";

struct GprofRow {
  std::string_view name;
  double self_s = 0;
  std::optional<double> calls;
};

// "47.50  0.03  0.03  1904  0.02  0.05  name", of which the three numbers before the name may be blank.
std::optional<GprofRow> gprof_row(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  const auto is_number = [&words](size_t i) { return i < words.size() && parse_number(words[i]).has_value(); };
  if (!is_number(0) || !is_number(1) || !is_number(2) || words.size() < 4) return std::nullopt;
  const bool has_calls = words.size() > 6 && is_number(3) && is_number(4) && is_number(5);
  if (!has_calls && is_number(3)) return std::nullopt;
  GprofRow row;
  row.self_s = *parse_number(words[2]);
  if (has_calls) row.calls = parse_number(words[3]);
  const std::string_view first = words[has_calls ? 6 : 3];
  row.name = trimmed(line.substr(static_cast<size_t>(first.data() - line.data())));
  // The numbers of cycles change from run to run.
  if (const size_t cycle = row.name.rfind(" <cycle "); cycle != row.name.npos && row.name.ends_with('>')) {
    row.name = row.name.substr(0, cycle);
  }
  return row;
}

}  // namespace

bool is_gprof(std::string_view text) {
  text = without_byte_order_mark(text);
  const size_t title = text.substr(0, kTitleWithin).find(kTitle);
  return title != text.npos && (title == 0 || text[title - 1] == '\n') &&
         text.substr(title, kTitleWithin).find("cumulative") != text.npos;
}

core::Result<MeasuredRun> read_gprof(const std::string& text, const std::string& file) {
  MeasuredRun run;
  run.file = file;
  run.notes.push_back(kNote);
  LineReader lines(text);
  const auto failed = [&](const std::string& what) {
    return Error{ErrorCode::kInput, file + ":" + std::to_string(lines.number()) + ": " + what,
                 "print the profile again with `gprof -b ./app gmon.out`", file};
  };
  bool in_profile = false, in_table = false;
  double total_s = 0;
  for (std::optional<std::string_view> line; (line = lines.next());) {
    const std::string_view content = trimmed(*line);
    in_profile = in_profile || content == kTitle;
    if (!in_table) {
      // The second line of the heading names the unit.
      if (in_profile && content.starts_with("time ") && content.ends_with("name")) {
        if (!content.starts_with("time   seconds   seconds")) return failed("times are not in seconds");
        in_table = true;
      }
      continue;
    }
    if (content.empty() || content.front() == '\f') break;
    const auto row = gprof_row(content);
    if (!row) {
      return failed("'" + shown(content) +
                    "' is no row: % time, cumulative seconds, self seconds, calls, time per call "
                    "twice, name");
    }
    const std::string name = normalized_call_path(std::string(row->name));
    run.add(name, kCpuTime, row->self_s);
    if (row->calls) run.add(name, "calls", *row->calls);
    total_s += row->self_s;
  }
  if (run.values().empty()) {
    return Error{ErrorCode::kInput, file + " has a flat profile without functions",
                 "the program has to be compiled and linked with -pg, and to end by itself", file};
  }
  run.add(kWholeRun, kTotalCpuTime, total_s);
  return run;
}

}  // namespace scalediag::fit
