// MPI operations over ranks.
//
// The time that a call was blocked is the time that it took longer than the shortest call of its class on any rank:
//   blocked_s(rank, class) = wall_s(rank, class) - calls(rank, class) x shortest_call_s(class)
// A wait that every call of the class has is part of its shortest call and so of none of them: where all calls wait,
// ranks were blocked for longer than this value. Variation of the cost of a call is included too. Operations that never
// wait (core/mpi_routines.h) have 0: their excess over the shortest call is such variation. The shortest call
// has to be known beforehand (RunScan), so that nothing is kept for each rank and class.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collector/merge/raw/rank_record.h"
#include "collector/merge/run_counts.h"
#include "collector/merge/run_scan.h"
#include "collector/merge/sites/site_resolver.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

constexpr char kMpiOtherName[] = "[MPI other]";

// The samples at one site on one rank.
struct SiteSamples {
  uint64_t samples = 0;
  double cpu_s = 0;
  double main_cpu_s = 0;  // the part on the main thread
};

// The samples inside operations on one rank.
struct OperationSamples : SiteSamples {
  std::vector<double> counters;           // as the process recorded them
  std::map<uint32_t, SiteSamples> sites;  // by their number; they add up to the operation's
};
using SamplesByOperation = std::map<std::string, OperationSamples>;

class OperationTable {
 public:
  // The maps have to outlive the table.
  OperationTable(core::Clock clock, const std::map<ClassKey, double>& shortest_call_s, const RunCounts& counts)
      : clock_(clock), shortest_call_s_(shortest_call_s), counts_(counts) {}

  void add(const RankRecord& record, const SamplesByOperation& samples, SiteResolver& sites);
  // The operations by falling mean time, ties by name.
  std::vector<core::MpiOperation> finish(int n_ranks) const;

 private:
  struct ClassRow {
    core::OverRanksBuilder calls, bytes, wall_s, blocked_s;
    double longest_call_s = 0;
  };
  using ClassRows = std::map<std::pair<uint32_t, uint32_t>, ClassRow>;  // by communicator size and size bin
  struct SiteRow {
    core::OverRanksBuilder calls, bytes, time_s, wall_s, blocked_s;
    uint64_t samples = 0;
    ClassRows classes;
  };
  // The sums of one rank.
  struct Sums {
    double calls = 0;
    double bytes = 0;
    double wall_s = 0;
    double main_wall_s = 0;
    double blocked_s = 0;
    double longest_call_s = 0;
    void add(const raw::OperationTotals& totals, bool on_main_thread, double tick);
    void add(const Sums& other);
  };
  struct SiteSums {
    Sums all;
    std::map<std::pair<uint32_t, uint32_t>, Sums> classes;
  };
  struct Row {
    core::OverRanksBuilder calls, bytes, time_s, wall_s, cpu_s, blocked_s;
    std::map<core::CallSite, SiteRow> sites;
    core::SlowestRank slowest{-1, 0, 0, 0};
    uint64_t samples = 0;
    CountRow counts;
    ClassRows classes;
  };

  using SumsBySite = std::map<uint32_t, SiteSums>;
  double time_of(const Sums& sums, const SiteSamples& sampled, bool is_other) const;
  void add_sites(int rank, Row& row, const SumsBySite& sums, const OperationSamples& sampled,
                 SiteResolver& sites) const;
  static void add_class(int rank, const Sums& sums, ClassRow& to);
  std::vector<core::MpiSite> finish_sites(const std::string& operation, const Row& row, int n_ranks) const;
  std::vector<core::MpiClass> finish_classes(const std::string& operation, const ClassRows& rows, int n_ranks) const;

  const core::Clock clock_;
  const std::map<ClassKey, double>& shortest_call_s_;
  const RunCounts& counts_;
  std::map<std::string, Row> rows_;
};

// Elapsed time of the main thread inside intercepted operations.
double main_thread_operations_s(const RankRecord& record);

}  // namespace scalediag::merge
