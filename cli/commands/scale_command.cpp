// scalediag scale DIR --np N -o FOLDER: the trace of a number of ranks that nobody ran
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/few_doubts.h"
#include "cli/inputs/scaling_input.h"
#include "cli/number_checks.h"
#include "cli/standard_output.h"
#include "cli/terminal/work_progress.h"
#include "collector/launch/process/interruption.h"
#include "core/atomic_file.h"
#include "core/experiment/output_file.h"
#include "core/scratch_folder.h"
#include "core/text/formatted.h"
#include "loggp/phases/scaled/scaled_trace.h"
#include "loggp/traces/trace_writer.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScaleFooter =
    R"(FOLDER is made and holds a trace a rank, which `scalediag trace` prints and `scalediag simulate` runs. Computation is
a power of the number of ranks through what was measured, by a rank's place where places differ.

Examples:
  scalediag scale app.scalediag --np 64 -o app.np64
  scalediag simulate app.np64 --network network.json
  scalediag scale app.scalediag --np 16 --leave-out 16 -o held && scalediag trace held --compare app.scalediag)";

struct ScaleOptions {
  std::string folder, output;
  int np = 0;
  std::vector<int> leave_out;
  std::vector<std::string> points;
  bool details = false;
};

std::string file_of(const std::string& folder, int rank) {
  const std::string name = core::formatted("/rank%07d.trace", rank);
  return folder + name;
}

// The file is in a folder that nobody sees before it is whole, so that it need not appear at once.
Status write_new_file(const std::string& path, const std::string& content) {
  std::FILE* file = std::fopen(path.c_str(), "wbx");
  if (file == nullptr) return core::write_error(path, errno);
  const bool is_written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const int error = errno;
  const bool is_closed = std::fclose(file) == 0;
  if (is_written && is_closed) return Done{};
  return core::write_error(path, is_written ? errno : error);
}

// The folder appears only when it is whole: after an error or an interruption nothing of it is left.
Result<int> write_traces(const loggp::ScaledTraces& traces, const ScaleOptions& options) {
  const auto output = TRY(core::file_behind_links(options.output));
  const fs::path target = fs::path(output) / "";  // with or without a slash at its end
  const fs::path parent = fs::absolute(target).parent_path().parent_path();
  std::error_code failed;
  fs::create_directories(parent, failed);
  if (failed) return core::write_error(options.output, failed.value());
  const launch::InterruptionGuard interruption;
  const core::ScratchFolder unfinished("scale", parent);
  if (unfinished.path().empty()) return core::write_error(options.output, errno);
  const std::string folder = unfinished.file("traces");
  fs::create_directory(folder, failed);
  {
    WorkProgress line("writing " + std::to_string(options.np) + " traces");
    for (int rank = 0; !failed && rank < options.np; ++rank) {
      if (const int signal = interruption.signal(); signal != 0) return 128 + signal;
      TRY(write_new_file(file_of(folder, rank), loggp::rank_file(traces.rank(rank))));
      line.tell((rank + 1.0) / options.np);
    }
  }
  if (!failed) fs::rename(folder, target.parent_path(), failed);
  if (failed) return core::write_error(options.output, failed.value());
  return core::kExitSuccess;
}

Result<int> scale(const ScaleOptions& options) {
  const FewDoubts few(options.details);
  std::error_code failed;
  const bool exists = fs::exists(options.output, failed);
  if (exists && !fs::is_empty(options.output, failed)) {
    return Error{ErrorCode::kUsage, options.output + " exists already", "name a new folder", options.output};
  }
  TRY(core::check_output_files({exists ? file_of(options.output, 0) : options.output}, {options.folder}));
  std::optional<predict::ScaledComputation> computation;
  const auto traces =
      TRY(read_scaled_traces(options.folder, options.leave_out, options.np, options.points, UINT64_MAX, &computation));
  if (const int status = TRY(write_traces(traces, options)); status != core::kExitSuccess) return status;
  return computation ? print(text_of(*computation) + "\n") : core::kExitSuccess;
}

}  // namespace

void add_scale_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<ScaleOptions>();
  CLI::App* command = app.add_subcommand("scale", "Write the trace of a number of ranks that was not run");
  command->footer(kScaleFooter);
  command->add_option("DIR", options->folder, "Experiment folder with traces at several numbers of ranks")->required();
  command->add_option("--np", options->np, "Number of ranks")->type_name("N")->required()->check(number_of_ranks());
  command->add_option("-o,--output", options->output, "The folder of the traces")->type_name("FOLDER")->required();
  command
      ->add_option("--leave-out", options->leave_out,
                   "Without the runs with these numbers of ranks, to try what they would be")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(number_of_ranks());
  command
      ->add_option("--points", options->points,
                   "Experiment folders of other inputs, whose computation is taken where their ranks execute as many "
                   "instructions")
      ->type_name("DIR");
  command->add_flag("--details", options->details, "Every warning in full, not only five lines of them");
  command->callback([options, &invocation] { invocation.exit_status = scale(*options); });
}

}  // namespace scalediag::cli
