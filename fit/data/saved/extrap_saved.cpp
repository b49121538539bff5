#include "fit/data/saved/extrap_saved.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/json/json_reader.h"
#include "core/statistics.h"
#include "fit/data/saved/zip_member.h"
#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;
using nlohmann::json;

constexpr const char* kMember = "experiment.json";
constexpr size_t kMostBytes = size_t{1} << 30;
constexpr const char* kSaveAgain = "save the experiment again in Extra-P, or give its text or JSON file";

class SavedReader {
 public:
  SavedReader(const json& document, const std::string& file)
      : document_(document), file_(file), where_(file + ": " + kMember) {}

  core::Result<MeasurementSet> read() {
    const auto parameters = document_.find("parameters"), measurements = document_.find("measurements");
    if (parameters == document_.end() || !parameters->is_array() || parameters->empty()) {
      return fail("parameters", "expected a list of names");
    }
    std::vector<std::string> names;
    for (const json& name : *parameters) {
      if (!name.is_string()) return fail("parameters", "expected a list of names");
      names.push_back(name.get<std::string>());
    }
    if (measurements == document_.end() || !measurements->is_object())
      return fail("measurements", "expected an object");
    SeriesBuilder builder(names);
    for (const auto& [path, metrics] : measurements->items()) {
      if (!metrics.is_object()) return fail(shown(path), "expected an object of metrics");
      for (const auto& [metric, points] : metrics.items()) {
        const std::string place = shown(path) + "." + shown(metric);
        if (!points.is_array()) return fail(place, "expected a list of measurements");
        for (size_t i = 0; i < points.size(); ++i) {
          const std::string here = place + "[" + std::to_string(i) + "]";
          if (!read_point(points[i], names.size())) {
            return fail(here, "expected coordinate, a list of " + std::to_string(names.size()) +
                                  " numbers, with median, minimum and maximum");
          }
          builder.add(normalized_call_path(path), metric, at_, values_, where_ + ": " + here);
          ++read_;
        }
      }
    }
    if (read_ == 0) return fail("measurements", "there are none");
    MeasurementSet set = std::move(builder).finish();
    if (had_repeats_) {
      set.notes.push_back(
          "of the repeats a saved experiment has the least, the median and the largest, which are taken");
    }
    return set;
  }

 private:
  Error fail(const std::string& place, const std::string& what) const {
    return Error{ErrorCode::kInput, where_ + ": " + place + ": " + what, kSaveAgain, file_};
  }

  static bool is_number(const json& point, const char* name) {
    const auto found = point.find(name);
    return found != point.end() && found->is_number();
  }

  bool read_point(const json& point, size_t parameters) {
    if (!point.is_object()) return false;
    const auto coordinate = point.find("coordinate");
    if (coordinate == point.end() || !coordinate->is_array() || coordinate->size() != parameters) return false;
    at_.clear();
    for (const json& value : *coordinate) {
      if (!value.is_number()) return false;
      at_.push_back(value.get<double>());
    }
    if (!is_number(point, "median") || !is_number(point, "minimum") || !is_number(point, "maximum")) return false;
    const double median = point["median"].get<double>(), least = point["minimum"].get<double>(),
                 most = point["maximum"].get<double>();
    values_ = {median};
    if (least < median || most > median) values_ = {least, median, most};
    had_repeats_ = had_repeats_ || values_.size() > 1;
    return true;
  }

  const json& document_;
  const std::string& file_;
  std::string where_;
  std::vector<double> at_, values_;
  size_t read_ = 0;
  bool had_repeats_ = false;
};

json measurement_of(const Observation& o) {
  // Extra-P divides the squares by n, and not by n - 1.
  const auto n = static_cast<double>(o.values.size());
  return {{"coordinate", o.at},
          {"median", core::median(o.values)},
          {"mean", core::mean(o.values)},
          {"minimum", std::ranges::min(o.values)},
          {"maximum", std::ranges::max(o.values)},
          {"std", core::standard_deviation(o.values) * std::sqrt((n - 1) / n)},
          {"repetitions", o.values.size()},
          {"values", nullptr}};
}

}  // namespace

bool is_extrap_saved(std::string_view bytes) { return begins_like_zip(bytes) && bytes.find(kMember) != bytes.npos; }

core::Result<MeasurementSet> read_extrap_saved(const std::string& bytes, const std::string& file) {
  const std::optional<std::string> text = zip_member(bytes, kMember, kMostBytes);
  if (!text) {
    return Error{ErrorCode::kInput, file + ": member " + kMember + " cannot be read: the archive is damaged or cut off",
                 kSaveAgain, file};
  }
  const core::Result<json> document = core::parse_json(*text, file + ": " + kMember);
  if (!document) return document.error();
  return SavedReader(document.value(), file).read();
}

std::string extrap_saved(const MeasurementSet& set) {
  json document = {{"Extra-P", "4.2.0"},
                   {"scaling", nullptr},
                   {"parameters", set.parameter_names},
                   {"measurements", json::object()},
                   {"modelers", json::array()}};
  for (const Series& series : set.series) {
    json& points = document["measurements"][series.kernel][series.metric];
    points = json::array();
    for (const Observation& o : series.observations) {
      if (!o.values.empty()) points.push_back(measurement_of(o));
    }
  }
  return zip_with(kMember, document.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace scalediag::fit
