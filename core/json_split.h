// Takes a large JSON text apart without reading it, so that its parts can be read at the same time.
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

// The elements of the array in field `key` of the object that `text` is. If rest and elements are JSON, so is the
// whole. Nothing: `text` is no object, the field is not there once, it is no array, or `text` ends too early.
std::optional<SplitJson> split_json_array(std::string_view text, std::string_view key);

}  // namespace scalediag::core
