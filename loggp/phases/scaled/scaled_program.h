// The scaled traces of all ranks as a program to simulate: its operations are made while they are simulated.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "loggp/phases/scaled/scaled_trace.h"
#include "loggp/representatives/computation_vector.h"
#include "loggp/simulator/program.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::loggp {

class ScaledProgram : public Program {
 public:
  // `computations`: what each rank computes, by rank, as set_computations() takes it; empty: what the scaled traces
  // say. Error (kInput): the program has an event that cannot be simulated, named with the first rank that has it.
  static core::Result<ScaledProgram> of(ScaledTraces traces,
                                        const std::vector<const ComputationVector*>& computations = {});

  int ranks() const override { return traces_.ranks(); }
  Op next(int rank, uint64_t& position) const override {
    double own_s = -1;
    const Op* op = operations_of(rank).next(position, &own_s);
    if (op == nullptr) return Op{};
    return own_s < 0 ? of_rank(*op, rank) : compute(own_s);
  }
  const std::vector<std::string>& labels() const override { return labels_.labels(); }
  // The different operations of a rank, each once however often it is executed.
  std::vector<Op> distinct_operations(int rank) const;

 private:
  explicit ScaledProgram(ScaledTraces traces)
      : traces_(std::move(traces)), numbers_(traces_.numbers().communicators(), traces_.ranks()) {}
  Op of_rank(Op op, int rank) const;
  const FoldedOperations& operations_of(int rank) const {
    return operations_[numbers_of_operations_[static_cast<size_t>(rank)]];
  }

  ScaledTraces traces_;
  CommunicatorNumbers numbers_;
  LabelNumbers labels_;
  // Of each class, and of its ranks with the same computations where they were given: they name equations, as the
  // traces of the classes do.
  std::vector<FoldedOperations> operations_;
  std::vector<uint32_t> numbers_of_operations_;  // by rank
  bool is_given_ = false;                        // computations were
};

}  // namespace scalediag::loggp
