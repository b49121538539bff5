#include "fit/data/measurement_file.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fit/data/file_head.h"
#include "fit/data/runs/run_set.h"

namespace scalediag::fit {

const char* name_of(FileKind kind) { return format_of(kind).name; }

FileKind kind_of(const std::string& text) {
  const auto formats = measurement_formats();
  return std::find_if(formats.begin(), formats.end() - 1,
                      [&text](const MeasurementFormat& format) { return format.recognises(text); })
      ->kind;
}

core::Result<MeasurementSet> parse_measurements(const std::string& text, FileKind kind, const std::string& file) {
  if (first_content_line(text).empty()) {
    return core::Error{core::ErrorCode::kInput, file + " holds nothing",
                       "`scalediag predict --help` names the formats that are read", file};
  }
  const MeasurementFormat& format = format_of(kind);
  if (format.read != nullptr) return format.read(text, file);
  core::Result<MeasuredRun> run = read_run(format, text, file);
  if (!run) return run.error();
  std::vector<MeasuredRun> runs;
  runs.push_back(std::move(run).value());
  return set_of_runs(std::move(runs));
}

}  // namespace scalediag::fit
