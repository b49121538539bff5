// Tables of timings with a request for columns, which stands in the first line.
#include <algorithm>
#include <cstdint>
#include <string>

#include "fit/data/tables/timing_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string all(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(all.find('\n'), all.size());
  const std::string text = all.substr(std::min(end + 1, all.size()));
  (void)scalediag::fit::is_timing_table(text);
  (void)scalediag::fit::read_timing_table(text, "fuzzed", {all.substr(0, end)}).ok();
  return 0;
}
