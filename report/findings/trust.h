// The one gate that every command asks how far a prediction can be relied on.
//
// Each reason to doubt has a figure, and from them all follows the grade. Runs whose repeats vary much, or whose ranks
// waited for a core, end every conclusion where they are the smallest ones, to which all is relative, or the largest,
// from where predictions go on; between those they make it rough. A target beyond the measured scales is rough where
// the largest of these, predicted from the smaller ones, came out more than kFarOff wrong, and not known where that was
// by a factor of two. It is rough, too, where two sources put computation more than kFarOff apart, and where the
// interval spans more than core::kKnownFactor, and where nothing was simulated that tells how long ranks wait for
// messages, which CPU time does not. CPU times of ranks that shared cores are rough, unless some were replayed with a
// core each (predict/sources/lone_ranks.h), and so are those of ranks that other programs kept from their cores. More
// processes that do more work in less time are rough as well: something slowed the base. Where ranks wait for GPUs, and
// more of them share one at some scales than at others, that is rough, too: a target may have another share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "fit/application/application_data.h"
#include "report/point.h"

namespace scalediag::report {

enum class Grade : uint8_t { kSure, kRough, kNothing };
const char* name_of(Grade grade);  // "sure enough", "rough", "nothing can be concluded"

enum class Doubt : uint8_t {
  kSharedCores,    // elapsed time where there were more threads than cores
  kOtherPrograms,  // ranks waited for a core that other programs had
  kNoise,          // repeats whose mean is not known: is_noisy()
  kMissed,         // the backtest
  kSourcesApart,   // what sources say of computation
  kWideInterval,   // that of the run, or of the series that the answer is about
  kNoLoneRank,     // CPU time of ranks that shared cores, none of which was replayed
  kSlowBase,       // weak scaling with an efficiency above 1.15
  kNoTrace,        // CPU time of ranks that send messages, without a simulation: no trace, or no network
  kSharedDevices,  // not all scales have as many ranks a GPU, which wait for each other there
};
// "cores shared", "other programs", "noisy", "backtest", "sources apart", "interval", "no lone rank", "slow base", "no
// trace", "GPUs shared"
const char* name_of(Doubt doubt);

// Off by more, a step from the smaller scales to the largest one says that the answer may be, too.
constexpr double kFarOff = 0.25;

struct TrustReason {
  Doubt doubt = Doubt::kNoise;
  Grade grade = Grade::kRough;
  // The largest of the runs: threads a core, share of the run, coefficient of variation; (predicted - measured) /
  // measured; the larger source / the smaller less 1; high / low, or 0 where that is 0; efficiency; ranks a GPU; 0 for
  // others.
  double figure = 0;
  std::vector<Point> at = {};  // the measured runs that it is about
  Estimate interval = {};      // kWideInterval: the one that is wide
};
std::string text_of(const TrustReason& reason);  // "repeats at np=2,16 vary by up to 35 %"

std::string cure_of(Doubt doubt);  // a sentence: what to measure

struct Trust {
  std::vector<TrustReason> reasons;  // the most harmful first, one a doubt

  Grade grade() const { return reasons.empty() ? Grade::kSure : reasons.front().grade; }
  bool tells_nothing() const { return grade() == Grade::kNothing; }
  // Why nothing is made of the runs at a measured point; empty: there is no reason.
  std::optional<Doubt> doubt_at(const Point& at) const;
  void add(const TrustReason& reason);  // of two with the same doubt the worse grade and figure, and all runs
  void add(const Trust& other);
};

struct TrustEvidence {
  const fit::ApplicationData& data;
  const core::Profile* profile = nullptr;  // of the whole program, also where `data` are a region's; null: no runs
  const core::Experiment* experiment = nullptr;  // null: it is not known how many cores there were
  // (predicted - measured) / measured at the largest measured scale, from the smaller ones; empty: there was no
  // backtest.
  std::optional<double> missed = {};
  bool missed_run = false;  // by the run, and not by its kernels in the median
  Point backtest_at = {};
  // About a target beyond the measured scales whose ranks were not replayed. For others, neither these nor the backtest
  // tell anything.
  bool is_beyond = false;
  std::optional<Estimate> answer = {};      // of the run in seconds, or of the series that the answer is about
  std::vector<Estimate> computations = {};  // by source
  double above_ideal = 0;                   // Findings::above_ideal
  Point base = {};                          // to which it relates
  bool waiting_is_told = true;              // by a simulation, if only of measured scales
  const fit::Series* series = nullptr;      // that the answer is about where `data` have no run
};
Trust trust_by(const TrustEvidence& evidence);

// high / low of an interval in two digits, by its ends as they are printed (core/text/bounded.h), so that a reader who
// divides them finds the factor that the words say. Precondition: e.low > 0.
double printed_factor(const Estimate& e);

// The measured points at which ranks shared cores. Empty without an experiment, which says how many there were.
std::vector<Point> shared_cores(const core::Profile& profile, const core::Experiment* experiment);

// The share of a run in which ranks waited for a core that other programs had, by configuration (a point, the processes
// first), where that is more than tolerable. With the wall clock it is measured. With the CPU clock it is the elapsed
// time of a process that is neither its CPU time, times the ranks on a core, nor its sleep; less the largest such time
// at another number of processes, of at least 3 s, since starting and ending take some. The least of the repeats
// counts. It is not known of runs with threads, with parameters besides the processes, and where the number of cores is
// not.
std::map<std::vector<double>, double> waits_for_cores(const core::Profile& profile, const core::Experiment* experiment);

// The configuration that others are compared with: that of the fewest processes, where there is one of those that no
// other program slowed. `profile`, `experiment`: as TrustEvidence has them.
const std::vector<double>& base_of(const fit::ApplicationData& data, const core::Profile* profile,
                                   const core::Experiment* experiment);

// A first sentence, which begins with an upper-case word that is no name, as the grade allows it: itself, "Rough: at
// np=64 ...", or "Cannot be told from these runs: what the run takes, because ...". `question`: "what the run takes".
std::string weakened(const Trust& trust, const std::string& sentence, const std::string& question);
// "sure enough", "rough, because ... . Also, ...", with all reasons; without the last full stop.
std::string text_of(const Trust& trust);

// True where the mean of repeats is not known: their coefficient of variation is above 20 % of two runs, and above what
// makes the same error of the mean of more.
bool is_noisy(const std::vector<double>& repeats);

}  // namespace scalediag::report
