// Predictions between numbers of processes at which there is more evidence than the models.
#pragma once

#include <optional>
#include <vector>

namespace scalediag::predict {

struct Anchor {
  double processes = 1;
  double factor = 1;  // what was predicted there, relative to what the models say
};

// The factor at a number of processes: between two anchors along the logarithms, beyond them that of the nearest one.
// Nothing: there is no anchor.
std::optional<double> factor_at(std::vector<Anchor> anchors, double processes);

}  // namespace scalediag::predict
