// Traces that are programs written down, in place of those of an experiment folder.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "predict/evidence/trace_evidence.h"

namespace scalediag::predict {

class FakeTraces : public TraceEvidence {
 public:
  using Make = std::function<loggp::ListProgram(int ranks)>;
  // `recorded`: the programs of measured scales. `scaled`: what these lead to at other scales.
  FakeTraces(std::vector<int> scales, Make recorded, Make scaled)
      : scales_(std::move(scales)), recorded_(std::move(recorded)), scaled_(std::move(scaled)) {}

  const std::vector<int>& scales() const override { return scales_; }
  double events_at(int ranks) const override { return ranks; }
  core::Result<TracedProgram> recorded(int ranks) const override { return traced(recorded_(ranks)); }
  core::Result<TracedProgram> scaled(int ranks, int /*up_to*/) const override {
    TracedProgram program = traced(scaled_(ranks));
    program.certainty.emplace();
    return program;
  }

 private:
  static TracedProgram traced(loggp::ListProgram program) {
    TracedProgram traced;
    traced.computation_s = mean_computation_s(program);
    traced.program = std::make_shared<loggp::ListProgram>(std::move(program));
    return traced;
  }

  std::vector<int> scales_;
  Make recorded_, scaled_;
};

// Each rank waits for the one before it, computes for `seconds`, and sends on.
inline loggp::ListProgram wavefront(int ranks, double seconds) {
  loggp::ListProgram program(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank > 0) program.of(rank).push_back(loggp::message(loggp::OpKind::kRecv, rank - 1, 8));
    program.of(rank).push_back(loggp::compute(seconds));
    if (rank + 1 < ranks) program.of(rank).push_back(loggp::message(loggp::OpKind::kSend, rank + 1, 8));
  }
  return program;
}

}  // namespace scalediag::predict
