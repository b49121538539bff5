#include "fit/readers/measurement_file.h"

#include <algorithm>
#include <string_view>

#include "core/json_reader.h"
#include "fit/readers/extrap_json.h"
#include "fit/readers/extrap_jsonl.h"
#include "fit/readers/extrap_text.h"

namespace scalediag::fit {

FileKind kind_of(const std::string& text) {
  size_t begin = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
  begin = text.find_first_not_of(" \t\r\n", begin);
  if (begin == std::string::npos || (text[begin] != '{' && text[begin] != '[')) return FileKind::kExtrapText;
  // A line of the JSON-lines format is complete in itself; of the others only a file on one line is.
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
  if (kind == FileKind::kExtrapText) return parse_extrap_text(text, file);
  if (kind == FileKind::kExtrapJsonLines) return parse_extrap_jsonl(text, file);
  const core::Result<nlohmann::json> document = core::parse_json(text, file);
  if (!document) return document.error();
  return read_extrap_json(document.value(), file);
}

}  // namespace scalediag::fit
