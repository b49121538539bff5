// The emulated time of MPI calls, by operation, size of communicator, class of message sizes, and rank; and of regions.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "core/profile/emulated_times.h"
#include "loggp/emulation/region_times.h"
#include "loggp/simulator/observer.h"
#include "loggp/simulator/program.h"

namespace scalediag::loggp {

class CallTimes : public Observer {
 public:
  // `program` outlives it.
  explicit CallTimes(const Program& program) : program_(program), regions_(program.ranks()) {}
  // The computation inside a collective counts as time of that collective.
  void on_span(const Span& span) override;
  void on_mark(uint32_t rank, const Op& mark, double time_s) override;
  std::vector<core::EmulatedCalls> calls() const;
  const RegionTimes& regions() const { return regions_; }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // label, size of the communicator, bin of bytes
  struct Times {
    std::vector<double> wall_s, blocked_s;
    double longest_s = 0;
    // The operation whose time is being added.
    uint32_t rank = 0, event = 0;
    double its_s = 0;
  };
  Key key_of(const Op& op) const;

  const Program& program_;
  RegionTimes regions_;
  std::map<Key, Times> times_;
};

}  // namespace scalediag::loggp
