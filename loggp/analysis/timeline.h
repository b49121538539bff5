// A simulation as Chrome's trace event format, which chrome://tracing and ui.perfetto.dev open: a row a rank, a slice
// for everything that has a duration.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "loggp/simulator/observer.h"

namespace scalediag::loggp {

class TimelineWriter : public Observer {
 public:
  // `write` takes the next piece of the file; `labels` outlives this.
  TimelineWriter(std::function<void(std::string_view)> write, const std::vector<std::string>& labels);
  void on_span(const Span& span) override;
  // Ends the file; call it once.
  void finish();

 private:
  std::function<void(std::string_view)> write_;
  const std::vector<std::string>& labels_;
  bool first_ = true;
};

}  // namespace scalediag::loggp
