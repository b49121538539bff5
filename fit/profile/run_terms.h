// The terms of the run time of each run (application_data.h), and their series.
#pragma once

#include <map>
#include <string>

#include "core/profile/profile.h"
#include "fit/application/application_data.h"
#include "fit/profile/call_costs.h"
#include "fit/profile/run_series.h"

namespace scalediag::fit {

class RunTerms {
 public:
  // Both have to outlive this.
  RunTerms(const RunSeries& runs, const CallCosts& costs);

  // The time between the end of MPI_Init and the start of MPI_Finalize, in seconds, of the mean rank.
  double mean_rank_run_s(const core::Run& run) const;
  // Records by how much the rank that a kernel differs on exceeds the mean rank, where it is the same rank at all
  // scales. totals() needs that of all kernels.
  void add_excess(const KernelData& kernel);
  // ApplicationData::totals.
  std::map<std::string, Series> totals() const;

 private:
  double communication(const core::Run& run) const;
  double excess_of_own_rank_s(const core::Run& run, bool with_messages) const;
  double slowest_computation(const core::Run& run) const;
  double waiting(const core::Run& run) const;
  double inside(const core::Run& run) const { return mean_rank_run_s(run) + waiting(run); }

  struct RankExcess {
    ValueByRun computation_s, messages_s;  // beyond the mean rank
  };

  const RunSeries& runs_;
  const CallCosts& costs_;
  const RunSeries::Slowest slowest_computation_;
  std::map<int, RankExcess> excess_of_rank_;  // by rank, or kLastRank
};

}  // namespace scalediag::fit
