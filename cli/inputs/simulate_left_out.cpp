#include "cli/inputs/simulate_left_out.h"

#include <algorithm>
#include <filesystem>

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"
#include "core/profile/profile_json.h"
#include "core/text/quantities.h"

namespace scalediag::cli {

namespace fs = std::filesystem;

std::optional<LeftOut> left_out_of(const std::string& run_folder, const loggp::SimulationInput& input,
                                   double computed_s) {
  const auto* trace = std::get_if<loggp::TraceProgram>(&input);
  if (trace == nullptr || !(trace->recorded_s() > 0)) return std::nullopt;
  // DIR/runs/RUN
  const fs::path run = fs::absolute(run_folder).lexically_normal();
  const core::ExperimentFolder folder(run.parent_path().parent_path().string());
  const core::Result<core::Profile> profile = core::read_profile(folder.profile_file());
  if (!profile) return std::nullopt;
  const auto& runs = profile.value().runs;
  const auto found =
      std::find_if(runs.begin(), runs.end(), [&run](const core::Run& r) { return r.id == run.filename().string(); });
  if (found == runs.end() || !found->complete) return std::nullopt;

  double in_mpi_s = 0;
  for (const core::MpiOperation& operation : found->operations) in_mpi_s += operation.wall_s.mean;
  return LeftOut{std::max(0.0, trace->recorded_s() - in_mpi_s - computed_s), trace->recorded_s(),
                 found->clock == core::Clock::kCpu};
}

std::string left_out_text(const LeftOut& left_out) {
  const core::TimeFormat time(left_out.recorded_s);
  return "of the " + time(left_out.recorded_s) + " " + time.unit() + " that the recorded run took, " +
         time(left_out.seconds) + " " + time.unit() +
         " a rank were neither CPU time nor in MPI: it slept, or read or wrote files" +
         (left_out.shared_cores ? ", or waited for a core that it shared" : "") +
         "; a trace does not hold that, and the predicted time leaves it out";
}

}  // namespace scalediag::cli
