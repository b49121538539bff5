// The instructions of the calling thread outside MPI, by the events that PAPI counts for it anyway.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>

#include "collector/inject/counting/counting.h"
#include "pmpi-comm/trace/instruction_counter.h"

namespace scalediag::inject {

class PapiInstructions : public pmpi::InstructionCounter {
 public:
  // Null where the calling thread's instructions are not counted.
  static std::unique_ptr<PapiInstructions> of_this_thread() {
    if (!now()) return nullptr;
    return std::unique_ptr<PapiInstructions>(new (std::nothrow) PapiInstructions);
  }

  std::optional<uint64_t> enter_mpi(bool) override {
    const std::optional<uint64_t> total = now();
    if (!total || !left_at_ || *total < *left_at_) return std::nullopt;
    return *total - *left_at_;
  }
  void leave_mpi() override { left_at_ = now(); }

 private:
  static std::optional<uint64_t> now() {
    ThreadCounting* thread = ThreadCounting::current();
    return thread != nullptr ? thread->instructions() : std::nullopt;
  }

  std::optional<uint64_t> left_at_;
};

}  // namespace scalediag::inject
