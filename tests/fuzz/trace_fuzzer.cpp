// The reader of recorded traces, with bytes as a file and, so that checksums are no obstacle, as the events of one.
#include <cstdint>
#include <string>
#include <string_view>

#include "loggp/traces/trace_program.h"
#include "tests/loggp/traces/trace_bytes.h"

namespace {

void read(std::string_view file) {
  const auto trace = scalediag::loggp::parse_rank_trace(file, "input");
  if (!trace || trace.value().size > 4) return;
  const auto program = scalediag::loggp::TraceProgram::of({trace.value()});
  if (!program) return;
  uint64_t position = 0;
  for (int i = 0; i < 1000; ++i) program.value().next(0, position);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  // Any number of events: the end is what the reader compares it with.
  read(scalediag::tests::rank_file(0, 3, bytes, bytes.empty() ? 0 : data[size - 1]));
  return 0;
}
