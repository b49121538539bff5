#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "raw_bytes_check.h"
#include "raw_seeds.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// A random change is nearly always caught by a checksum, so that every other mutant gets valid checksums.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 2 == 0) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    scalediag::fuzz::mend_checksums(bytes);
    std::memcpy(data, bytes.data(), size);
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view wrong = scalediag::fuzz::check_raw_bytes({reinterpret_cast<const char*>(data), size});
  if (!wrong.empty()) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(wrong.size()), wrong.data());
    std::abort();
  }
  return 0;
}
