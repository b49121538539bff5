// The reader of recorded traces, with bytes as a file and, so that checksums are no obstacle, as the events of one.
#include <cstddef>
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
  // In the place of a whole file's prelude behind its version, of which only zeros are right.
  std::string whole = scalediag::tests::rank_file(0, 1, scalediag::tests::numbers({0, 0, 0}), 0);
  constexpr size_t kBegin = offsetof(scalediag::raw::Prelude, stop_reason);
  const std::string prelude = bytes.substr(0, sizeof(scalediag::raw::Prelude) - kBegin);
  whole.replace(kBegin, prelude.size(), prelude);
  const bool is_whole = prelude.find_first_not_of('\0') == std::string::npos;
  if (scalediag::loggp::parse_rank_trace(whole, "input").ok() != is_whole) __builtin_trap();
  // Any number of events: the end is what the reader compares it with.
  read(scalediag::tests::rank_file(0, 3, bytes, bytes.empty() ? 0 : data[size - 1]));
  return 0;
}
