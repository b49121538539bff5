// What the exported functions share: the function behind each, and whom they do not answer.
#pragma once

#include <atomic>

#define SCALEDIAG_EXPORT extern "C" __attribute__((visibility("default")))

namespace scalediag::pmpi {

// The function behind a wrapper, of MPI or of the C library.
class NextSymbol {
 public:
  constexpr explicit NextSymbol(const char* name) : name_(name) {}
  // Ends the process where no library has it.
  void* get();

 private:
  const char* const name_;
  std::atomic<void*> found_{nullptr};
};

// Whether the code is of the library that profiles, which may be in front of this one: what it asks is nothing that the
// application asks.
bool is_profiler(const void* code);

}  // namespace scalediag::pmpi
