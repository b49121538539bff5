// profile.json and experiment.json, which users may have edited.
#include <cstdint>
#include <string>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "core/profile/profile_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!scalediag::core::parse_profile(text, "fuzzed").ok()) {
    (void)scalediag::core::parse_experiment(text, "fuzzed").ok();
  }
  return 0;
}
