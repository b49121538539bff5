// The scaled traces of all ranks as a program to simulate: its operations are made while they are simulated.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "loggp/phases/scaled_trace.h"
#include "loggp/simulator/program.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::loggp {

class ScaledProgram : public Program {
 public:
  // Error (kInput): the program has an event that cannot be simulated, named with the first rank that has it.
  static core::Result<ScaledProgram> of(ScaledTraces traces);

  int ranks() const override { return traces_.ranks(); }
  Op next(int rank, uint64_t& position) const override {
    const Op* op = classes_[traces_.class_numbers()[static_cast<size_t>(rank)]].next(position);
    return op != nullptr ? of_rank(*op, rank) : Op{};
  }
  const std::vector<std::string>& labels() const override { return labels_.labels(); }
  // The different operations of a rank, each once however often it is executed.
  std::vector<Op> distinct_operations(int rank) const;

 private:
  explicit ScaledProgram(ScaledTraces traces) : traces_(std::move(traces)), numbers_(traces_) {}
  Op of_rank(Op op, int rank) const;

  ScaledTraces traces_;
  CommunicatorNumbers numbers_;
  LabelNumbers labels_;
  std::vector<FoldedOperations> classes_;  // their operations name equations, as those of traces_.classes()
};

}  // namespace scalediag::loggp
