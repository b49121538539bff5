// Merges the runs of an experiment as `scalediag merge` does, and writes the profile:
//
//   merge_bench EXPERIMENT.scalediag PROFILE.json
//
// It prints how long that took, the CPU time of all threads and the most memory. many_ranks makes experiments for it.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>

#include "collector/merge/merge.h"
#include "core/profile/profile_json.h"

namespace {

void print(const char* what, std::chrono::steady_clock::time_point since) {
  const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  std::printf("%s: %.2f s, CPU time so far %.2f s, most memory %.0f MB\n", what, elapsed_s,
              seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024);
}

int fail(const scalediag::core::Error& error) {
  std::fprintf(stderr, "merge_bench: %s: %s\n", error.where.c_str(), error.message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace scalediag;
  if (argc != 3) {
    std::fprintf(stderr, "usage: merge_bench EXPERIMENT.scalediag PROFILE.json\n");
    return 2;
  }
  const core::ExperimentFolder folder(argv[1]);
  const auto experiment = folder.load();
  if (!experiment) return fail(experiment.error());
  auto begin = std::chrono::steady_clock::now();
  const auto profile = merge::merge_experiment(folder, experiment.value(), false);
  if (!profile) return fail(profile.error());
  for (const core::Run& run : profile.value().runs) {
    std::printf("%s: %zu kernels, %zu operations%s\n", run.id.c_str(), run.kernels.size(), run.operations.size(),
                run.complete ? "" : (", incomplete: " + run.reason).c_str());
  }
  print("merged", begin);
  begin = std::chrono::steady_clock::now();
  const auto written = core::write_profile(profile.value(), argv[2]);
  if (!written) return fail(written.error());
  print("written", begin);
  begin = std::chrono::steady_clock::now();
  const auto again = core::read_profile(argv[2]);
  if (!again) return fail(again.error());
  print("read", begin);
  return 0;
}
