#include "fit/data/measurement_file.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/json/json_reader.h"
#include "fit/data/extrap_json.h"
#include "fit/data/extrap_jsonl.h"
#include "fit/data/extrap_text.h"
#include "fit/data/shown_text.h"
#include "fit/data/tables/timing_table.h"

namespace scalediag::fit {
namespace {

constexpr const char* kFormats =
    "scalediag reads experiment folders and their profile.json, Extra-P's text, JSON and JSON-lines formats, and tables of "
    "timings (CSV, Markdown, LaTeX)";

// The first line with content: not empty, and no comment of the text format.
std::string_view first_line(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin != line.npos && line[begin] != '#') return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
  }
  return {};
}

bool is_section(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  constexpr std::string_view kSections[] = {"PARAMETER", "POINTS", "REGION", "METRIC", "DATA"};
  return std::find(std::begin(kSections), std::end(kSections), word) != std::end(kSections);
}

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

}  // namespace

const char* name_of(FileKind kind) {
  switch (kind) {
    case FileKind::kProfile:
      return "profile.json";
    case FileKind::kExtrapText:
      return "Extra-P's text format";
    case FileKind::kExtrapJson:
      return "Extra-P's JSON format";
    case FileKind::kTable:
      return "a table of timings";
    case FileKind::kExtrapJsonLines:
      break;
  }
  return "Extra-P's JSON-lines format";
}

FileKind kind_of(const std::string& text) {
  size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  begin = text.find_first_not_of(" \t\r\n", begin);
  if (begin == std::string::npos || (text[begin] != '{' && text[begin] != '[')) {
    return is_timing_table(text) ? FileKind::kTable : FileKind::kExtrapText;
  }
  // In the JSON-lines format a line is complete in itself; in the other formats only if the file has a single line.
  const std::string_view first(text.data() + begin, std::min(text.find('\n', begin), text.size()) - begin);
  const bool has_params = first.find("\"params\"") != std::string_view::npos;
  if (has_params && first.find("\"measurements\"") == std::string_view::npos) return FileKind::kExtrapJsonLines;
  const std::string_view head(text.data() + begin, std::min<size_t>(text.size() - begin, 400));
  if (head.find("\"schema\"") != std::string_view::npos && head.find("scalediag-") != std::string_view::npos) {
    return FileKind::kProfile;
  }
  return FileKind::kExtrapJson;
}

core::Result<MeasurementSet> parse_measurements(const std::string& text, FileKind kind, const std::string& file) {
  if (kind == FileKind::kTable) {
    core::Result<TimingTable> table = read_timing_table(text, file);
    if (!table) return table.error();
    return std::move(table).value().set;
  }
  const std::string_view first = first_line(text);
  if (first.empty()) return core::Error{core::ErrorCode::kInput, file + " holds nothing", kFormats, file};
  if (kind == FileKind::kExtrapText) {
    if (is_section(first)) return parse_extrap_text(text, file);
    return no_format(file, "line '" + shown(first) + "' begins with none of the sections",
                     "they begin with { or [, and are UTF-8");
  }
  if (kind == FileKind::kExtrapJsonLines) return parse_extrap_jsonl(text, file);
  const core::Result<nlohmann::json> document = core::parse_json(text, file);
  if (document) return read_extrap_json(document.value(), file);
  // The file is cut off, or damaged in one place.
  if (text.find("\"measurements\"") != std::string::npos) {
    core::Error error = document.error();
    error.hint = core::find_number_out_of_range(text) ? "correct the number, or leave its value out"
                                                      : "write or copy the file again";
    return error;
  }
  return no_format(file, "it begins with '" + shown(first.substr(0, 1)) + "'", what_is_wrong(text));
}

}  // namespace scalediag::fit
