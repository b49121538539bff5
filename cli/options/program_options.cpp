#include "cli/options/program_options.h"

#include <memory>
#include <utility>

#include "cli/number_checks.h"
#include "core/experiment/experiment.h"

namespace scalediag::cli {
namespace {

class UsageHelp : public CLI::Formatter {
 public:
  explicit UsageHelp(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: scalediag " + usage_ + " -- APP ARGS\n";
  }

 private:
  std::string usage_;
};

}  // namespace

void add_program_options(CLI::App& command, launch::ProgramRequest& program, bool makes_several) {
  // Values are not split at commas, which belong to the LIST.
  command
      .add_option("--param", program.parameters,
                  makes_several ? "A parameter and its values; replaces {NAME} in ARGS; repeatable"
                                : "A parameter and its value; replaces {NAME} in ARGS; repeatable")
      ->type_name(makes_several ? "NAME=LIST" : "NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--words", program.words,
                  "Words by the number of processes, as in grid='2:2 1 1,4:2 2 1'; replaces {NAME} in ARGS; repeatable")
      ->type_name("NAME=TABLE")
      ->allow_extra_args(false);
  command.add_option("--launcher", program.launcher, "Command that starts the ranks, with {np} and {command}")
      ->type_name("TEMPLATE");
  command
      .add_option("--nodes", program.nodes,
                  makes_several
                      ? "Inside an allocation: nodes for the ranks, one number or one for each of -n (default: "
                        "nodes are filled)"
                      : "Inside an allocation: nodes for the ranks (default: nodes are filled)")
      ->type_name(makes_several ? "LIST" : "N");
  command
      .add_option("--ranks-per-node", program.ranks_per_node,
                  "Inside an allocation: ranks that a node takes (default: as the allocation has them)")
      ->type_name("R")
      ->check(positive_number());
  command.add_option("--mpi", program.mpi, "The application's MPI, where it cannot be found out: openmpi or mpich")
      ->type_name("NAME");
  command
      .add_option("--stdin", program.stdin_file,
                  makes_several ? "Standard input of every run (default: ours if that is a file)"
                                : "Standard input of the run (default: ours if that is a file)")
      ->type_name("FILE");
}

void set_usage(CLI::App& command, const std::string& usage) { command.formatter(std::make_shared<UsageHelp>(usage)); }

void take_words_of(const std::string& folder, launch::ProgramRequest& program) {
  if (folder.empty()) return;
  if (auto experiment = core::ExperimentFolder(folder).load()) program.stored_words.merge(experiment.value().words);
}

}  // namespace scalediag::cli
