// Files of callgrind: the costs of accepted files add up to the file's own totals.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "collector/counters/callgrind/callgrind_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto file = scalediag::counters::parse_callgrind(text, "fuzzed");
  if (!file) return 0;
  const auto& f = file.value();
  if (f.costs.size() != f.lines.size() * f.events.size()) std::abort();
  for (const auto& line : f.lines) {
    if (line.object >= f.objects.size() || line.function >= f.functions.size()) std::abort();
  }
  return 0;
}
