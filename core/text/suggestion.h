// Suggestions for a mistyped name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalediag::core {

// The number of characters that have to be inserted, removed, replaced or exchanged with their neighbour (each at most
// once) to make one text of the other; letters of either case are equal. Optimal string alignment, bytes.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidates that are nearest to `text`, at most a third of its length and at least two edits away; several where
// they are equally near, in their order. Empty where none is near.
std::vector<std::string> closest(std::string_view text, std::span<const std::string> candidates);

// "did you mean 'a' or 'b'?"; empty where no candidate is near.
std::string did_you_mean(std::string_view text, std::span<const std::string> candidates);

}  // namespace scalediag::core
