// The main loop of a run: the outermost loop that all ranks share, by the call sites of MPI that repeat.
//
// A site is known by its routine, by the return address of the call as its place in its module's file, and by how deep
// on the stack it was made, which tells apart the ways to it. Frames that are aligned begin at places that differ by
// some bytes from rank to rank (kNear). From the sites that all ranks have:
//   rounds     its visits where they come evenly (kEven), else its calls where those do; else it has none
//              of both, all ranks have to have as many, and at least kFewestRounds.
//   anchor     of the sites with rounds that take at least kMuch of the longest time of any, those that lie nearest to
//              the beginning of the stack (within kLevel); of them the one with the most rounds, which are iterations
//   members    the sites, with rounds or without, whose first and last call lie within one and a half rounds of the
//              anchor's, and that span at least half of its time
// On each rank the loop begins where the call before the first one of a member ended, and ends where the call after the
// last one of a member begins. If more than one and a half rounds lie in between, the program does something else there
// as well, and one round is taken for both together.
//
// Without a site with rounds there is no main loop, nor where those span less than kLeastShare of the run; the reason
// is told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collector/merge/raw/rank_record.h"
#include "core/profile/profile.h"

namespace scalediag::merge {

// The call sites of all ranks.
class SharedSites {
 public:
  using Id = size_t;
  static constexpr uint64_t kNear = 96;  // bytes of the stack
  // The number of the site, which is a new one where there is none as near.
  Id add(const RankRecord& record, const raw::RepeatedCall& call);
  std::optional<Id> find(const RankRecord& record, const raw::RepeatedCall& call) const;

 private:
  using Place = std::tuple<std::string, std::string, uint64_t>;  // routine, module, address in its file
  static Place place_of(const RankRecord& record, const raw::RepeatedCall& call);
  static const std::pair<uint64_t, Id>* nearest(const std::vector<std::pair<uint64_t, Id>>& sites, uint64_t depth);
  std::map<Place, std::vector<std::pair<uint64_t, Id>>> sites_;  // depth and number
  Id n_ = 0;
};

struct MainLoop {
  SharedSites sites;
  std::set<SharedSites::Id> members;  // empty: there is none
  SharedSites::Id anchor = 0;
  uint64_t iterations = 0;
  SharedSites::Id first = 0;  // of the members with as many rounds, the one that is called first
  bool first_by_visits = false;
  double round_s = 0;  // mean time from iteration to iteration, over ranks
  std::string why_not;
};

// The first reading: the sites of all ranks.
class MainLoopFinder {
 public:
  void add(const RankRecord& record);
  MainLoop find() const;

  static constexpr uint64_t kFewestRounds = 4;
  static constexpr double kEven = 0.6;  // raw::RepeatedCall: 0.5 if every other time is 0, 0.79 if times are random
  static constexpr double kMuch = 0.8;
  static constexpr double kLeastShare = 0.1;
  static constexpr uint64_t kLevel = 1024;  // bytes of the stack

 private:
  struct Site {
    int ranks = 0;
    uint64_t calls = 0, visits = 0;  // those of the first rank
    uint64_t depth = 0;
    bool calls_agree = true, visits_agree = true;
    double evenness_of_calls = 0, evenness_of_visits = 0;  // sums over ranks, as the next ones
    double first_s = 0, last_s = 0;                        // from the end of MPI_Init
  };
  struct Rounds {
    uint64_t n = 0;
    bool by_visits = false;
  };
  static Rounds rounds_of(const Site& site);

  SharedSites shared_;
  std::map<SharedSites::Id, Site> sites_;
  int ranks_ = 0;
  double run_s_ = 0;  // from the end of MPI_Init to the start of MPI_Finalize, summed over ranks
};

// The second reading: the loop's times over ranks.
class MainLoopTimes {
 public:
  // `loop` has to outlive it.
  explicit MainLoopTimes(const MainLoop& loop) : loop_(loop) {}
  void add(const RankRecord& record);
  std::optional<core::Region> finish(int n_ranks) const;
  const std::string& why_not() const { return loop_.why_not; }

 private:
  const MainLoop& loop_;
  std::string operation_;
  core::OverRanksBuilder elapsed_s_, cpu_s_, computation_s_, communication_s_, count_;
};

}  // namespace scalediag::merge
