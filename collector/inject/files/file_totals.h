// Calls, bytes and time of each of the C library's functions on the application's regular files.
//
// Counted are calls of functions that move data, open, close or flush, made outside MPI: what MPI-IO writes is counted
// as MPI's operations. A file written through stdio is counted where the application calls stdio, since the C library's
// own write is not seen.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

#include "collector/inject/files/file_function.h"
#include "core/raw/raw_records.h"
#include "pmpi-comm/call_sites.h"

namespace scalediag::inject::files {

// Whether calls of this thread are counted now.
bool counts_here();
// While one exists, calls of this thread are the collector's own.
class OwnCalls {
 public:
  OwnCalls() { ++depth; }
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;
  ~OwnCalls() { --depth; }
  static bool any() { return depth > 0; }

 private:
  static __thread int depth __attribute__((tls_model("initial-exec")));
};
// Whether the descriptor is a regular file's. Remembered until forget(); errno stays as it is.
bool is_regular(int descriptor);
bool is_regular(std::FILE* file);
// The descriptor is about to be closed or to become another file's.
void forget(int descriptor);
// These are about to be closed.
void forget(unsigned first, unsigned last);

// Adds a call; -1 bytes and less are those of a call that failed.
void add(Function function, pmpi::Caller caller, int64_t bytes, uint64_t ticks);

// The counts up to now.
struct Record {
  std::vector<raw::FileTotals> functions;          // that were called
  std::vector<raw::FilePlace> places;              // by number; all epochs are 0
  std::vector<raw::FilePlaceTotals> place_totals;  // of the same places; with calls that found no room in the table of
                                                   // places they add up to the functions
};
Record record();

}  // namespace scalediag::inject::files
