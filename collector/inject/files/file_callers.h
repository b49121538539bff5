// The places from which the application calls the functions on files that are counted, and what was done there.
//
// A place is the function and the return addresses above it, so that a call that lies in a library that writes files
// for others, HDF5 or a language's own, can be charged to who called that library. Walking the stack takes some
// microseconds and is done once for each place. After that a call is recognised by its return address and those above
// it, at the distances from the stack pointer at which the walk found them.
//
// The functions may be called from signal handlers, so that nothing here takes a lock of ours or allocates: places are
// kept in a table of fixed size, to which any thread adds. Beyond its end calls have no place.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/inject/files/file_function.h"
#include "pmpi-comm/call_sites.h"

namespace scalediag::inject::files {

constexpr uint32_t kMostPlaces = 1024;
// The innermost function outside of libraries for files and two more are recorded, if they are no further up than this.
constexpr uint32_t kMostPlaceFrames = 32;

// The number of the place, from 1 on, or 0 where there is no room for another one.
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
