#include "core/json/json_writer.h"

#include <cmath>

#include "core/json/json_line.h"

namespace scalediag::core {
namespace {

using Json = nlohmann::ordered_json;

// Returns the path of the first number that is not finite, with a leading dot.
std::optional<std::string> find_not_finite(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return "";
  if (value.is_object()) {
    for (const auto& [key, field] : value.items()) {
      if (const auto below = find_not_finite(field)) return "." + key + *below;
    }
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) {
      if (const auto below = find_not_finite(value[i])) return "[" + std::to_string(i) + "]" + *below;
    }
  }
  return std::nullopt;
}

void print(const Json& value, size_t depth, size_t compact_depth, std::string& out) {
  if (depth >= compact_depth || !value.is_structured() || value.empty()) {
    out += to_json_line(value);
    return;
  }
  const std::string indent(depth + 1, ' ');
  out += value.is_object() ? '{' : '[';
  bool first = true;
  for (auto it = value.begin(); it != value.end(); ++it) {
    out += first ? "\n" : ",\n";
    first = false;
    out += indent;
    if (value.is_object()) out += to_json_line(it.key()) + ": ";
    print(*it, depth + 1, compact_depth, out);
  }
  out += '\n' + std::string(depth, ' ');
  out += value.is_object() ? '}' : ']';
}

}  // namespace

Result<std::string> to_json_text(const Json& document, int compact_depth) {
  if (const auto path = find_not_finite(document)) {
    return Error{ErrorCode::kInput, "a value is not a finite number: " + (path->empty() ? *path : path->substr(1)),
                 "report this as a bug of scalediag"};
  }
  std::string out;
  print(document, 0, static_cast<size_t>(compact_depth), out);
  out += '\n';
  return out;
}

}  // namespace scalediag::core
