#include "loggp/synth/signature_result.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "core/statistics.h"

namespace scalediag::loggp {
namespace {

core::Error unreadable_signature(const std::string& what) {
  return {core::ErrorCode::kInput, "the measurement " + what,
          "run it again; if it stays so, look at what the launcher prints with --verbose", ""};
}

// When the last of some ranks began a phase, and when the slowest ended it.
struct Front {
  double begin_s = -std::numeric_limits<double>::infinity();
  double end_s = -std::numeric_limits<double>::infinity();
  int slowest = 0;

  void add(int rank, double begins_s, double ends_s) {
    begin_s = std::max(begin_s, begins_s);
    if (ends_s > end_s) slowest = rank;
    end_s = std::max(end_s, ends_s);
  }
  double seconds() const { return std::max(0.0, end_s - begin_s); }
};

}  // namespace

core::Result<SignatureMeasurement> parse_signature(const std::string& text) {
  SignatureMeasurement made;
  bool began = false, ended = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    bool good = true;
    if (what == "scalediag-synthetic-signature") {
      int version = 0;
      began = static_cast<bool>(words >> version) && version == 1;
      if (!began) return unreadable_signature("was made by another version of the program");
    } else if (!began || ended) {
      continue;
    } else if (what == "library") {
      made.library = line.size() > 8 ? line.substr(8) : "";
    } else if (what == "processes") {
      good = static_cast<bool>(words >> made.processes);
    } else if (what == "round_trip") {
      good = static_cast<bool>(words >> made.round_trip_s);
    } else if (what == "times") {
      auto& t = made.times.emplace_back();
      good = static_cast<bool>(words >> t.run >> t.process >> t.begin_s >> t.mark_s >> t.end_s) && t.end_s >= t.mark_s;
    } else if (what == "hole") {
      auto& h = made.holes.emplace_back();
      good = static_cast<bool>(words >> h.run >> h.process >> h.messages >> h.mean_late_s >> h.most_late_s);
    } else if (what == "took") {
      good = static_cast<bool>(words >> made.took_s);
    } else if (what == "end") {
      ended = true;
    }
    if (!good) return unreadable_signature("has a line that cannot be read: " + line.substr(0, 120));
  }
  if (!began) return unreadable_signature("printed nothing");
  if (!ended) return unreadable_signature("was cut off");
  return made;
}

std::vector<PhaseResult> simulated_phases(const SteppedProgram& stepped, const SimulatedMessages& simulated) {
  std::vector<PhaseResult> phases;
  for (const PhaseWindow& window : stepped.windows) {
    Front front;
    for (size_t r = 0; r < window.begin.size(); ++r) {
      front.add(static_cast<int>(r), simulated.begin_s[r][window.measured[r]], simulated.begin_s[r][window.end[r]]);
    }
    phases.push_back({window.routines, window.weight, 0, front.seconds(), front.slowest, 0});
  }
  return phases;
}

double weighted_sum(const std::vector<PhaseResult>& phases, double PhaseResult::*time) {
  double sum = 0;
  for (const PhaseResult& phase : phases) sum += phase.*time * phase.weight;
  return sum;
}

core::Result<SignatureResult> signature_result(const SteppedProgram& stepped, const SimulatedMessages& simulated,
                                               const std::vector<SignatureRun>& runs,
                                               const SignatureMeasurement& measured) {
  struct OfRank {
    std::vector<double> begins_s, ends_s;
  };
  std::vector<std::map<int, OfRank>> ranks(stepped.windows.size());
  std::vector<size_t> n_times(runs.size());
  for (const SignatureMeasurement::Times& t : measured.times) {
    if (t.run >= runs.size() || t.process >= runs[t.run].ranks.size()) {
      return unreadable_signature("has times of a run that was not planned");
    }
    const SignatureRun& run = runs[t.run];
    OfRank& of = ranks[run.window][run.ranks[t.process].rank];
    of.begins_s.push_back(run.base_s + t.mark_s);
    of.ends_s.push_back(run.base_s + t.end_s);
    ++n_times[t.run];
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    if (n_times[i] != runs[i].ranks.size())
      return unreadable_signature("has no times of a rank that was to be measured");
  }
  SignatureResult result;
  result.phases = simulated_phases(stepped, simulated);
  for (size_t w = 0; w < ranks.size(); ++w) {
    Front front;
    for (const auto& [rank, of] : ranks[w]) front.add(rank, core::median(of.begins_s), core::median(of.ends_s));
    PhaseResult& phase = result.phases[w];
    phase.time_s = ranks[w].empty() ? 0 : front.seconds();
    phase.slowest = front.slowest;
    phase.measured = static_cast<int>(ranks[w].size());
  }
  result.total_s = weighted_sum(result.phases, &PhaseResult::time_s);
  result.simulated_s = weighted_sum(result.phases, &PhaseResult::simulated_s);
  uint64_t n = 0;
  for (const SignatureMeasurement::Hole& hole : measured.holes) {
    n += hole.messages;
    result.late_s += static_cast<double>(hole.messages) * hole.mean_late_s;
    result.most_late_s = std::max(result.most_late_s, hole.most_late_s);
  }
  if (n > 0) result.late_s /= static_cast<double>(n);
  return result;
}

}  // namespace scalediag::loggp
