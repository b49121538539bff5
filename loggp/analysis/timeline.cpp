#include "loggp/analysis/timeline.h"

#include "core/json/json_line.h"
#include "core/text/formatted.h"
#include "loggp/analysis/analysis.h"

namespace scalediag::loggp {

TimelineWriter::TimelineWriter(std::function<void(std::string_view)> write, const std::vector<std::string>& labels)
    : write_(std::move(write)), labels_(labels) {
  write_("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

void TimelineWriter::on_span(const Span& span) {
  const bool computes = span.kind == SpanKind::kComputation;
  const bool transfers = span.kind == SpanKind::kTransfer;
  const std::string name =
      name_of(labels_, *span.op) + (computes || transfers ? "" : std::string(": ") + name_of(span.kind));
  const std::string text = core::formatted(
      ",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%.6f,\"dur\":%.6f,\"pid\":0,\"tid\":%u,"
      "\"args\":{\"event\":%u}}",
      name_of(span.kind), span.begin_s * 1e6, (span.end_s - span.begin_s) * 1e6, span.rank, span.event);
  write_(first_ ? "{\"name\":" : ",\n{\"name\":");
  first_ = false;
  write_(core::to_json_line(name));
  write_(text);
}

void TimelineWriter::finish() { write_("\n]}\n"); }

}  // namespace scalediag::loggp
