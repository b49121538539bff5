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

// The call site by which the rounds of a main loop can be counted in another run: of the members that have as many
// rounds as the anchor, the one that is called first, since a round begins with it.
struct LoopSite {
  uint64_t rounds = 0;     // of each rank; 0: there is no main loop
  bool is_visited = true;  // rounds are visits of the site, not its calls
  std::string operation, module;
  uint64_t address = 0;  // to which the call returns, in the module's file
  uint64_t depth = 0;    // as raw::RepeatedCall has it; 0: there is no other site at this place
  double after = 0;      // the part of the run, from 0 to 1, that lies after the loop's last call
  std::string why_not;
};

// The call sites of all ranks.
class SharedSites {
 public:
  using Id = size_t;
  static constexpr uint64_t kNear = 96;  // bytes of the stack
  // The number of the site, which is a new one where there is none as near.
  Id add(const RankRecord& record, const raw::RepeatedCall& call);
  std::optional<Id> find(const RankRecord& record, const raw::RepeatedCall& call) const;
  // Fills in the place of a site.
  void locate(Id id, LoopSite& site) const;

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
  double round_s = 0;  // mean time from iteration to iteration, over ranks
  LoopSite site;
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
  static bool has_even_visits(const Site& site);
  static uint64_t rounds_of(const Site& site);

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
  const std::string& why_not() const { return loop_.site.why_not; }

 private:
  const MainLoop& loop_;
  std::string operation_;
  core::OverRanksBuilder elapsed_s_, cpu_s_, computation_s_, communication_s_, count_;
};

}  // namespace scalediag::merge
