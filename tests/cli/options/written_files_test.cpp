// Every option of every command that writes a file, against every other one that takes text, and against the program,
// its arguments and its input.
#include "cli/options/written_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>

#include "cli/command.h"
#include "core/scratch_folder.h"

namespace scalediag::cli {
namespace {

constexpr char kLost[] = " is what is read, and would be overwritten";

// A command line of the subcommand with all that it requires; nothing runs.
class CommandLine {
 public:
  explicit CommandLine(const std::string& command) {
    add_commands(app_, invocation_);
    command_ = app_.get_subcommand(command);
    // After the subcommand's own check, and before it would run; its callback has to stay, since it holds the options.
    app_.parse_complete_callback([this] {
      ran_ = true;
      throw CLI::RuntimeError(0);
    });
  }
  CLI::App& command() { return *command_; }
  std::vector<std::string>& application() { return invocation_.application; }
  // "lost", "ran", or the reason of the parser.
  std::string parse(const std::vector<std::string>& words) {
    try {
      app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
      if (ran_) return "ran";
      if (invocation_.exit_status) return error.what();
      const std::string& refusal = invocation_.exit_status.error().message;
      return refusal.ends_with(kLost) ? "lost" : refusal;
    }
    return "not run";
  }

 private:
  Invocation invocation_;
  CLI::App app_{"", "scalediag"};
  CLI::App* command_ = nullptr;
  bool ran_ = false;
};

std::string name_of(CLI::Option& option) { return option.get_positional() ? "" : "--" + option.get_lnames().at(0); }

void add(std::vector<std::string>& words, CLI::Option& option, const std::string& value) {
  if (const std::string name = name_of(option); !name.empty()) words.push_back(name);
  words.push_back(value);
}

class WrittenFiles : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"read", "other"}) std::ofstream(folder_.file(name)) << name;
  }
  // The words that set the options, with those that the command requires besides: a file, or a number of ranks.
  std::vector<std::string> words_of(CommandLine& line, const std::vector<std::pair<CLI::Option*, std::string>>& set) {
    std::vector<std::string> words = {line.command().get_name()};
    for (const auto& [option, value] : set) add(words, *option, value);
    for (CLI::Option* option : line.command().get_options()) {
      const bool is_set = std::any_of(set.begin(), set.end(), [&](const auto& of) { return of.first == option; });
      if (!option->get_required() || is_set) continue;
      add(words, *option,
          option->get_type_name().find("FILE") == std::string::npos && !option->get_positional()
              ? "4"
              : folder_.file("other"));
    }
    return words;
  }

  const core::ScratchFolder folder_{"written-files-test"};
};

TEST_F(WrittenFiles, NoCommandOverwritesAFileThatAnOptionNames) {
  int n_commands = 0, n_pairs = 0;
  CLI::App all("", "scalediag");
  Invocation ignored;
  add_commands(all, ignored);
  for (CLI::App* named : all.get_subcommands({})) {
    const std::vector<CLI::Option*> known = named->get_options();
    int n_here = 0;
    for (size_t w = 0; w < known.size(); ++w) {
      for (size_t r = 0; r < known.size(); ++r) {
        if (w == r || !is_written(*known[w]) || is_written(*known[r])) continue;
        if (known[r]->get_items_expected_max() == 0) continue;
        CommandLine line(named->get_name());
        const std::vector<CLI::Option*> options = line.command().get_options();
        const std::string file = folder_.file("read");
        const std::string outcome = line.parse(words_of(line, {{options[w], file}, {options[r], file}}));
        EXPECT_NE(outcome, "ran") << named->get_name() << " " << name_of(*options[w]) << " " << options[r]->get_name();
        n_here += outcome == "lost" ? 1 : 0;
      }
    }
    n_commands += n_here > 0 ? 1 : 0;
    n_pairs += n_here;
  }
  // emulate, network, proposal, report and simulate; blocks and export want one of a few words besides, and machine
  // reads nothing.
  EXPECT_GE(n_commands, 5);
  EXPECT_GE(n_pairs, 25);
}

TEST_F(WrittenFiles, NorDoThoseThatWantAWordOfAFew) {
  const std::string file = folder_.file("read");
  EXPECT_EQ(CommandLine("export").parse({"export", file, "--format", "csv", "-o", file}), "lost");
  EXPECT_EQ(CommandLine("blocks").parse({"blocks", "learn", file, "-o", file}), "lost");
}

TEST_F(WrittenFiles, StandardOutputIsAFileOnlyWhereTheHelpSaysSo) {
  const std::string file = folder_.file("read"), other = folder_.file("other");
  EXPECT_EQ(CommandLine("export").parse({"export", file, "--format", "csv", "-o", "-"}), "ran");
  EXPECT_EQ(CommandLine("blocks").parse({"blocks", "learn", file, "-o", "-"}), "standard output is no file for this");
  EXPECT_EQ(CommandLine("simulate").parse({"simulate", file, "--network", other, "--timeline", "-"}),
            "standard output is no file for this");
}

TEST_F(WrittenFiles, ProgramArgumentsAndInputAreRead) {
  const std::string file = folder_.file("read");
  for (const std::vector<std::string>& application :
       {std::vector<std::string>{file}, {"app", file}, {"app", "--in=" + file}, {"app", "-c", "a:" + file}}) {
    CommandLine line("emulate");
    line.application() = application;
    EXPECT_EQ(line.parse({"emulate", "-n", "2", "--network", folder_.file("other"), "--timeline", file}), "lost")
        << application.back();
  }
  CommandLine line("emulate");
  line.application() = {"app", folder_.file("other")};
  EXPECT_EQ(line.parse({"emulate", "-n", "2", "--network", folder_.file("other"), "--timeline", file}), "ran");
}

}  // namespace
}  // namespace scalediag::cli
