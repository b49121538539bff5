// scalediag trace DIR: prints the trace that `scalediag profile --trace` recorded
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/trace_input.h"
#include "cli/number_checks.h"
#include "cli/standard_output.h"
#include "core/exit_status.h"
#include "report/render/text/trace_text.h"

namespace scalediag::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTraceFooter =
    R"(Numbers before events are those that `scalediag simulate` names. A loop is "N x {", its events and "}"; their
computations are means over all times round, with the extremes and the standard deviation.

With --compare the exit status is 0 where the traces have the same events, 1 where they differ, and 2 on an error.

Examples:
  scalediag profile -n 4 --trace -- ./app && scalediag trace app.scalediag --rank 0
  scalediag trace app.scalediag --np 4 --summary
  scalediag trace app.scalediag --np 16 --compare app.np16.trace)";

struct TraceOptions {
  std::string folder;
  std::string run;
  int np = 0;
  int rank = -1;
  bool summary = false;
  std::string compare;
  bool json = false;
};

// Warns where the traces are of two programs, or of two inputs of one: those that stand by themselves tell their
// program's name only.
void warn_of_other_program(const std::string& a_folder, const loggp::RankTrace& a, const std::string& b_folder,
                           const loggp::RankTrace& b, const TraceOptions& options) {
  const auto a_run = program_of_traces(options.folder, a_folder, static_cast<int>(a.size));
  const auto b_run = program_of_traces(options.compare, b_folder, static_cast<int>(b.size));
  std::string other;
  if (a_run && b_run) {
    const auto compared = launch::compare_programs(*a_run, *b_run);
    other = compared.other_program.empty() ? compared.other_arguments : compared.other_program;
  } else if (fs::path(a.executable).filename() != fs::path(b.executable).filename()) {
    other = options.folder + " is of " + a.executable + ", and " + options.compare + " of " + b.executable;
  }
  if (!other.empty()) warn("two programs or inputs are compared: " + other);
}

// Holds two traces against each other; the other one may be a run of an experiment with as many ranks.
Result<int> compare(const std::vector<loggp::RankTrace>& a, const std::string& a_folder, const TraceOptions& options) {
  const auto folder = TRY(find_trace_folder(options.compare, static_cast<int>(a.size()), ""));
  const auto b = TRY(loggp::read_traces(folder));
  for (const auto* traces : {&a, &b}) {
    for (const loggp::RankTrace& trace : *traces) {
      if (!trace.incomplete.empty()) warn(trace.incomplete);
    }
  }
  const auto comparison = TRY(loggp::compare_traces(a, b));
  warn_of_other_program(a_folder, a.front(), folder, b.front(), options);
  const int printed = options.json ? print_json(report::trace_comparison_json(comparison), 2)
                                   : print(report::trace_comparison_text(comparison));
  return printed == core::kExitSuccess && comparison.first_difference ? core::kExitDifferent : printed;
}

Result<int> show_trace(const TraceOptions& options) {
  const auto folder = TRY(find_trace_folder(options.folder, options.np, options.run));
  const auto traces = TRY(read_recorded_traces(folder));
  if (!options.compare.empty()) return compare(traces, folder, options);
  if (options.rank >= static_cast<int>(traces.size())) {
    return Error{ErrorCode::kUsage,
                 "there is no rank " + std::to_string(options.rank) + " among " + std::to_string(traces.size()),
                 "ranks are counted from 0", "--rank"};
  }
  std::string text;
  nlohmann::ordered_json document = {{"schema", "scalediag-trace/1"}, {"ranks", nlohmann::ordered_json::array()}};
  for (const loggp::RankTrace& trace : traces) {
    if (options.rank >= 0 && static_cast<int>(trace.rank) != options.rank) continue;
    if (!trace.incomplete.empty()) warn(trace.incomplete);
    if (options.json) {
      document["ranks"].push_back(report::trace_json(trace));
    } else {
      text += options.summary ? report::trace_summary(trace) : report::trace_text(trace);
    }
  }
  if (!options.json) return print(text);
  return print_json(document, 4);
}

}  // namespace

void add_trace_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<TraceOptions>();
  CLI::App* command = app.add_subcommand("trace", "Print the communication events that `profile --trace` recorded");
  command->footer(kTraceFooter);
  command->add_option("DIR", options->folder, "Experiment folder, or the folder of one of its runs")->required();
  command->add_option("--np", options->np, "The run with P ranks")->type_name("P")->check(number_of_ranks());
  command->add_option("--run", options->run, "The run with this id, as np0004.r0")->type_name("ID");
  command->add_option("--rank", options->rank, "Only this rank")->type_name("R")->check(number_not_negative());
  command->add_flag("--summary", options->summary, "A line a rank");
  command->add_option("--compare", options->compare, "Hold the trace against this one, event by event")
      ->type_name("DIR")
      ->excludes("--rank")
      ->excludes("--summary");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = show_trace(*options); });
}

}  // namespace scalediag::cli
