#include "fit/data/cube/cube_file.h"

#include <map>
#include <vector>

#include "fit/data/cube/cube_anchor.h"
#include "fit/data/cube/cube_values.h"
#include "fit/data/cube/tar_members.h"
#include "fit/data/inflated.h"
#include "fit/data/shown_text.h"
#include "fit/data/tables/cell_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;
using Members = std::map<std::string, std::string_view>;

constexpr const char* kAnchor = "anchor.xml";
constexpr size_t kMostAnchorBytes = size_t{512} << 20;

core::Result<CubeAnchor> read_anchor(const Members& members, const std::string& file) {
  const std::string where = file + ": " + kAnchor;
  const std::string_view bytes = members.at(kAnchor);
  if (!bytes.starts_with("\x1f\x8b")) return parse_cube_anchor(bytes, where);
  const auto xml = inflated(bytes, Packing::kGzip, kMostAnchorBytes);
  if (xml) return parse_cube_anchor(*xml, where);
  return Error{ErrorCode::kInput, where + " cannot be unpacked: it is damaged, or larger than 512 MiB",
               "copy the file again", file};
}

size_t threads_of(const CubeAnchor& anchor) {
  size_t threads = 0;
  for (const CubeLocation& location : anchor.locations) threads += location.is_thread ? 1 : 0;
  return threads;
}

}  // namespace

bool is_cube(std::string_view bytes) {
  if (!begins_like_tar(bytes)) return false;
  const auto members = tar_members(bytes, "");
  // Its reader says what is wrong with a damaged one.
  return members ? members.value().count(kAnchor) != 0 : bytes.find(kAnchor) != bytes.npos;
}

core::Result<MeasuredRun> read_cube(const std::string& bytes, const std::string& file) {
  const core::Result<Members> members = tar_members(bytes, file);
  if (!members) return members.error();
  if (members.value().count(kAnchor) == 0) {
    return Error{ErrorCode::kInput, file + " has no member anchor.xml, which every Cube profile has", "", file};
  }
  const core::Result<CubeAnchor> anchor = read_anchor(members.value(), file);
  if (!anchor) return anchor.error();

  MeasuredRun run;
  run.file = file;
  run.processes = anchor.value().ranks;
  run.metadata["threads"] = static_cast<double>(threads_of(anchor.value())) / anchor.value().ranks;
  std::string left_out;
  for (const CubeMetric& metric : anchor.value().metrics) {
    const auto index = members.value().find(std::to_string(metric.id) + ".index");
    const auto data = members.value().find(std::to_string(metric.id) + ".data");
    const bool is_stored = index != members.value().end() && data != members.value().end();
    const bool is_plain = metric.type == "INCLUSIVE" || metric.type == "EXCLUSIVE";
    if (!is_stored || !is_plain || !is_readable_dtype(metric.dtype)) {
      left_out += (left_out.empty() ? "" : ", ") + shown(metric.name);
      continue;
    }
    const std::string where = file + ": " + std::to_string(metric.id);
    const auto values = read_cube_values(anchor.value(), metric, index->second, data->second, where);
    if (!values) return values.error();
    const double factor = seconds_per(metric.unit).value_or(1);  // times are in seconds
    for (size_t i = 0; i < values.value().size(); ++i) {
      run.add(anchor.value().nodes[i].path, metric.name, factor * values.value()[i]);
    }
  }
  if (!left_out.empty()) run.notes.push_back("metrics without values that can be read are left out: " + left_out);
  return run;
}

}  // namespace scalediag::fit
