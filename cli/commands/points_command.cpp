// scalediag points DIR OTHER... --np N: runs of other inputs whose ranks do what N ranks would
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/inputs/scaling_input.h"
#include "cli/number_checks.h"
#include "cli/standard_output.h"
#include "loggp/phases/instructions/measurable_points.h"
#include "report/render/text/points_text.h"

namespace scalediag::cli {
namespace {

constexpr const char* kPointsFooter =
    R"(DIR and each OTHER are experiment folders with traces and counted instructions: DIR of one input at several numbers of
ranks, OTHER of runs of other inputs at few. A run fits whose ranks execute at most 7 % more or fewer instructions in
each phase than those of DIR's input would on N ranks: computations that N ranks have in their caches, it has there too.

Examples:
  scalediag profile -n 2,4,8 --trace --counters simulated --simulate-ranks all -o large -- ./app 512
  scalediag profile -n 2,4 --trace --counters simulated --simulate-ranks all -o small -- ./app 64
  scalediag points large small --np 256)";

struct PointsOptions {
  std::string folder;
  std::vector<std::string> others;
  int np = 0;
  bool json = false;
};

// The points of an experiment's complete runs, one of each configuration.
Result<std::vector<report::NamedPoint>> points_in(const std::string& path, const loggp::ScalingModel& model,
                                                  const std::vector<loggp::PhaseInstructions>& predicted) {
  const auto runs = TRY(read_runs(path));
  std::vector<report::NamedPoint> points;
  for (const NamedRun& run : runs) {
    auto point = TRY(loggp::point_of(predicted, model, run.traces));
    points.push_back({run.name, std::move(point)});
  }
  if (!predict::are_counted(runs)) return not_counted(path);
  return points;
}

Result<int> show_points(const PointsOptions& options) {
  const auto model = TRY(read_scaling_model(options.folder, {}, options.np));
  const auto predicted = loggp::instructions_of(model);
  if (predicted.empty()) return not_counted(options.folder);
  std::vector<report::NamedPoint> points;
  for (const std::string& other : options.others) {
    auto found = TRY(points_in(other, model, predicted));
    std::move(found.begin(), found.end(), std::back_inserter(points));
  }
  if (!options.json) return print(report::points_text(points, model.target));
  return print_json(report::points_json(points, model.target), 4);
}

}  // namespace

void add_points_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<PointsOptions>();
  CLI::App* command =
      app.add_subcommand("points", "Find small runs whose ranks compute what those of a large one would");
  command->footer(kPointsFooter);
  command->add_option("DIR", options->folder, "Experiment folder")->required();
  command->add_option("OTHER", options->others, "Experiment folders of other inputs")->required();
  command->add_option("--np", options->np, "The number of ranks that was not run")
      ->type_name("N")
      ->required()
      ->check(number_of_ranks());
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &invocation] { invocation.exit_status = show_points(*options); });
}

}  // namespace scalediag::cli
