#include "fit/data/measurement_formats.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/json/json_reader.h"
#include "fit/data/caliper/cali_stream.h"
#include "fit/data/caliper/caliper_json.h"
#include "fit/data/cube/cube_file.h"
#include "fit/data/cube/tar_members.h"
#include "fit/data/extrap_json.h"
#include "fit/data/extrap_jsonl.h"
#include "fit/data/extrap_text.h"
#include "fit/data/file_head.h"
#include "fit/data/mpip/mpip_report.h"
#include "fit/data/sampled/gprof_profile.h"
#include "fit/data/sampled/perf_report.h"
#include "fit/data/saved/extrap_saved.h"
#include "fit/data/shown_text.h"
#include "fit/data/tables/exported_csv.h"
#include "fit/data/tables/timing_table.h"
#include "fit/data/talp/talp_json.h"

namespace scalediag::fit {
namespace {

constexpr const char* kFormats =
    "scalediag reads experiment folders and their profile.json, Extra-P's formats, tables of timings (CSV, Markdown, "
    "LaTeX), and profiles of Score-P, Scalasca, Caliper, mpiP, TALP, gprof and perf";

std::string what_is_wrong(const std::string& text) {
  try {
    if (nlohmann::json::parse(text).is_discarded()) return "";
  } catch (const nlohmann::json::parse_error& e) {
    return "byte " + std::to_string(e.byte) + " of " + std::to_string(text.size()) + " does not fit";
  } catch (const nlohmann::json::exception&) {
    const auto number = core::find_number_out_of_range(text);
    return number ? "line " + std::to_string(number->line) + ", " + core::text_of(*number) : "a number is out of range";
  }
  return "";
}

core::Error no_format(const std::string& file, const std::string& not_text, const std::string& not_json) {
  return {core::ErrorCode::kInput,
          file + " is in none of the formats that are read: Extra-P's text (" + not_text +
              "), Extra-P's JSON, JSON lines and profile.json (" + not_json + ")",
          kFormats, file};
}

core::Result<MeasurementSet> read_text(const std::string& text, const std::string& file) {
  if (is_extrap_text(text)) return parse_extrap_text(text, file);
  // Of a binary file the first bytes say enough.
  const std::string_view line = first_content_line(text);
  return no_format(file, "line '" + shown(line.substr(0, line.find('\0'))) + "' begins with none of the sections",
                   "they begin with { or [, and are UTF-8");
}

core::Result<MeasurementSet> read_json(const std::string& text, const std::string& file) {
  const core::Result<nlohmann::json> document = core::parse_json(text, file);
  if (document) return read_extrap_json(document.value(), file);
  // The file is cut off, or damaged in one place.
  if (text.find("\"measurements\"") != std::string::npos) {
    core::Error error = document.error();
    error.hint = core::find_number_out_of_range(text) ? "correct the number, or leave its value out"
                                                      : "write or copy the file again";
    return error;
  }
  return no_format(file, "it begins with '" + shown(first_content_line(text).substr(0, 1)) + "'", what_is_wrong(text));
}

// In the JSON-lines format a line is complete in itself; in the other formats only if the file has a single line.
bool is_json_lines(std::string_view text) {
  const std::string_view first = first_json_line(text);
  return first.find("\"params\"") != first.npos && first.find("\"measurements\"") == first.npos;
}

bool is_profile(std::string_view text) {
  const std::string_view head = json_head(text, 400);
  return head.find("\"schema\"") != head.npos && head.find("scalediag-") != head.npos;
}

core::Result<MeasurementSet> read_table(const std::string& text, const std::string& file) {
  core::Result<TimingTable> table = read_timing_table(text, file);
  if (!table) return table.error();
  return std::move(table).value().set;
}

bool is_json(std::string_view text) { return !json_head(text, 1).empty(); }
bool is_anything(std::string_view) { return true; }

constexpr MeasurementFormat kMeasurementFormats[] = {
    {FileKind::kCube, "Cube's format", is_cube, nullptr, read_cube},
    {FileKind::kExtrapSaved, "Extra-P's saved experiments", is_extrap_saved, read_extrap_saved, nullptr},
    {FileKind::kCali, "Caliper's format", is_cali, nullptr, read_cali},
    {FileKind::kCaliperJson, "Caliper's JSON format", is_caliper_json, nullptr, read_caliper_json},
    {FileKind::kTalp, "TALP's JSON format", is_talp, nullptr, read_talp},
    {FileKind::kMpip, "mpiP's report format", is_mpip, nullptr, read_mpip},
    {FileKind::kGprof, "gprof's flat profile", is_gprof, nullptr, read_gprof},
    {FileKind::kPerfReport, "the report of perf", is_perf_report, nullptr, read_perf_report},
    {FileKind::kExtrapJsonLines, "Extra-P's JSON-lines format", is_json_lines, parse_extrap_jsonl, nullptr},
    {FileKind::kProfile, "profile.json", is_profile, nullptr, nullptr},
    {FileKind::kExtrapJson, "Extra-P's JSON format", is_json, read_json, nullptr},
    {FileKind::kExportedCsv, "the CSV of `scalediag export`", is_exported_csv, read_exported_csv, nullptr},
    {FileKind::kTable, "a table of timings", is_timing_table, read_table, nullptr},
    {FileKind::kExtrapText, "Extra-P's text format", is_anything, read_text, nullptr},
};

}  // namespace

std::span<const MeasurementFormat> measurement_formats() { return kMeasurementFormats; }

bool may_begin_run(std::string_view head) {
  if (begins_like_tar(head)) {
    const std::string_view first = head.substr(0, head.find('\0'));
    return first.ends_with(".index") || first.ends_with(".data") || first.ends_with("anchor.xml");
  }
  if (is_cali(head) || head.starts_with("@") || is_gprof(head) || is_perf_report(head)) return true;
  const std::string_view object = json_head(head, head.size());
  constexpr std::string_view kFields[] = {"\"data\"", "\"columns\"", "\"nodes\"", "\"dlbVersion\"", "\"popMetrics\""};
  return object.starts_with("{") &&
         std::any_of(std::begin(kFields), std::end(kFields),
                     [object](std::string_view field) { return object.find(field) != object.npos; });
}

const MeasurementFormat& format_of(FileKind kind) {
  return *std::find_if(std::begin(kMeasurementFormats), std::end(kMeasurementFormats) - 1,
                       [kind](const MeasurementFormat& format) { return format.kind == kind; });
}

core::Result<MeasuredRun> read_run(const MeasurementFormat& format, const std::string& text, const std::string& file) {
  core::Result<MeasuredRun> run = format.read_run(text, file);
  if (!run || run.value().first_left_out().empty()) return run;
  return core::Error{core::ErrorCode::kInput,
                     file + " has more than " + std::to_string(kMostRunValues) +
                         " values: " + shown(run.value().first_left_out(), 80) + " is beyond them",
                     "write the profile of fewer call paths or metrics", file};
}

}  // namespace scalediag::fit
