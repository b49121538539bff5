#include "fit/data/extrap_jsonl.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/json/json_reader.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;
using nlohmann::json;

// NaN, Infinity and -Infinity outside strings become null.
std::string with_null_for_nan(std::string_view line) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (in_string) {
      if (c == '\\' && i + 1 < line.size()) out += line[i++];
      in_string = c != '"';
      out += line[i++];
      continue;
    }
    in_string = c == '"';
    bool replaced = false;
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (line.substr(i, word.size()) != word) continue;
      out += "null";
      i += word.size();
      replaced = true;
      break;
    }
    if (!replaced) out += line[i++];
  }
  return out;
}

constexpr const char* kFormat =
    R"(a line is {"params": {"p": 4}, "callpath": "main", "metric": "time", "value": [1.0, 1.1]})";

class LinesParser {
 public:
  LinesParser(const std::string& text, const std::string& file) : lines_(text), file_(file) {}

  core::Result<MeasurementSet> parse() {
    for (std::optional<std::string_view> line; !error_ && (line = lines_.next());) {
      if (const std::string_view content = trimmed(*line); !content.empty()) read_line(content);
    }
    if (error_) return *error_;
    if (!builder_) return Error{ErrorCode::kInput, file_ + " holds no measurement", kFormat, file_};
    return std::move(*builder_).finish();
  }

 private:
  std::string where() const { return file_ + ":" + std::to_string(lines_.number()); }
  void fail(const std::string& what) {
    if (error_) return;
    error_ = Error{ErrorCode::kInput, where() + ": " + what, kFormat, file_};
  }

  void read_line(std::string_view line) {
    json object = json::parse(line, nullptr, false);
    if (object.is_discarded()) object = json::parse(with_null_for_nan(line), nullptr, false);
    if (object.is_discarded()) {
      const auto number = core::find_number_out_of_range(with_null_for_nan(line));
      return fail(number ? core::text_of(*number) : "the line is not JSON, or it is cut off");
    }
    if (!object.is_object()) return fail("expected an object");
    if (!read_point(object)) return;
    const auto value = object.find("value");
    if (value == object.end()) return fail("field 'value' is missing");
    if (!read_values(*value)) return fail("field 'value': expected a number or a list of numbers");
    if (!read_text(object, "callpath", kDefaultCallPath, call_path_) ||
        !read_text(object, "metric", kDefaultMetric, metric_)) {
      return;
    }
    builder_->add(normalized_call_path(call_path_), metric_, at_, values_, where());
  }

  bool read_text(const json& object, const char* key, const char* otherwise, std::string& to) {
    const auto found = object.find(key);
    if (found == object.end()) {
      to = otherwise;
    } else if (found->is_string()) {
      to = found->get_ref<const std::string&>();
    } else {
      fail(std::string("field '") + key + "': expected a text");
      return false;
    }
    return true;
  }

  bool read_point(const json& object) {
    const auto params = object.find("params");
    if (params == object.end() || !params->is_object() || params->empty()) {
      fail("field 'params': expected an object of parameters");
      return false;
    }
    if (!builder_) builder_.emplace(parameter_names(*params));
    const std::vector<std::string>& names = builder_->parameter_names();
    at_.clear();
    for (const std::string& name : names) {
      const auto value = params->find(name);
      if (value == params->end()) {
        fail("parameter '" + shown(name) + "' is missing, which earlier lines have");
        return false;
      }
      if (!value->is_number()) {
        fail("parameter '" + shown(name) + "': expected a number");
        return false;
      }
      at_.push_back(value->get<double>());
    }
    if (params->size() == names.size()) return true;
    for (const auto& [name, value] : params->items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        fail("parameter '" + shown(name) + "' is new, earlier lines do not have it");
      }
    }
    return false;
  }

  // The parameters' names in sorted order, since lines may have them in any order.
  std::vector<std::string> parameter_names(const json& params) const {
    std::vector<std::string> names;
    for (const auto& [name, value] : params.items()) names.push_back(name);
    return names;
  }

  bool read_values(const json& value) {
    values_.clear();
    const auto add = [this](const json& element) {
      if (!element.is_number() && !element.is_null()) return false;
      values_.push_back(element.is_null() ? std::numeric_limits<double>::quiet_NaN() : element.get<double>());
      return true;
    };
    return value.is_array() ? std::all_of(value.begin(), value.end(), add) : add(value);
  }

  LineReader lines_;
  const std::string& file_;
  std::optional<SeriesBuilder> builder_;
  std::optional<Error> error_;
  std::vector<double> at_, values_;
  std::string call_path_, metric_;
};

}  // namespace

core::Result<MeasurementSet> parse_extrap_jsonl(const std::string& text, const std::string& file) {
  return LinesParser(text, file).parse();
}

}  // namespace scalediag::fit
