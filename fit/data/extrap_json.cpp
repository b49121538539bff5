#include "fit/data/extrap_json.h"

#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;
using nlohmann::json;

constexpr const char* kNewerForm =
    R"(the format is {"parameters": ["p"], "measurements": {"main": {"time": [{"point": [4], "values": [1.0, 1.1]}]}}})";
constexpr const char* kOlderForm =
    "parameters, metrics, callpaths and coordinates are lists of entries with an id, which measurements refer to by "
    "callpath_id, metric_id and coordinate_id";

// Remembers the first error. The path inside the document is composed only then, since these files are large.
class Checker {
 public:
  Checker(const std::string& file, const char* format) : file_(file), format_(format) {}
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }

  void fail(const std::string& path, const std::string& what) {
    if (!error_) error_ = Error{ErrorCode::kInput, file_ + ": " + path + ": " + what, format_, file_};
  }

  // Reads a number, or null in place of a missing one, which is left out later.
  bool number(const json& value, double& to) const {
    if (value.is_null()) {
      to = std::numeric_limits<double>::quiet_NaN();
      return true;
    }
    if (!value.is_number()) return false;
    to = value.get<double>();
    return true;
  }

  // A number by itself or a list of them.
  bool numbers(const json& value, std::vector<double>& to) const {
    to.clear();
    if (!value.is_array()) return number(value, to.emplace_back());
    for (const json& element : value) {
      if (!number(element, to.emplace_back())) return false;
    }
    return true;
  }

 private:
  const std::string& file_;
  const char* format_;  // the text of the hint
  std::optional<Error> error_;
};

std::string index_path(const std::string& list, size_t i) { return list + "[" + std::to_string(i) + "]"; }

core::Result<MeasurementSet> read_newer(const json& document, const std::string& file) {
  Checker check(file, kNewerForm);
  std::vector<std::string> parameters;
  for (const json& name : document["parameters"]) {
    if (!name.is_string()) {
      check.fail(index_path("parameters", parameters.size()), "expected a name");
      return check.error();
    }
    parameters.push_back(name.get<std::string>());
  }
  if (parameters.empty()) {
    check.fail("parameters", "there is none");
    return check.error();
  }

  SeriesBuilder builder(parameters);
  std::vector<double> at, values;
  bool any = false;
  for (const auto& [call_path, metrics] : document["measurements"].items()) {
    const std::string kernel = normalized_call_path(call_path);
    const std::string region = "measurements." + shown(call_path);
    if (!metrics.is_object()) check.fail(region, "expected an object of metrics");
    if (check.failed()) return check.error();
    for (const auto& [metric, points] : metrics.items()) {
      const std::string list = region + "." + shown(metric);
      if (!points.is_array()) check.fail(list, "expected a list of points");
      for (size_t i = 0; i < points.size() && !check.failed(); ++i) {
        const json& point = points[i];
        if (!point.is_object() || !point.contains("point") || !point.contains("values")) {
          check.fail(index_path(list, i), "expected {\"point\": [...], \"values\": [...]}");
        } else if (!check.numbers(point["point"], at) || !check.numbers(point["values"], values)) {
          check.fail(index_path(list, i), "expected numbers in point and values");
        } else if (at.size() != parameters.size()) {
          check.fail(index_path(list, i) + ".point", "it has " + std::to_string(at.size()) + " values for " +
                                                         std::to_string(parameters.size()) + " parameters");
        } else {
          builder.add(kernel, metric, at, values, file + ": " + index_path(list, i));
          any = true;
        }
      }
      if (check.failed()) return check.error();
    }
  }
  if (!any) {
    check.fail("measurements", "there is none");
    return check.error();
  }
  return std::move(builder).finish();
}

// The lists of the older form, by number.
class OlderFormat {
 public:
  OlderFormat(const json& document, const std::string& file)
      : document_(document), file_(file), check_(file, kOlderForm) {}

  core::Result<MeasurementSet> read() {
    read_names("parameters", parameters_, &parameter_names_);
    read_names("metrics", metrics_, nullptr);
    read_names("callpaths", call_paths_, nullptr);
    if (parameter_names_.empty()) check_.fail("parameters", "there is none");
    read_coordinates();
    if (check_.failed()) return check_.error();
    return read_measurements();
  }

 private:
  const json* field(const json& object, const char* key, const std::string& path) {
    if (object.is_object()) {
      const auto found = object.find(key);
      if (found != object.end()) return &*found;
    }
    check_.fail(path, std::string("field '") + key + "' is missing");
    return nullptr;
  }

  std::optional<int64_t> id(const json& object, const char* key, const std::string& path) {
    const json* value = field(object, key, path);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number_integer()) {
      check_.fail(path + "." + key, "expected a whole number");
      return std::nullopt;
    }
    return value->get<int64_t>();
  }

  const json& list(const char* name) {
    static const json kNone = json::array();
    const auto found = document_.find(name);
    if (found == document_.end() || !found->is_array()) {
      check_.fail(name, "expected a list");
      return kNone;
    }
    return *found;
  }

  void read_names(const char* name, std::map<int64_t, std::string>& to, std::vector<std::string>* in_order) {
    const json& all = list(name);
    for (size_t i = 0; i < all.size() && !check_.failed(); ++i) {
      const std::string path = index_path(name, i);
      const auto number = id(all[i], "id", path);
      const json* text = field(all[i], "name", path);
      if (text != nullptr && !text->is_string()) check_.fail(path + ".name", "expected a name");
      if (check_.failed()) return;
      if (!to.emplace(*number, text->get<std::string>()).second) check_.fail(path + ".id", "occurs twice");
      if (in_order != nullptr) {
        place_of_parameter_[*number] = in_order->size();
        in_order->push_back(text->get<std::string>());
      }
    }
  }

  void read_coordinates() {
    const json& all = list("coordinates");
    for (size_t i = 0; i < all.size() && !check_.failed(); ++i) {
      const std::string path = index_path("coordinates", i);
      const auto number = id(all[i], "id", path);
      const json* pairs = field(all[i], "parameter_value_pairs", path);
      if (pairs != nullptr && !pairs->is_array()) check_.fail(path + ".parameter_value_pairs", "expected a list");
      if (check_.failed()) return;
      std::vector<double> at(parameter_names_.size(), std::numeric_limits<double>::quiet_NaN());
      std::vector<bool> given(at.size(), false);
      for (const json& pair : *pairs) {
        const auto parameter = id(pair, "parameter_id", path);
        const json* value = field(pair, "parameter_value", path);
        if (check_.failed()) return;
        const auto place = place_of_parameter_.find(*parameter);
        if (place == place_of_parameter_.end()) {
          return check_.fail(path, "there is no parameter " + std::to_string(*parameter));
        }
        if (!value->is_number()) return check_.fail(path, "expected a number as parameter_value");
        at[place->second] = value->get<double>();
        given[place->second] = true;
      }
      for (size_t p = 0; p < given.size(); ++p) {
        if (!given[p]) return check_.fail(path, "parameter " + shown(parameter_names_[p]) + " has no value");
      }
      if (!coordinates_.emplace(*number, std::move(at)).second) return check_.fail(path + ".id", "occurs twice");
    }
  }

  template <class T>
  const T* look_up(const std::map<int64_t, T>& map, const json& measurement, const char* key, const std::string& path) {
    const auto number = id(measurement, key, path);
    if (!number) return nullptr;
    const auto found = map.find(*number);
    if (found == map.end()) {
      check_.fail(path + "." + key, "there is no entry " + std::to_string(*number));
      return nullptr;
    }
    return &found->second;
  }

  core::Result<MeasurementSet> read_measurements() {
    SeriesBuilder builder(parameter_names_);
    const json& all = list("measurements");
    if (all.empty()) check_.fail("measurements", "there is none");
    std::vector<double> values;
    for (size_t i = 0; i < all.size() && !check_.failed(); ++i) {
      const std::string path = index_path("measurements", i);
      const auto* call_path = look_up(call_paths_, all[i], "callpath_id", path);
      const auto* metric = look_up(metrics_, all[i], "metric_id", path);
      const auto* at = look_up(coordinates_, all[i], "coordinate_id", path);
      const json* value = field(all[i], "value", path);
      if (check_.failed()) break;
      if (!check_.numbers(*value, values)) {
        check_.fail(path + ".value", "expected a number");
        break;
      }
      builder.add(normalized_call_path(*call_path), *metric, *at, values, file_ + ": " + path);
    }
    if (check_.failed()) return check_.error();
    return std::move(builder).finish();
  }

  const json& document_;
  const std::string& file_;
  Checker check_;
  std::vector<std::string> parameter_names_;
  std::map<int64_t, size_t> place_of_parameter_;
  std::map<int64_t, std::string> parameters_, metrics_, call_paths_;
  std::map<int64_t, std::vector<double>> coordinates_;
};

}  // namespace

bool is_extrap_json(const json& document) {
  if (!document.is_object() || !document.contains("parameters") || !document.contains("measurements")) return false;
  return document["parameters"].is_array() &&
         (document["measurements"].is_object() || document["measurements"].is_array());
}

core::Result<MeasurementSet> read_extrap_json(const json& document, const std::string& file) {
  if (!is_extrap_json(document)) {
    return Error{ErrorCode::kInput,
                 file + " is JSON, but not Extra-P's: it has no lists of parameters and measurements",
                 "scalediag reads Extra-P's text, JSON and JSON-lines formats and its own profile.json", file};
  }
  if (document["measurements"].is_object()) return read_newer(document, file);
  return OlderFormat(document, file).read();
}

}  // namespace scalediag::fit
