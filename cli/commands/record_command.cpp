// scalediag record -n P -- APP: one run whose messages are kept, for `scalediag replay`
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "collector/replay/record_session.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"

namespace scalediag::cli {
namespace {

constexpr const char* kRecordFooter =
    R"(Everything that a recorded rank receives is kept, compressed, though numbers of a simulation shrink little. --max-log
keeps a run that receives more than was thought from filling the disk.

Examples:
  scalediag record -n 64 -o app.messages -- ./app input.nml
  scalediag record -n 64 --ranks 0,9,63 -o app.messages -- ./app input.nml
  scalediag replay app.messages --ranks 9)";

class RecordHelp : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: scalediag record -n P [OPTIONS] -- APP ARGS\n";
  }
};

int record(const replay::RecordRequest& request) {
  const auto recording = replay::record(request, notices());
  if (!recording) return report(recording.error());
  const replay::Recording& made = recording.value();
  if (made.exit_status != core::kExitSuccess) return made.exit_status;
  note("recorded " + std::to_string(made.n_ranks) + (made.n_ranks == 1 ? " rank: " : " ranks: ") +
       std::to_string(made.calls) + " calls of MPI, " + core::bytes_text(static_cast<double>(made.bytes)) + " in " +
       made.folder);
  note("next: scalediag replay " + core::quote_shell_word(request.output.empty() ? made.folder : request.output));
  return core::kExitSuccess;
}

}  // namespace

void add_record_command(CLI::App& app, Invocation& invocation) {
  const auto request = std::make_shared<replay::RecordRequest>();
  CLI::App* command = app.add_subcommand("record",
                                         "Record the messages of a run, so that each of its ranks can be "
                                         "run again alone");
  command->formatter(std::make_shared<RecordHelp>());
  command->footer(kRecordFooter);
  command->add_option("-n,--np", request->np, "Number of processes")
      ->type_name("P")
      ->required()
      ->check(CLI::Range(1, 1 << 24));
  command->add_option("--ranks", request->ranks, "Ranks whose messages are recorded (default: all)")->type_name("LIST");
  command->add_option("-o,--output", request->output, "Folder of the recording (default: APP.messages)")
      ->type_name("DIR");
  command->add_option("--launcher", request->launcher, "Command that starts the ranks, with {np} and {command}")
      ->type_name("TEMPLATE");
  command->add_option("--mpi", request->mpi, "The application's MPI, where it cannot be found out: openmpi or mpich")
      ->type_name("NAME");
  command->add_option("--stdin", request->stdin_file, "Standard input of the run (default: ours if that is a file)")
      ->type_name("FILE");
  command->add_option("--timeout", request->timeout_s, "End the run after S seconds")
      ->type_name("S")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--max-log", request->max_log_bytes, "A rank whose log grows beyond this (500MB, 2GB) is given up")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(true));
  command->add_flag("--fresh", request->fresh, "Replace an earlier recording in the folder");
  command->callback([request, &invocation] {
    request->command = invocation.application;
    invocation.exit_status = record(*request);
  });
}

}  // namespace scalediag::cli
