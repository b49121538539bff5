// The algorithm that an MPI library takes for a collective: by the table of the library and its version
// (algorithm_tables.h), by what no table can say of it, and by what the user overrides.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/collectives/collective.h"
#include "loggp/network/network.h"

namespace scalediag::loggp {

// "Bcast, 16 ranks, 8192 B: binomial".
std::string algorithm_line(Collective collective, uint32_t ranks, uint64_t bytes, Algorithm algorithm);

class AlgorithmChoice {
 public:
  // The choice by the table of network.library and its version (table_name()), and by the network's overrides. Errors
  // (kInput): no such library, collective or algorithm; the hint lists those that exist.
  static Result<AlgorithmChoice> of(const Network& network);

  // Precondition: ranks >= 1.
  Algorithm choose(Collective collective, uint32_t ranks, uint64_t bytes) const;

  // The reason for the choice: "Bcast, 16 ranks, 8192 B: binomial (Open MPI 4.1, from 16 ranks and 4096 B)".
  std::string explain(Collective collective, uint32_t ranks, uint64_t bytes) const;

  // "Open MPI 4.1".
  const std::string& table_name() const { return table_name_; }

 private:
  std::string table_name_;
  int table_ = 0;
  std::vector<std::pair<Collective, Algorithm>> overrides_;
};

}  // namespace scalediag::loggp
