#include "collector/replay/place/replayed_place.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "collector/replay/recorded_run.h"
#include "core/atomic_file.h"
#include "core/json/json_fields.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

namespace scalediag::replay {

void fields(auto& f, ReplayedPlace& place) {
  f("host", place.host);
  f("environment", place.environment);
  f("differences", place.differences);
  f.newer("build", place.build);
  f.newer("uses_openmp", place.uses_openmp);
}

namespace {

constexpr char kPlaceFile[] = "/place.json", kPlaceSchema[] = "scalediag-replayed-place";

}  // namespace

Status write_place(const std::string& results, const ReplayedPlace& place) {
  constexpr int kCompactDepth = 2;
  const auto document = core::json_of_record(place, {{"schema", std::string(kPlaceSchema) + "/1"}});
  const auto text = TRY(core::to_json_text(document, kCompactDepth));
  return core::write_file_atomically(results + kPlaceFile, text);
}

Result<std::optional<ReplayedPlace>> read_place(const std::string& folder) {
  const std::string file = folder + kResultsFolder + kPlaceFile;
  std::error_code failed;
  if (!std::filesystem::exists(file, failed) && !failed) return std::optional<ReplayedPlace>();
  const auto text = TRY(core::read_file(file));
  const auto document = TRY(core::parse_json(text, file));
  TRY(core::check_schema(document, kPlaceSchema, 1, file, "replay it again"));
  std::optional<std::string> failure;
  auto place = core::record_of<ReplayedPlace>(core::JsonNode(document, failure));
  if (failure) return Error{ErrorCode::kInput, file + " is damaged: " + *failure, "replay it again", file};
  return std::optional<ReplayedPlace>(std::move(place));
}

}  // namespace scalediag::replay
