// The rounds of a program's main loop, in a rank that counts only the first of them (core/raw/counted_loop.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/raw/counted_loop.h"
#include "pmpi-comm/repeated_calls.h"
#include "pmpi-comm/stack_walk.h"

namespace scalediag::inject {

class LoopRounds {
 public:
  // The rank's plan in the folder; nothing: it has none.
  static std::optional<raw::CountedLoop> read_plan(const std::string& folder, int rank);

  // `origin` as for RepeatedCalls. May throw std::bad_alloc.
  LoopRounds(raw::CountedLoop plan, uintptr_t origin);

  // To be given all calls of MPI of the thread that are no polls. Where one begins a round whose counts are asked for,
  // or is as many calls after the beginning as the round before had, the trigger under which what was counted until now
  // is to be written. May throw std::bad_alloc.
  std::optional<std::string> called(uint32_t routine, pmpi::Caller caller);
  // Whether all that the plan asks for was counted.
  bool is_over() const { return rounds_ > plan_.counted; }

 private:
  static constexpr size_t kNoSite = ~size_t{0};
  struct Known {
    const raw::RepeatedCall* call = nullptr;
    size_t site = kNoSite;  // of the plan
  };
  size_t site_of(const raw::RepeatedCall& call);

  const raw::CountedLoop plan_;
  pmpi::RepeatedCalls repeated_;
  std::vector<Known> known_;
  std::vector<uint64_t> calls_;  // since the round began, by the plan's sites
  uint64_t visits_ = 0;          // of the first site
  uint64_t rounds_ = 0;
  uint64_t all_calls_ = 0, all_calls_before_ = 0;  // in this round, in the one before
};

}  // namespace scalediag::inject
