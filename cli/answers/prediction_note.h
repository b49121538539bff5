// A note on the total of `predict`, where another command has its own for the same question.
#pragma once

#include <string>

namespace scalediag::cli {

// A run that another command simulated or emulated.
struct OwnTotal {
  double total_s = 0;
  double computation_s = 0;  // of a rank, mean over ranks
  std::string whose;         // whose computation that is: "the trace's"
};

// Says what `predict` takes for a run of the experiment in `folder` with `ranks` ranks on `network`, and of which
// sources, on stderr; nothing where both are the same, or `folder` is no experiment with a prediction for it.
void note_prediction(const std::string& folder, int ranks, const std::string& network, const OwnTotal& own);

}  // namespace scalediag::cli
