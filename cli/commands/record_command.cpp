// scalediag record -n P -- APP: one run whose messages are kept, for `scalediag replay`
#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/loop_input.h"
#include "cli/inputs/representatives_input.h"
#include "cli/number_checks.h"
#include "collector/replay/record_session.h"
#include "core/text/join.h"
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
  scalediag record -n 64 --representatives app.scalediag --node 4 -- ./app input.nml    (traces of 64, or of fewer ranks)
  scalediag record -n 64 --representatives app.scalediag --iterations 5 -- ./app input.nml
  scalediag replay app.messages --ranks 9)";

class RecordHelp : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: scalediag record -n P [OPTIONS] -- APP ARGS\n";
  }
};

struct RecordOptions {
  replay::RecordRequest request;
  RepresentativesSource representatives;  // no path: --ranks says which
  double similarity = 0;
  int node = 1;             // ranks of one
  uint64_t iterations = 0;  // of the main loop; 0: all
  std::string traces;       // that have the loop; empty: those that choose the representatives
  double apart = 25;        // percent: ranks whose iterations are farther apart are recorded whole
};

// The ranks of which only the first iterations are recorded.
core::Status choose_iterations(const RecordOptions& options, replay::RecordRequest& request) {
  const auto ranks = replay::parse_ranks(request.ranks, request.np);
  if (!ranks) return ranks.error();
  const std::string& path = options.traces.empty() ? options.representatives.path : options.traces;
  if (path.empty()) {
    return core::Error{core::ErrorCode::kUsage, "--iterations needs traces, which say where the main loop is",
                       "make them with `scalediag profile --trace --series`, and name their folder with --traces",
                       "--iterations"};
  }
  const auto loops = read_rank_loops(path, request.np, ranks.value());
  if (!loops) return loops.error();
  uint64_t least = UINT64_MAX, most = 0;
  std::vector<int> unlike;
  bool is_known = true;
  double farthest = 0;
  for (size_t i = 0; i < loops.value().size(); ++i) {
    const loggp::RankLoop& loop = loops.value()[i];
    is_known = is_known && loop.apart.has_value();
    farthest = std::max(farthest, loop.apart.value_or(0));
    if (loop.apart && *loop.apart * 100 > options.apart) {
      unlike.push_back(ranks.value()[i]);
      continue;
    }
    least = std::min(least, loop.iterations);
    most = std::max(most, loop.iterations);
    if (loop.iterations <= options.iterations) continue;
    replay::PartialLog partial{loop.before,        loop.per_iteration, loop.iterations,
                               options.iterations, loop.iteration_s,   {}};
    partial.after_s.assign(loop.after_s.begin(), loop.after_s.end());
    request.loops[ranks.value()[i]] = std::move(partial);
  }
  const std::string apart = "up to " + core::spaced_percent(farthest) + " apart in the mean";
  if (!unlike.empty()) {
    warn("recording all iterations of rank" + std::string(unlike.size() == 1 ? " " : "s ") +
             core::join(unlike, ",", [](int rank) { return std::to_string(rank); }) + ": successive ones are " + apart,
         "--apart allows more than " + std::to_string(static_cast<int>(options.apart)) + " %");
  }
  if (request.loops.empty()) return core::Done{};
  note("recording " + std::to_string(options.iterations) + " of " +
       (least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most)) +
       " iterations of the main loop; successive ones are " +
       (is_known ? apart : "apart by what is not known, since the traces have no series"));
  return core::Done{};
}

// The ranks that stand for all, with those of their nodes, as a LIST.
core::Result<std::string> representatives_of(const RecordOptions& options) {
  const auto run = read_representatives(options.representatives);
  if (!run) return run.error();
  const std::vector<int> chosen = run.value().representatives.ranks();
  const int np = options.request.np;
  std::set<int> ranks;
  for (const int rank : chosen) {
    const int first = rank - rank % options.node;
    for (int other = first; other < std::min(first + options.node, np); ++other) ranks.insert(other);
  }
  const auto number = [](int rank) { return std::to_string(rank); };
  note("recording " + std::to_string(ranks.size()) + " of " + std::to_string(np) +
       " ranks: " + core::join(chosen, ",", number) + (chosen.size() == 1 ? " stands for all" : " stand for all") +
       (options.node <= 1    ? ""
        : chosen.size() == 1 ? ", with the ranks of its node"
                             : ", with the ranks of their nodes") +
       (run.value().is_scaled ? " (by the traces of smaller runs)" : ""));
  return core::join(ranks, ",", number);
}

int record(RecordOptions options) {
  replay::RecordRequest& request = options.request;
  if (!options.representatives.path.empty()) {
    options.representatives.np = request.np;
    auto ranks = representatives_of(options);
    if (!ranks) return report(ranks.error());
    request.ranks = std::move(ranks).value();
  }
  if (options.iterations > 0) {
    if (auto chosen = choose_iterations(options, request); !chosen) return report(chosen.error());
  }
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
  const auto options = std::make_shared<RecordOptions>();
  replay::RecordRequest* request = &options->request;
  CLI::App* command = app.add_subcommand("record",
                                         "Record the messages of a run, so that each of its ranks can be "
                                         "run again alone");
  command->formatter(std::make_shared<RecordHelp>());
  command->footer(kRecordFooter);
  command->add_option("-n,--np", request->np, "Number of processes")
      ->type_name("P")
      ->required()
      ->check(CLI::Range(1, 1 << 24));
  CLI::Option* ranks =
      command->add_option("--ranks", request->ranks, "Ranks whose messages are recorded (default: all)")
          ->type_name("LIST");
  CLI::Option* representatives =
      command
          ->add_option("--representatives", options->representatives.path,
                       "Record the ranks that stand for all, by the traces in DIR (see scalediag groups)")
          ->type_name("DIR")
          ->excludes(ranks);
  const CLI::Option* similarity =
      command
          ->add_option("--similarity", options->similarity,
                       "Also apart: ranks whose computations differ by more than K % of a rank's computation")
          ->type_name("K")
          ->check(number_between(0, 1e6))
          ->needs(representatives);
  command
      ->add_option("--node", options->node, "Record the ranks of their nodes too, K to a node, for replay --together")
      ->type_name("K")
      ->check(CLI::Range(1, 1 << 20))
      ->needs(representatives);
  CLI::Option* iterations =
      command
          ->add_option("--iterations", options->iterations,
                       "Record only the first K iterations of the main loop; a replay stops there, and its computation "
                       "is completed by repeating them")
          ->type_name("K")
          ->check(CLI::Range(1, 1 << 30));
  command
      ->add_option("--traces", options->traces,
                   "Traces that have the main loop, of P ranks or of fewer (default: those of --representatives)")
      ->type_name("DIR")
      ->needs(iterations);
  command
      ->add_option("--apart", options->apart,
                   "Record all iterations of ranks whose successive iterations differ by more than K % of the mean "
                   "iteration in the mean")
      ->type_name("K")
      ->check(number_between(0, 1e6))
      ->needs(iterations)
      ->capture_default_str();
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
      ->check(positive_number());
  command
      ->add_option("--max-log", request->max_log_bytes, "A rank whose log grows beyond this (500MB, 2GB) is given up")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(true));
  command->add_flag("--fresh", request->fresh, "Replace an earlier recording in the folder");
  command->callback([options, similarity, &invocation] {
    options->request.command = invocation.application;
    if (similarity->count() > 0) options->representatives.similarity = options->similarity / 100;
    invocation.exit_status = record(*options);
  });
}

}  // namespace scalediag::cli
