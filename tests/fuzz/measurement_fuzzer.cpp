// Files of measurements, which users write by hand and by script, and profiles of other tools.
#include <cstdint>
#include <string>

#include "fit/data/measurement_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto kind = scalediag::fit::kind_of(text);
  if (kind != scalediag::fit::FileKind::kProfile) (void)scalediag::fit::parse_measurements(text, kind, "fuzzed").ok();
  return 0;
}
