// Reads a JSON document field by field without exceptions. The first error is remembered with its path
// ("runs[2].time.total_s: expected a number, found a string"); later reads have no effect.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace scalediag::core {

// Parses `text`; the error names `file` and the byte at which the text stops being JSON, or the line and field of a
// number that does not fit into a double.
Result<nlohmann::json> parse_json(const std::string& text, const std::string& file);

// The first number of a JSON text that does not fit into a double, such as 1e999.
struct NumberOutOfRange {
  size_t line = 0;     // from 1 on
  std::string field;   // "runs[2].time.total_s"; empty: the document itself
  std::string number;  // as in the text
};
std::optional<NumberOutOfRange> find_number_out_of_range(std::string_view text);
// "field runs[2].time.total_s: 1e999 is out of range, no number is above 1.8e308"
std::string text_of(const NumberOutOfRange& number);

// Checks the version N of {"schema": "<name>/N", ...}. Errors: no such field, another schema, a version other than
// `supported` (the error names both; `older_hint` is the remedy for an older one).
Status check_schema(const nlohmann::json& document, const std::string& name, int supported, const std::string& file,
                    const std::string& older_hint);

template <class T>
concept JsonScalar = std::same_as<T, std::string> || std::same_as<T, bool> || std::same_as<T, int> ||
    std::same_as<T, uint64_t> || std::same_as<T, double>;

// A value inside a document that outlives it. The root is made with `failure`, which receives the first error.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, std::optional<std::string>& failure) : value_(value), failure_(failure) {}

  // Whether this is an object with such a field: for fields that files of earlier versions lack.
  bool has(const char* key) const;

  // Fields of an object, required.
  void read(const char* key, std::string& to) const;
  void read(const char* key, bool& to) const;
  void read(const char* key, int& to, int smallest = std::numeric_limits<int>::min()) const;
  void read(const char* key, uint64_t& to) const;
  void read(const char* key, double& to) const;
  template <JsonScalar T, class... Smallest>
  void read(const char* key, std::vector<T>& to, Smallest... smallest) const {
    to.clear();
    each(key, [&](const JsonNode& element) { element.get(to.emplace_back(), smallest...); });
  }
  template <JsonScalar T> void read(const char* key, std::map<std::string, T>& to) const {
    to.clear();
    each_field(key, [&to](const std::string& name, const JsonNode& value) { value.get(to[name]); });
  }
  // null gives an empty value.
  template <class T> void read(const char* key, std::optional<T>& to) const {
    to.reset();
    const auto* field = find(key);
    if (field != nullptr && !field->is_null()) read(key, to.emplace());
  }

  // visit(JsonNode) for the object in field `key`.
  void object(const char* key, auto visit) const {
    if (const auto* field = find(key)) {
      const JsonNode node(*field, failure_, *this, key);
      if (node.is(nlohmann::json::value_t::object, "an object")) visit(node);
    }
  }

  // visit(JsonNode) for each element of the array in field `key`.
  void each(const char* key, auto visit) const {
    if (const auto* field = find(key)) JsonNode(*field, failure_, *this, key).each_element(visit);
  }

  // visit(JsonNode) for each element of this array.
  void each_element(auto visit) const {
    if (!is(nlohmann::json::value_t::array, "an array")) return;
    size_t i = 0;
    for (const auto& element : value_) {
      if (failure_) return;
      visit(JsonNode(element, failure_, *this, i++));
    }
  }

  // visit(name, JsonNode) for each field of the object in field `key`.
  void each_field(const char* key, auto visit) const {
    object(key, [this, &visit](const JsonNode& node) {
      for (auto it = node.value_.begin(); it != node.value_.end() && !failure_; ++it) {
        visit(it.key(), JsonNode(it.value(), failure_, node, it.key()));
      }
    });
  }

  // This value itself.
  void get(std::string& to) const;
  void get(bool& to) const;
  void get(int& to, int smallest = std::numeric_limits<int>::min()) const;
  void get(uint64_t& to) const;
  void get(double& to) const;

  // Adds the error "<path>: <what>", for conditions that only the caller can check.
  void fail(const std::string& what) const;
  void fail(const char* key, const std::string& what) const;
  bool failed() const { return failure_.has_value(); }

 private:
  JsonNode(const nlohmann::json& value, std::optional<std::string>& failure, const JsonNode& parent,
           std::string_view key)
      : value_(value), failure_(failure), parent_(&parent), key_(key) {}
  JsonNode(const nlohmann::json& value, std::optional<std::string>& failure, const JsonNode& parent, size_t index)
      : value_(value), failure_(failure), parent_(&parent), index_(index) {}

  const nlohmann::json* find(const char* key) const;
  template <class T, class... Limits> void read_as(const char* key, T& to, Limits... limits) const {
    if (const auto* field = find(key)) JsonNode(*field, failure_, *this, key).get(to, limits...);
  }
  bool is(nlohmann::json::value_t type, const char* expected) const;
  void wrong_type(const char* expected) const;
  std::string path() const;

  const nlohmann::json& value_;
  std::optional<std::string>& failure_;
  const JsonNode* parent_ = nullptr;  // the path is composed only for an error
  std::string_view key_;
  size_t index_ = 0;
};

}  // namespace scalediag::core
