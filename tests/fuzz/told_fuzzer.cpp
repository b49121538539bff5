// What ranks of an emulation tell (told_bytes_check.h), any bytes. Without a corpus it starts from told_seeds().
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/told_bytes_check.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  for (const std::string& seed : scalediag::tests::told_seeds()) scalediag::tests::emulate_told_bytes(seed);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  scalediag::tests::emulate_told_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
