// The algorithm that a library takes, one row a change: the row with the largest (from_ranks, from_bytes) that is not
// above the call's applies, compared by from_ranks first. Rows of a collective stand together, in rising order.
// The bytes are those of program.h, unless the table says that Allgather goes by the total.
#pragma once

#include <cstdint>
#include <span>

#include "loggp/collectives/collective.h"

namespace scalediag::loggp {

struct AlgorithmRow {
  Collective collective;
  uint32_t from_ranks;
  uint64_t from_bytes;
  Algorithm algorithm;
};

struct AlgorithmTable {
  const char* library;  // as in network.json
  const char* version;
  const char* title;
  std::span<const AlgorithmRow> rows;
  bool allgather_by_total;
};

// The newest of each library first.
std::span<const AlgorithmTable> algorithm_tables();

}  // namespace scalediag::loggp
