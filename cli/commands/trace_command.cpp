// scalediag trace DIR: prints the trace that `scalediag profile --trace` recorded
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/trace_input.h"
#include "cli/standard_output.h"
#include "core/json/json_writer.h"
#include "report/render/text/trace_text.h"

namespace scalediag::cli {
namespace {

constexpr const char* kTraceFooter =
    R"(Numbers before events are those that `scalediag simulate` names. A loop is "N x {", its events and "}"; their
computations are means over all times round, with the extremes and the standard deviation.

Examples:
  scalediag profile -n 4 --trace -- ./app && scalediag trace app.scalediag --rank 0
  scalediag trace app.scalediag --np 4 --summary)";

struct TraceOptions {
  std::string folder;
  std::string run;
  int np = 0;
  int rank = -1;
  bool summary = false;
  bool json = false;
};

int show_trace(const TraceOptions& options) {
  const auto folder = find_trace_folder(options.folder, options.np, options.run);
  if (!folder) return report(folder.error());
  const auto traces = loggp::read_traces(folder.value());
  if (!traces) return report(traces.error());
  if (options.rank >= static_cast<int>(traces.value().size())) {
    return report(
        {core::ErrorCode::kUsage,
         "there is no rank " + std::to_string(options.rank) + " among " + std::to_string(traces.value().size()),
         "ranks are counted from 0", "--rank"});
  }
  std::string text;
  nlohmann::ordered_json document = {{"schema", "scalediag-trace/1"}, {"ranks", nlohmann::ordered_json::array()}};
  for (const loggp::RankTrace& trace : traces.value()) {
    if (options.rank >= 0 && static_cast<int>(trace.rank) != options.rank) continue;
    if (!trace.incomplete.empty()) warn(trace.incomplete);
    if (options.json) {
      document["ranks"].push_back(report::trace_json(trace));
    } else {
      text += options.summary ? report::trace_summary(trace) : report::trace_text(trace);
    }
  }
  if (!options.json) return print(text);
  const auto json = core::to_json_text(document, 4);
  return json ? print(json.value()) : report(json.error());
}

}  // namespace

void add_trace_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<TraceOptions>();
  CLI::App* command = app.add_subcommand("trace", "Print the communication events that `profile --trace` recorded");
  command->footer(kTraceFooter);
  command->add_option("DIR", options->folder, "Experiment folder, or the folder of one of its runs")->required();
  command->add_option("--np", options->np, "The run with P ranks")->type_name("P");
  command->add_option("--run", options->run, "The run with this id, as np0004.r0")->type_name("ID");
  command->add_option("--rank", options->rank, "Only this rank")->type_name("R")->check(CLI::NonNegativeNumber);
  command->add_flag("--summary", options->summary, "A line a rank");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = show_trace(*options); });
}

}  // namespace scalediag::cli
