// Reads the chunks of one rank's events, from a file or as the rank tells them (core/raw/event_stream.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/raw/trace_format.h"
#include "loggp/traces/rank_trace.h"

namespace scalediag::loggp {

// The reader of one rank's chunks. Its functions return false after an error, which failure() then gives.
class RankParser {
 public:
  // `told`: events come one by one, elsewhere.
  explicit RankParser(RankTrace& trace, bool told = false) : trace_(trace), told_(told) {}

  bool chunk(uint32_t kind, std::string_view payload);
  // Gives every event its computations, once the file is read to its end.
  bool distribute_computations();
  bool saw_end() const { return saw_end_; }
  bool saw_identity() const { return saw_identity_; }
  const std::string& failure() const { return failure_; }

 private:
  bool fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
    return false;
  }
  bool identity(trace::Reader& r);
  bool communicators(trace::Reader& r);
  bool events(trace::Reader& r);
  bool told_definition(trace::Reader& r);
  uint32_t routine(std::string name);
  bool definition(trace::Reader& r, TraceEvent& event, const std::map<uint64_t, uint32_t>& names);
  bool steps(trace::Reader& r, uint64_t n, uint64_t repeated, int depth, std::vector<TraceStep>& into);
  bool end(trace::Reader& r);
  bool series(trace::Reader& r, uint64_t& n_values, std::string& values);
  bool marks(trace::Reader& r);
  bool instructions(trace::Reader& r, std::vector<TraceStep>& steps, size_t begin);
  bool rank(trace::Reader& r, int& to, bool or_nobody = false);
  bool parts(trace::Reader& r, std::vector<std::pair<int, uint64_t>>& to);
  bool tag(trace::Reader& r, int& to);

  RankTrace& trace_;
  const bool told_;
  uint32_t first_definition_ = 0;
  uint32_t n_definitions_ = 0;
  size_t first_step_ = 0;  // of the last events
  std::string series_;     // computations, as they stand in the file
  uint64_t n_computations_ = 0;
  std::string instruction_series_;
  uint64_t n_instructions_ = 0;
  bool saw_identity_ = false;
  bool saw_end_ = false;
  std::string failure_;
};

}  // namespace scalediag::loggp
