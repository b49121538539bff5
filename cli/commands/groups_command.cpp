// scalediag groups DIR: ranks with the same communication, and those that stand for them
#include <memory>

#include "cli/command.h"
#include "cli/inputs/representatives_input.h"
#include "cli/number_checks.h"
#include "cli/options/written_files.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "report/render/dendrogram.h"
#include "report/render/text/groups_text.h"

namespace scalediag::cli {
namespace {

constexpr const char* kGroupsFooter =
    R"(Ranks are a group if they have the same events in the same order, with the same sizes, and tags and partners by the
same equations. They are taken apart where they compute otherwise by more than noise, which is measured between repeats
of each rank, or its iterations. One rank of each has to be recorded and replayed.

Examples:
  scalediag profile -n 16 --trace --series -- ./app && scalediag groups app.scalediag
  scalediag groups app.scalediag --groups 4 --tree     (the four that are farthest apart, and how far)
  scalediag groups app.scalediag --svg groups.svg
  scalediag groups app.scalediag --np 256              (recorded on 2, 4, 8 and 16))";

struct GroupsOptions {
  RepresentativesSource source;
  double similarity = 0;
  bool tree = false, json = false;
  std::string svg;
};

Result<int> show_groups(GroupsOptions options, bool has_similarity) {
  if (has_similarity) options.source.choice.similarity = options.similarity / 100;
  const auto run = TRY(read_representatives(options.source));
  const auto& [program, is_scaled, representatives, repeats] = run;
  tell_apart(run);
  if (!options.svg.empty()) {
    TRY(core::write_file_atomically(options.svg, report::dendrogram_svg(representatives, program)));
  }
  if (!options.json) {
    const std::string table = report::groups_text(representatives, program, is_scaled, {terminal_width(), use_color()});
    return print(table + (options.tree ? "\n" + report::dendrogram_text(representatives) : ""));
  }
  return print_json(report::groups_json(representatives, program, is_scaled), 2);
}

}  // namespace

void add_groups_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<GroupsOptions>();
  CLI::App* command = app.add_subcommand("groups", "Print which ranks communicate alike, and one that stands for them");
  command->footer(kGroupsFooter);
  command->add_option("DIR", options->source.path, "Experiment folder with traces")->required();
  command->add_option("--np", options->source.np, "Number of ranks: that of one of DIR's runs, or a larger one")
      ->type_name("P")
      ->check(number_of_ranks());
  const CLI::Option* similarity =
      command
          ->add_option("--similarity", options->similarity,
                       "Apart: ranks whose computations differ by more than K % of a rank's computation, noise or not")
          ->type_name("K")
          ->check(number_between(0, 1e6));
  command->add_option("--groups", options->source.choice.sets, "As many groups: those that are farthest apart")
      ->type_name("K")
      ->check(CLI::Range(1, 1 << 30));
  command->add_flag("--tree", options->tree, "Also print how far groups are apart, as a tree");
  writes_file(command->add_option("--svg", options->svg, "Also draw this tree into FILE, as SVG")->type_name("FILE"));
  command->add_option("--computation", options->source.computation, "replay:FOLDER: computations of replayed ranks")
      ->type_name("WHAT");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback(
      [options, similarity, &invocation] { invocation.exit_status = show_groups(*options, similarity->count() > 0); });
}

}  // namespace scalediag::cli
