// scalediag blocks learn DIR, blocks check DIR: the time of sequential blocks as a function of what they depend on
#include <memory>

#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/inputs/blocks/check_blocks.h"
#include "cli/inputs/blocks/learn_blocks.h"
#include "cli/number_checks.h"
#include "cli/options/written_files.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "core/json/json_writer.h"

namespace scalediag::cli {
namespace {

constexpr const char* kBlocksFooter =
    R"(A block is the computation between two MPI calls. Where it depends on data and not on the number of ranks, its time
is learnt from some ranks, or from a small input, and replaces the computations of a trace of all ranks:

Examples:
  scalediag profile -n 8 --trace --series -o small.scalediag -- ./app small.in
  scalediag profile -n 64 --trace --series -o large.scalediag -- ./app large.in
  scalediag blocks learn small.scalediag -o app.blocks
  scalediag blocks check large.scalediag --model app.blocks
  scalediag simulate large.scalediag --network network.json --blocks app.blocks
  scalediag blocks learn large.scalediag --slice 0,9,18 -o app.blocks            (some of its ranks)
  scalediag blocks learn large.scalediag --computation replay:app.messages -o app.blocks   (replayed on this machine))";

struct BlocksOptions {
  std::string action;
  BlockSource source;
  BlockLearning learning;
  std::string method;
  double least_share = 1;
  std::string output;
  std::string model;
  std::string each;
  bool json = false;
};

Result<int> usage_error(const std::string& message, const std::string& hint, const std::string& where) {
  return Error{ErrorCode::kUsage, message, hint, where};
}

Result<int> learn(BlocksOptions& options) {
  if (options.output.empty() && !options.json) {
    return usage_error("blocks learn needs -o FILE", "the models are written there", "-o");
  }
  if (!options.method.empty()) options.learning.options.method = fit::block_method(options.method);
  options.learning.least_share = options.least_share / 100;
  const auto models = TRY(learn_blocks(options.source, options.learning));
  const nlohmann::ordered_json document = fit::block_models_json(models);
  if (!options.output.empty()) {
    const auto text = TRY(core::to_json_text(document, 3));
    TRY(core::write_file_atomically(options.output, text));
  }
  if (options.json) return print_json(document, 3);
  return print(report::block_models_text(models, {terminal_width(), use_color()}));
}

Result<int> check(const BlocksOptions& options) {
  if (options.model.empty()) {
    return usage_error("blocks check needs --model FILE", "`scalediag blocks learn` writes it", "--model");
  }
  const auto models = TRY(fit::read_block_models(options.model));
  const auto checked = TRY(check_blocks(models, options.source));
  if (!options.each.empty()) {
    TRY(core::write_file_atomically(options.each, report::block_check_csv(checked)));
  }
  if (options.json) return print_json(report::block_check_json(checked), 3);
  return print(report::block_check_text(checked, {terminal_width(), use_color()}));
}

}  // namespace

void add_blocks_command(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<BlocksOptions>();
  CLI::App* command = app.add_subcommand("blocks", "Learn how long sequential blocks take, from what they depend on");
  command->footer(kBlocksFooter);
  command->add_option("ACTION", options->action, "learn: make models; check: hold models against a run")
      ->required()
      ->check(CLI::IsMember({"learn", "check"}));
  command->add_option("DIR", options->source.path, "Experiment folder with traces (`profile --trace --series`)")
      ->required();
  command->add_option("--np", options->source.np, "Which of DIR's runs, by its number of ranks")
      ->type_name("P")
      ->check(number_of_ranks());
  command->add_option("--run", options->source.run, "Which of DIR's runs, as np0004.r0")->type_name("ID");
  command->add_option("--slice", options->source.slice, "Only these ranks")->type_name("LIST");
  command
      ->add_option("--computation", options->source.computation,
                   "replay:FOLDER: times are those of replayed ranks, and those of the trace are an attribute")
      ->type_name("WHAT");
  writes_file(
      command->add_option("-o,--output", options->output, "learn: write the models to FILE")->type_name("FILE"));
  command->add_option("--model", options->model, "check: models that `blocks learn` wrote")->type_name("FILE");
  writes_file(command
                  ->add_option("--each", options->each,
                               "check: write each execution with its prediction, interval and attributes outside of "
                               "what was learnt from to FILE, as CSV")
                  ->type_name("FILE"));
  command->add_option("--attributes", options->learning.attributes, "learn: use only these attributes; a list")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag(
      "--for-other-sizes", options->learning.for_other_sizes,
      "learn: for runs of other sizes, in which the place of a rank and the number of an iteration tell nothing");
  command->add_option("--method", options->method, "learn: only this method (default: the best one of each block)")
      ->type_name("METHOD")
      ->check(CLI::IsMember(fit::block_method_names()));
  command->add_option("--share", options->least_share, "learn: only blocks with this share of the computation, in %")
      ->type_name("X")
      ->check(number_between(0, 100))
      ->capture_default_str();
  command->add_option("--metric", options->learning.metric, "learn: what of a block: seconds or instructions")
      ->type_name("METRIC")
      ->check(CLI::IsMember({fit::kSecondMetric, fit::kInstructionMetric}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, command, &invocation] {
    const bool learns = options->action == "learn";
    const std::vector<const char*> of_other =
        learns ? std::vector<const char*>{"--model", "--each"}
               : std::vector<const char*>{"--output", "--attributes", "--for-other-sizes",
                                          "--method", "--share",      "--metric"};
    for (const char* option : of_other) {
      if (command->count(option) == 0) continue;
      invocation.exit_status =
          usage_error(std::string(option) + " is of blocks " + (learns ? "check" : "learn"), "leave it out", option);
      return;
    }
    invocation.exit_status = options->action == "learn" ? learn(*options) : check(*options);
  });
}

}  // namespace scalediag::cli
