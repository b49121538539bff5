// Splits a large JSON text without parsing it, so that its parts can be parsed at the same time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalediag::core {

struct SplitJson {
  std::string rest;                        // the document with an empty array in that field
  std::vector<std::string_view> elements;  // of the array, parts of the text
};

// The elements of the array in field `key` of the object `text`. If rest and elements are JSON, so is the whole. Empty:
// `text` is no object, it does not have the field exactly once, the field is no array, or `text` ends too early.
std::optional<SplitJson> split_json_array(std::string_view text, std::string_view key);

}  // namespace scalediag::core
