// The places from which the application calls the functions on files that are counted, and what was done there.
// Libraries that write files for others are HDF5 or a language's own.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/inject/calling_places.h"
#include "collector/inject/files/file_function.h"

namespace scalediag::inject::files {

// As CallingPlaces::place_of().
uint32_t place_of(Function function, pmpi::Caller caller);
void add_at(uint32_t place, int64_t bytes, uint64_t ticks);

struct PlaceRecord {
  uint32_t number = 0;
  Function function = Function::kCount;
  std::vector<uint64_t> frames;  // return addresses, the innermost first
  uint64_t calls = 0, bytes = 0, ticks = 0;
};
// All places so far, by their number.
std::vector<PlaceRecord> places();

}  // namespace scalediag::inject::files
