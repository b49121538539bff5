// Records are read from JSON and written to it by one list of their fields. In the namespace of a record stands
//   void fields(auto& f, Point& point) {
//     f("name", point.name);
//     f("line", point.line, 0);  // at least 0
//   }
// which a FieldReader fills from an object, and a FieldWriter makes into one. A field has a type that JsonNode reads,
// is a record, or is a vector or map of records.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/json/json_reader.h"

namespace scalediag::core {

template <class T> constexpr bool kIsOptional = false;
template <class T> constexpr bool kIsOptional<std::optional<T>> = true;

class FieldReader {
 public:
  explicit FieldReader(const JsonNode& node) : node_(node) {}

  // A field that every version has. `smallest`: the least value of an int.
  template <class T, class... Smallest> void operator()(const char* key, T& to, Smallest... smallest) {
    if constexpr (requires { node_.read(key, to, smallest...); }) {
      node_.read(key, to, smallest...);
    } else {
      read(key, to);
    }
  }
  // A field that files of earlier versions lack.
  template <class T, class... Smallest> void newer(const char* key, T& to, Smallest... smallest) {
    if (node_.has(key)) (*this)(key, to, smallest...);
  }
  // A field that is written only where it is not empty.
  template <class T> void optional(const char* key, T& to) {
    if (!node_.has(key)) return;
    if constexpr (kIsOptional<T>) {
      (*this)(key, to.emplace());
    } else {
      (*this)(key, to);
    }
  }
  // One of `values` by its name_of(). `expected` lists the names for an error.
  template <class T, size_t N> void name(const char* key, T& to, const T (&values)[N], const char* expected) {
    std::string name;
    node_.read(key, name);
    const auto known = std::ranges::find_if(values, [&](T value) { return name == name_of(value); });
    if (known != std::end(values)) {
      to = *known;
    } else {
      node_.fail(key, "expected " + std::string(expected) + ", found \"" + name + "\"");
    }
  }
  // A field that is an object, with `visit(fields)` for its own.
  template <class Visit> void object(const char* key, Visit visit) {
    node_.object(key, [&](const JsonNode& node) {
      FieldReader fields(node);
      visit(fields);
    });
  }
  // Whether fields that belong together are there: `key` is one of them. `is_written`: they are to be written.
  bool has(const char* key, bool /*is_written*/) const { return node_.has(key); }
  // A record that is an array of numbers; integers are 0 or above. `expected` is the error's text.
  template <class... T> void numbers(const char* expected, T&... to) {
    size_t n = 0;
    const auto get = [&](const JsonNode& node, size_t column, auto& value) {
      if (column != n) return;
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, int>) {
        node.get(value, 0);
      } else {
        node.get(value);
      }
    };
    node_.each_element([&](const JsonNode& node) {
      size_t column = 0;
      (get(node, column++, to), ...);
      ++n;
    });
    if (n != sizeof...(to)) node_.fail(expected);
  }
  // A condition between fields is not met.
  void fail(const char* key, const std::string& what) const { node_.fail(key, what); }

 private:
  template <class T> static void read_record(const JsonNode& node, T& to) {
    FieldReader reader(node);
    fields(reader, to);
  }
  static void read_record(const JsonNode& node, std::pair<double, double>& to) {
    FieldReader(node).numbers("expected two values", to.first, to.second);
  }
  template <class T> void read(const char* key, T& to) {
    node_.object(key, [&](const JsonNode& node) { read_record(node, to); });
  }
  template <class T> void read(const char* key, std::vector<T>& to) {
    node_.each(key, [&](const JsonNode& node) { read_record(node, to.emplace_back()); });
  }
  template <class T> void read(const char* key, std::map<std::string, T>& to) {
    node_.each_field(key, [&](const std::string& name, const JsonNode& node) { read_record(node, to[name]); });
  }
  // A name that is no number counts as 0.
  void read(const char* key, std::map<int, int>& to) {
    node_.each_field(key, [&](const std::string& name, const JsonNode& node) {
      const int number = std::atoi(name.c_str());
      node.get(to[std::to_string(number) == name ? number : 0]);
    });
  }
  template <size_t N> void read(const char* key, std::array<double, N>& to) {
    std::vector<double> values;
    node_.read(key, values);
    if (values.size() == N) {
      std::copy(values.begin(), values.end(), to.begin());
    } else {
      node_.fail(key, "has " + std::to_string(values.size()) + " values instead of " + std::to_string(N));
    }
  }

  const JsonNode& node_;
};

class FieldWriter;
template <class T>
nlohmann::ordered_json json_of_record(const T& record, nlohmann::ordered_json json = nlohmann::ordered_json::object());

// Functions as FieldReader has them.
class FieldWriter {
 public:
  using Json = nlohmann::ordered_json;

  explicit FieldWriter(Json& json) : json_(json) {}

  template <class T, class... Smallest> void operator()(const char* key, const T& value, Smallest...) {
    json_[key] = json_of(value);
  }
  template <class T, class... Smallest> void newer(const char* key, const T& value, Smallest...) {
    json_[key] = json_of(value);
  }
  template <class T> void optional(const char* key, const T& value) {
    if constexpr (kIsOptional<T>) {
      if (value) json_[key] = json_of(*value);
    } else {
      if (!value.empty()) json_[key] = json_of(value);
    }
  }
  template <class T, size_t N> void name(const char* key, T value, const T (&)[N], const char*) {
    json_[key] = name_of(value);
  }
  template <class Visit> void object(const char* key, Visit visit) {
    FieldWriter fields(json_[key] = Json::object());
    visit(fields);
  }
  bool has(const char* /*key*/, bool is_written) const { return is_written; }
  template <class... T> void numbers(const char* /*expected*/, const T&... values) { json_ = Json::array({values...}); }
  void fail(const char* /*key*/, const std::string& /*what*/) const {}

 private:
  template <class T> static Json json_of(const T& value) {
    if constexpr (requires(FieldWriter & writer, T & record) { fields(writer, record); }) {
      return json_of_record(value);
    } else {
      return value;
    }
  }
  template <class T> static Json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : Json(nullptr);
  }
  template <class T> static Json json_of(const std::vector<T>& values) {
    Json all = Json::array();
    for (const T& value : values) all.push_back(json_of(value));
    return all;
  }
  template <class T> static Json json_of(const std::map<std::string, T>& values) {
    Json all = Json::object();
    for (const auto& [name, value] : values) all[name] = json_of(value);
    return all;
  }

  static Json json_of(const std::map<int, int>& values) {
    Json all = Json::object();
    for (const auto& [number, value] : values) all[std::to_string(number)] = value;
    return all;
  }

  Json& json_;
};

// A record from an object. The node has the first error.
template <class T> T record_of(const JsonNode& node) {
  T record;
  FieldReader reader(node);
  fields(reader, record);
  return record;
}

// `json` with the fields of a record.
template <class T> nlohmann::ordered_json json_of_record(const T& record, nlohmann::ordered_json json) {
  FieldWriter writer(json);
  fields(writer, const_cast<T&>(record));  // a writer only reads it
  return json;
}

}  // namespace scalediag::core
