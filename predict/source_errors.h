// The errors of sources at measured scales: each predicts the largest one from the smaller ones, and where there are
// five or more also the second largest from those below it (backtest.h).
#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "fit/application/application.h"
#include "predict/evidence/evidence.h"
#include "predict/prediction.h"

namespace scalediag::predict {

class SourceErrors {
 public:
  SourceErrors() = default;
  // `simulated`: measured scales, by number of ranks.
  SourceErrors(const fit::ApplicationModel& model, const Evidence& evidence,
               const std::map<int, SimulatedCommunication>& simulated);

  // A line without an estimate, with the errors of the source.
  SourceLine line_of(Component component, Source source) const;

 private:
  struct Miss {
    double relative = 0, known_s = 0;  // as SourceLine::backtest and known_s
  };
  using Errors = std::map<std::pair<Component, Source>, Miss>;

  // At the `which`-th largest measured scale, that of `curves`.
  static Errors errors_at(size_t which, const fit::ApplicationBacktest& curves, const Evidence& evidence,
                          const std::map<int, SimulatedCommunication>& simulated);

  Errors at_largest_, at_second_;
};

}  // namespace scalediag::predict
