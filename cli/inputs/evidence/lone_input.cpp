#include "cli/inputs/evidence/lone_input.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>
#include <vector>

#include "cli/diagnostics.h"
#include "core/profile/profile_json.h"
#include "loggp/representatives/computation_vector.h"
#include "predict/sources/replayed_computation.h"

namespace scalediag::cli {
namespace {

// Mean computation of each rank over the complete runs with `np` ranks, in seconds; empty where only blocks of ranks
// are known.
std::vector<double> measured_computations(const core::Profile& profile, int np) {
  std::vector<double> sums(static_cast<size_t>(np));
  double runs = 0;
  for (const core::Run& run : profile.runs) {
    if (!run.complete || run.np != np) continue;
    if (run.rank_computation_s.size() != sums.size()) return {};
    for (size_t rank = 0; rank < sums.size(); ++rank) sums[rank] += run.rank_computation_s[rank];
    runs += 1;
  }
  for (double& sum : sums) sum /= std::max(runs, 1.0);
  return sums;
}

}  // namespace

predict::LoneRanks lone_ranks_of(const std::string& folder, const core::Experiment& experiment,
                                 const core::Profile& profile) {
  predict::LoneRanks lone;
  const int cores = experiment.host.cores;
  if (cores < 1 || !experiment.parameter_names.empty() || !predict::replays_tell_computation(profile.runs)) return lone;
  std::set<int> scales;
  for (const core::Run& run : profile.runs) {
    if (run.complete && run.threads_max > 1) return lone;
    if (run.complete && run.clock == core::Clock::kCpu && run.np > cores) scales.insert(run.np);
  }
  for (const int np : scales) {
    const std::string replays = core::ExperimentFolder(folder).replays_of(np);
    std::error_code failed;
    if (!std::filesystem::is_directory(replays, failed)) continue;
    const auto replayed = loggp::read_replayed_ranks(replays);
    if (!replayed) {
      warn("replays are left out: " + replayed.error().message, replayed.error().hint);
      continue;
    }
    const std::vector<double> measured = measured_computations(profile, np);
    double alone_s = 0, measured_s = 0;
    for (const auto& [rank, vector] : replayed.value().vectors) {
      if (static_cast<size_t>(rank) >= measured.size()) continue;
      alone_s += std::accumulate(vector.begin(), vector.end(), 0.0);
      measured_s += measured[static_cast<size_t>(rank)];
    }
    if (!(alone_s > 0 && measured_s > 0)) continue;
    lone.cores = cores;
    lone.scales.push_back(
        {static_cast<double>(np), alone_s / measured_s, static_cast<int>(replayed.value().vectors.size())});
  }
  return lone;
}

predict::LoneRanks tell_lone_ranks(const std::string& folder) {
  const core::ExperimentFolder place(folder);
  const auto experiment = place.load();
  if (!experiment) return {};
  const auto profile = core::read_profile(place.profile_file());
  if (!profile) return {};
  predict::LoneRanks lone = lone_ranks_of(folder, experiment.value(), profile.value());
  if (!lone.scales.empty()) note(text_of(lone));
  return lone;
}

}  // namespace scalediag::cli
