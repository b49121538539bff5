// scalediag record -n P -- APP: one run whose messages are kept, for `scalediag replay`
#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/log_estimate.h"
#include "cli/inputs/representatives_input.h"
#include "cli/inputs/scaling_input.h"
#include "cli/inputs/trace_input.h"
#include "cli/number_checks.h"
#include "cli/options/program_options.h"
#include "collector/replay/record_session.h"
#include "core/atomic_file.h"
#include "core/raw/message_log.h"
#include "core/result.h"
#include "core/text/formatted.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "loggp/representatives/rank_loop.h"
#include "report/render/text/groups_text.h"

namespace scalediag::cli {
namespace {

// The traces of `ranks`, in their order, of the `np` in `path`, or of smaller runs' scaled to them. Errors: as of
// find_trace_folder(), loggp::read_traces() and read_scaled_traces().
Result<std::vector<loggp::RankTrace>> read_rank_traces(const std::string& path, int np, const std::vector<int>& ranks) {
  std::vector<loggp::RankTrace> wanted;
  if (has_only_other_scales(path, np)) {
    const auto scaled = TRY(read_scaled_traces(path, {}, np));
    for (const int rank : ranks) wanted.push_back(scaled.rank(rank));
    return wanted;
  }
  const auto folder = TRY(find_trace_folder(path, np, ""));
  auto traces = TRY(loggp::read_traces(folder));
  if (traces.size() != static_cast<size_t>(np)) {
    return Error{
        ErrorCode::kInput,
        folder + " has the traces of " + std::to_string(traces.size()) + " ranks, not of " + std::to_string(np),
        "name an experiment: its traces are scaled to other numbers of ranks", folder};
  }
  for (const int rank : ranks) wanted.push_back(std::move(traces[static_cast<size_t>(rank)]));
  return wanted;
}

// The main loops of more than `kept` iterations of the ranks of `traces`, which are those in `path`. Error (kInput): a
// rank's trace has no loop.
Result<std::vector<loggp::MainLoops>> main_loops_of(const std::vector<loggp::RankTrace>& traces,
                                                    const std::string& path, uint64_t kept) {
  std::vector<loggp::MainLoops> of_ranks;
  for (const loggp::RankTrace& trace : traces) {
    if (loggp::has_calls_of_many_events(trace)) {
      return Error{ErrorCode::kInput,
                   path + ": rank " + std::to_string(trace.rank) +
                       " uses neighbourhood collectives or one-sided communication, whose rounds a recording cannot "
                       "tell by the events of a trace",
                   "record the whole run, without --iterations", path};
    }
    auto loops = loggp::main_loops_of(trace, kept);
    if (!loops) {
      return Error{ErrorCode::kInput, path + ": the trace of rank " + std::to_string(trace.rank) + " has no loop",
                   "record the whole run, without --iterations", path};
    }
    of_ranks.push_back(std::move(*loops));
  }
  return of_ranks;
}

constexpr const char* kRecordFooter =
    R"(Everything that a recorded rank receives is kept, compressed, though numbers of a simulation shrink little. --max-log
keeps a run that receives more than was thought from filling the disk.

Examples:
  scalediag record -n 64 -o app.messages -- ./app input.nml
  scalediag record -n 64 --ranks 0,9,63 -o app.messages -- ./app input.nml
  scalediag record -n 64 --representatives app.scalediag --node 4 -- ./app input.nml    (traces of 64, or of fewer ranks)
  scalediag record -n 64 --representatives app.scalediag --iterations 5 -- ./app input.nml
  scalediag record -n 64 --node 4 --together -o app.messages -- ./app input.nml
  scalediag replay app.messages --ranks 9)";

struct RecordOptions {
  replay::RecordRequest request;
  RepresentativesSource representatives;  // no path: --ranks says which
  double similarity = 0;
  std::string groups;       // lines of kGroupsFile
  int node = 1;             // ranks of one
  bool together = false;    // messages between ranks of a node are left out
  uint64_t iterations = 0;  // of each main loop; 0: all
  std::string traces;       // that have the loops; empty: those that choose the representatives
  double apart = 25;        // percent: ranks whose iterations are farther apart are recorded whole

  const std::string& traces_path() const { return traces.empty() ? representatives.path : traces; }
};

// Error (kInput): the traces are of another program than the one to be recorded; or of it with other arguments, where
// the recording is to end after iterations that these traces have (`is_cut`). Otherwise warns of other arguments, and
// of what else may make the traces those of another run.
Status check_traces(const std::string& path, const replay::RecordRequest& request, bool is_cut,
                    const std::string& use = "the ranks are chosen") {
  if (request.command.empty()) return Done{};  // an error later on
  const bool is_scaled = has_only_other_scales(path, request.np);
  const auto folder = TRY(is_scaled ? path : find_trace_folder(path, request.np, ""));
  const auto traced = program_of_traces(path, folder, request.np);
  if (!traced) return Done{};
  const auto to_run = TRY(launch::program_to_run(request, request.np));
  const auto compared = launch::compare_programs(*traced, to_run);
  const std::string& other = compared.other_program.empty() ? compared.other_arguments : compared.other_program;
  const std::string again =
      "trace what is to be recorded: `scalediag profile --trace --series`, into a folder of its own";
  if (!other.empty() && (is_cut || !compared.other_program.empty())) {
    return Error{ErrorCode::kInput, "the traces are not of what is to be recorded: " + other, again, path};
  }
  if (!other.empty()) warn(use + " by traces of another input: " + other, again);
  for (const std::string& doubt : compared.doubts) warn(doubt);
  return Done{};
}

message_log::NodeRange node_of(int rank, const RecordOptions& options) {
  return message_log::ranks_of_node(static_cast<uint32_t>(rank), static_cast<uint32_t>(options.node),
                                    static_cast<uint32_t>(options.request.np));
}

// "0,3,7"
std::string list_text(const auto& ranks) {
  return core::join(ranks, ",", [](int rank) { return std::to_string(rank); });
}

// A rank's log of the first iterations.
replay::PartialLog partial_log_of(const loggp::MainLoops& main, const RecordOptions& options) {
  replay::PartialLog partial;
  for (const loggp::RankLoop& loop : main.loops) {
    partial.loops.push_back({loop.before, loop.per_iteration, loop.iterations, options.iterations, loop.iteration_s});
  }
  partial.after_s.assign(main.after_s.begin(), main.after_s.end());
  partial.most_apart = options.apart / 100;
  // Ranks of a node begin their iterations at different places, but none an iteration later.
  if (options.together) partial.more_events = partial.loops.back().per_iteration;
  return partial;
}

// Gives up partial logs of ranks whose node has a rank that is recorded whole, since ranks of a node send to one
// another; returns these ranks.
std::vector<int> keep_nodes_whole(const RecordOptions& options, replay::RecordRequest& request,
                                  const std::vector<int>& ranks) {
  std::vector<int> given_up;
  for (const int rank : ranks) {
    const auto node = node_of(rank, options);
    for (int other = static_cast<int>(node.first); other < static_cast<int>(node.end); ++other) {
      if (request.loops.count(rank) > 0 && request.loops.count(other) == 0) {
        given_up.push_back(rank);
        break;
      }
    }
  }
  for (const int rank : given_up) request.loops.erase(rank);
  return given_up;
}

// The ranks of which only the first iterations are recorded, by the traces of all that are.
Status choose_iterations(const RecordOptions& options, const std::vector<int>& ranks,
                         const std::vector<loggp::RankTrace>& traces, replay::RecordRequest& request) {
  const auto of_ranks = TRY(main_loops_of(traces, options.traces_path(), options.iterations));
  uint64_t least = UINT64_MAX, most = 0;  // iterations of loops that are cut short; most: of any
  size_t most_loops = 0;
  std::vector<int> unlike;
  bool is_known = true;
  double farthest = 0, farthest_unlike = 0;
  for (size_t i = 0; i < of_ranks.size(); ++i) {
    const auto& loops = of_ranks[i].loops;
    double apart = 0;
    for (const loggp::RankLoop& loop : loops) apart = std::max(apart, loop.apart.value_or(0));
    if (apart * 100 > options.apart) {
      unlike.push_back(ranks[i]);
      farthest_unlike = std::max(farthest_unlike, apart);
      continue;
    }
    most = std::max(most, of_ranks[i].most_iterations);
    if (loops.empty()) continue;
    most_loops = std::max(most_loops, loops.size());
    for (const loggp::RankLoop& loop : loops) {
      least = std::min(least, loop.iterations);
      is_known = is_known && loop.apart.has_value();
    }
    farthest = std::max(farthest, apart);
    request.loops[ranks[i]] = partial_log_of(of_ranks[i], options);
  }
  const auto apart = [](double fraction) { return "up to " + core::spaced_percent(fraction) + " apart in the mean"; };
  if (!unlike.empty()) {
    warn("recording all iterations of rank" + std::string(unlike.size() == 1 ? " " : "s ") + list_text(unlike) +
             ": successive ones, or the first from all, are " + apart(farthest_unlike),
         "--apart allows more than " + core::to_text(options.apart) + " %");
  }
  if (options.together) {
    const auto others = keep_nodes_whole(options, request, ranks);
    if (!others.empty()) note("recording all iterations of the other ranks of these nodes, too: " + list_text(others));
  }
  if (request.loops.empty()) {
    if (most == 0) return Done{};
    note("recording all iterations of the main loop: --iterations asks for " + std::to_string(options.iterations) +
         ", and no " + (unlike.empty() ? "" : "other ") + "rank has more than " + std::to_string(most));
    return Done{};
  }
  note("recording " + std::to_string(options.iterations) + " of " +
       (least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most)) +
       " iterations of " + (most_loops == 1 ? "the main loop" : "each of " + std::to_string(most_loops) + " loops") +
       "; " +
       (is_known ? "successive ones are " + apart(farthest)
                 : "how far they are apart is not known: the traces have no series, or fewer than three iterations"));
  return Done{};
}

// Plans the recording by the traces: the iterations that are recorded, and the size of the logs.
Status plan_by_traces(const RecordOptions& options, replay::RecordRequest& request) {
  const std::string& path = options.traces_path();
  if (path.empty() && options.iterations > 0) {
    return Error{ErrorCode::kUsage, "--iterations needs traces, which say where the main loop is",
                 "make them with `scalediag profile --trace --series`, and name their folder with --traces",
                 "--iterations"};
  }
  if (path.empty()) {
    note("how large the logs get is not known without traces of the program (--traces DIR)");
    return Done{};
  }
  const auto ranks = TRY(replay::parse_ranks(request.ranks, request.np));
  if (options.iterations > 0 || !options.traces.empty())
    TRY(check_traces(path, request, options.iterations > 0, "the size is estimated"));
  const auto traces = TRY(read_rank_traces(path, request.np, ranks));
  if (options.iterations > 0) TRY(choose_iterations(options, ranks, traces, request));
  const LogEstimate estimate = estimate_logs(traces, request);
  note("the logs will take about " + core::bytes_text(static_cast<double>(estimate.bytes)) +
       " before they are packed, that of rank " + std::to_string(estimate.most_rank) + " " +
       core::bytes_text(static_cast<double>(estimate.most)) + ", by the traces");
  return check_room(estimate, replay::recording_folder(request));
}

// The ranks and the others of their nodes.
std::set<int> with_their_nodes(const std::vector<int>& chosen, const RecordOptions& options) {
  std::set<int> ranks;
  for (const int rank : chosen) {
    const auto node = node_of(rank, options);
    for (uint32_t other = node.first; other < node.end; ++other) ranks.insert(static_cast<int>(other));
  }
  return ranks;
}

// The ranks that stand for all, with those of their nodes, as a LIST.
Result<std::string> representatives_of(RecordOptions& options) {
  const bool is_checked_later = options.iterations > 0 && options.traces.empty();
  const std::string& path = options.representatives.path;
  if (!is_checked_later) TRY(check_traces(path, options.request, false));
  const auto run = TRY(read_representatives(options.representatives));
  if (const std::string warning = tell_apart(run); !warning.empty()) {
    options.groups += kGroupsWarning + warning + "\n";
  }
  for (const loggp::RepresentedRanks& set : run.representatives.sets) {
    note(report::set_text(set));
    options.groups += report::set_text(set) + "\n";
  }
  const std::vector<int> chosen = run.representatives.ranks();
  const int np = options.request.np;
  const std::set<int> ranks = with_their_nodes(chosen, options);
  note("recording " + std::to_string(ranks.size()) + " of " + std::to_string(np) + " ranks: " + list_text(chosen) +
       (chosen.size() == 1 ? " stands for all" : " stand for all") +
       (options.node <= 1    ? ""
        : chosen.size() == 1 ? ", with the ranks of its node"
                             : ", with the ranks of their nodes") +
       (run.is_scaled ? " (by the traces of smaller runs)" : ""));
  return list_text(ranks);
}

Result<int> record(RecordOptions options) {
  replay::RecordRequest& request = options.request;
  take_words_of(options.representatives.path, request);
  take_words_of(options.traces, request);
  if (!options.representatives.path.empty()) {
    options.representatives.np = request.np;
    request.ranks = TRY(representatives_of(options));
  } else if (!request.ranks.empty() && options.node > 1) {
    const auto ranks = TRY(replay::parse_ranks(request.ranks, request.np));
    request.ranks = list_text(with_their_nodes(ranks, options));
  }
  if (options.together) request.unrecorded_node = options.node;
  TRY(plan_by_traces(options, request));
  const replay::Recording made = TRY(replay::record(request, notices()));
  if (made.n_ranks == 0) return made.exit_status;
  if (!options.groups.empty()) {
    TRY(core::write_file_atomically(made.folder + "/" + kGroupsFile, options.groups));
  }
  note("recorded " + core::counted(made.n_ranks, "rank") + ": " + std::to_string(made.calls) + " calls of MPI, " +
       core::bytes_text(static_cast<double>(made.bytes)) + " in " + made.folder);
  if (request.with_inputs) {
    note("with " + core::counted(made.inputs, "file") + " that it reads, " +
         core::bytes_text(static_cast<double>(made.input_bytes)));
  }
  note(core::formatted("the run took %.2f s; of a rank's time recording took up to %.2f s", made.elapsed_s,
                       made.recorder_s));
  note("next: scalediag replay " + core::quote_shell_word(request.output.empty() ? made.folder : request.output));
  return made.exit_status;
}

}  // namespace

void add_record_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<RecordOptions>();
  replay::RecordRequest* request = &options->request;
  CLI::App* command = app.add_subcommand("record",
                                         "Record the messages of a run, so that each of its ranks can be "
                                         "run again alone");
  set_usage(*command, "record -n P [OPTIONS]");
  command->footer(kRecordFooter);
  command->add_option("-n,--np", request->np, "Number of processes")
      ->type_name("P")
      ->required()
      ->check(number_of_ranks());
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
                       "Apart: ranks whose computations differ by more than K % of a rank's computation, noise or not")
          ->type_name("K")
          ->check(number_between(0, 1e6))
          ->needs(representatives);
  CLI::Option* node = command
                          ->add_option("--node", options->node,
                                       "Record the ranks of their nodes too, K to a node, for replay --together")
                          ->type_name("K")
                          ->check(CLI::Range(1, 1 << 20));
  command
      ->add_flag("--together", options->together,
                 "Leave out messages between ranks of a node, which then send them to one another when they are "
                 "replayed, node by node")
      ->needs(node);
  CLI::Option* iterations =
      command
          ->add_option("--iterations", options->iterations,
                       "Record only the first K iterations of each main loop; a replay stops there, and its "
                       "computation is completed by repeating them")
          ->type_name("K")
          ->check(CLI::Range(1, 1 << 30));
  command
      ->add_option("--traces", options->traces,
                   "Traces with the main loops, which also say how large logs get, of P ranks or of fewer (default: "
                   "those of --representatives)")
      ->type_name("DIR");
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
  add_program_options(*command, *request, false);
  command->add_option("--timeout", request->timeout_s, "End the run after S seconds")
      ->type_name("S")
      ->check(positive_number());
  command
      ->add_option("--max-log", request->max_log_bytes, "A rank whose log grows beyond this (500MB, 2GB) is given up")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(true));
  command->add_flag("--log-system", request->logs_system,
                    "Also record what the system tells the program: the time, the host's name, process numbers, random "
                    "numbers");
  CLI::Option* with_inputs =
      command
          ->add_option("--with-inputs", request->inputs,
                       "Keep the files that arguments name and the standard input in the recording, so that it can be "
                       "replayed elsewhere; and these files and folders, which the program reads")
          ->type_name("FILE")
          ->expected(0, 1 << 20);
  command->add_flag("--fresh", request->fresh, "Replace an earlier recording in the folder");
  command->callback([options, similarity, node, with_inputs, &invocation] {
    if (node->count() > 0) options->request.node_ranks = options->node;
    options->request.with_inputs = with_inputs->count() > 0;
    std::erase(options->request.inputs, "");  // the option by itself
    options->request.command = invocation.application;
    if (similarity->count() > 0) options->representatives.choice.similarity = options->similarity / 100;
    invocation.exit_status = record(*options);
  });
}

}  // namespace scalediag::cli
