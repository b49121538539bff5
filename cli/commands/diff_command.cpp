// scalediag diff A B: the kernels that got slower or faster, and those for which the repeats do not suffice
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction.h"
#include "cli/inputs/show_input.h"
#include "cli/number_checks.h"
#include "cli/standard_output.h"
#include "core/profile/call_sites.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/table.h"
#include "fit/data/runs/measured_run.h"
#include "report/diff/comparison.h"
#include "report/diff/measured_sides.h"
#include "report/diff/profile_comparison.h"
#include "report/render/json/comparison_json.h"
#include "report/render/text/comparison_text.h"

namespace scalediag::cli {
namespace {

using core::Result;

constexpr const char* kDiffFooter =
    R"(A and B are experiments of the same configurations: before and after a change, or on two machines. Every configuration
that both have is compared by its runs, so measure several: one run tells nothing, three are few. What is called slower
or faster is so with 95 % for all functions together, and with 95 % for all totals; what is not decided is called unknown.

Tables of timings, files of Extra-P and profiles of other tools (a file or a folder) are compared in the same way, by
their times, where both sides are such.

Runs of A and of B should be made under the same conditions, best in turn; a machine that was busier for one of them makes
everything slower.

Examples:
  scalediag profile -n 2..16 --repeat 5 -o before.scalediag -- ./app.old input
  scalediag profile -n 2..16 --repeat 5 -o after.scalediag -- ./app.new input
  scalediag diff before.scalediag after.scalediag
  scalediag diff before.scalediag after.scalediag --tolerance 0.05 --json)";

constexpr const char* kByOperation = "operation";
constexpr const char* kByPlace = "callsite";

struct DiffOptions {
  std::string a, b;
  std::vector<std::string> columns;
  double tolerance = report::kUnnoticedChange;
  size_t top = 10;
  bool wide = false;
  bool json = false;
  std::string by = kByOperation;
};

int print_comparison(const Result<report::Comparison>& comparison, const DiffOptions& options) {
  if (!comparison) return report(comparison.error());
  if (options.json) {
    const Result<std::string> text = report::comparison_json(comparison.value());
    return text ? print(text.value()) : report(text.error());
  }
  report::TerminalOptions terminal;
  terminal.top = options.top;
  terminal.width = options.wide ? core::kUnlimited : terminal_width();
  terminal.color = use_color();
  return print(report::comparison_text(comparison.value(), terminal));
}

// The call path of the whole program: a table's, or that of other tools' profiles.
std::string whole_program_of(const MeasurementInput& input) {
  return input.table ? input.table->whole_program : fit::kWholeRun;
}

// Times of files of single runs are in seconds; nothing says those of Extra-P's files.
bool is_in_seconds(const MeasurementInput& input) {
  return input.table ? input.table->in_seconds : !input.measurements->origin.empty();
}

int diff_measurements(const DiffOptions& options) {
  if (options.by == kByPlace) {
    return report({core::ErrorCode::kUsage,
                   "--by callsite needs experiments, which have the call sites of MPI operations", "leave it out",
                   "--by"});
  }
  const Result<MeasurementInput> a = load_measurement_input(options.a, {}, options.columns);
  if (!a) return report(a.error());
  const Result<MeasurementInput> b = load_measurement_input(options.b, {}, options.columns);
  if (!b) return report(b.error());
  const fit::MeasurementSet set_a = series_of(a.value()), set_b = series_of(b.value());
  const Result<report::MeasuredSides> sides =
      report::measured_sides({options.a, set_a, whole_program_of(a.value()), is_in_seconds(a.value())},
                             {options.b, set_b, whole_program_of(b.value()), is_in_seconds(b.value())});
  if (!sides) return report(sides.error());
  report::ComparisonOptions how;
  how.path_a = options.a;
  how.path_b = options.b;
  how.tolerance = options.tolerance;
  how.processes = sides.value().processes;
  how.in_seconds = is_in_seconds(a.value());
  how.has_totals = sides.value().has_totals;
  how.notes = sides.value().notes;
  return print_comparison(report::compare_profiles(sides.value().a, sides.value().b, how), options);
}

int diff(const DiffOptions& options) {
  if (options.tolerance > 1) {
    return report(
        {core::ErrorCode::kUsage,
         "--tolerance: " + core::to_text(options.tolerance) + " is " + core::spaced_percent(options.tolerance),
         "it is a part of A: for " + core::to_text(options.tolerance) + " % write " +
             core::to_text(options.tolerance / 100),
         "--tolerance"});
  }
  const bool measured_a = holds_measurements(options.a), measured_b = holds_measurements(options.b);
  if (!options.columns.empty() || (measured_a && measured_b)) return diff_measurements(options);
  if (measured_a || measured_b) {
    const Result<report::ShownProfile> experiment = load_show_input(measured_a ? options.b : options.a);
    if (!experiment) return report(experiment.error());
    const std::string& other = measured_a ? options.a : options.b;
    return report({core::ErrorCode::kInput,
                   other + " holds measurements without runs that scalediag profiled, and " +
                       (measured_a ? options.b : options.a) + " is an experiment",
                   "two sides of one kind can be compared: `scalediag export --format csv` makes a table of an "
                   "experiment",
                   other});
  }
  Result<report::ShownProfile> a = load_show_input(options.a);
  if (!a) return report(a.error());
  Result<report::ShownProfile> b = load_show_input(options.b);
  if (!b) return report(b.error());
  if (options.by == kByPlace) {
    for (const auto& [side, path] : {std::pair(&a.value(), &options.a), std::pair(&b.value(), &options.b)}) {
      if (!core::has_call_sites(side->profile)) {
        return report({core::ErrorCode::kInput,
                       "--by callsite: " + *path + " does not tell the call sites of MPI operations",
                       "`scalediag profile` of this version records them", *path});
      }
      side->profile = core::split_by_call_site(std::move(side->profile), core::SiteNaming::kByOrder);
    }
  }
  report::ComparisonOptions how;
  how.path_a = options.a;
  how.path_b = options.b;
  how.tolerance = options.tolerance;
  if (a.value().experiment) how.experiment_a = &*a.value().experiment;
  if (b.value().experiment) how.experiment_b = &*b.value().experiment;
  return print_comparison(report::compare_profiles(a.value().profile, b.value().profile, how), options);
}

}  // namespace

void add_diff_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand("diff", "Compare two experiments: what got slower or faster beyond chance");
  command->footer(kDiffFooter);
  command->add_option("A", options->a, "Before: experiment folder, profile.json, table, or other tools' profiles")
      ->required();
  command->add_option("B", options->b, "After: the same")->required();
  add_columns_option(*command, options->columns);
  command->add_option("--tolerance", options->tolerance, "A change of less than this part of A is none: 0.05 for 5 %")
      ->type_name("X")
      ->check(number_not_negative())
      ->capture_default_str();
  command
      ->add_option("--by", options->by,
                   "What of MPI is compared: each operation, or callsite: each place that calls it, the places in a "
                   "function in the order of their lines")
      ->check(CLI::IsMember({kByOperation, kByPlace}))
      ->capture_default_str();
  command->add_option("--top", options->top, "Kernels to print a configuration, 0 for all")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_flag("--wide", options->wide, "Full names, however long the lines become");
  command->add_flag("--json", options->json, "Print JSON (scalediag-diff/1) with every kernel");
  command->callback([options, &invocation] { invocation.exit_status = diff(*options); });
}

}  // namespace scalediag::cli
