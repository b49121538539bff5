#include "cli/options/option_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/completion_scripts.h"
#include "cli/manual_page.h"

namespace scalediag::cli {
namespace {

class OptionTableTest : public testing::Test {
 protected:
  OptionTableTest() : app_("What it does", "scalediag") {
    add_commands(app_, invocation_);
    table_ = option_table(app_);
  }

  const CommandRow& command(const std::string& name) const {
    for (const CommandRow& row : table_.commands) {
      if (row.name == name) return row;
    }
    ADD_FAILURE() << "no command " << name;
    return table_.program;
  }
  const OptionRow& option(const std::string& of_command, const std::string& name) const {
    for (const OptionRow& row : command(of_command).options) {
      if (std::find(row.names.begin(), row.names.end(), name) != row.names.end()) return row;
    }
    ADD_FAILURE() << "no option " << name;
    return table_.program.options.front();
  }

  Invocation invocation_;
  CLI::App app_;
  OptionTable table_;
};

TEST_F(OptionTableTest, HasWhatTheParserKnows) {
  EXPECT_EQ(table_.commands.size(), app_.get_subcommands({}).size());
  EXPECT_EQ(option("profile", "-n").names, (std::vector<std::string>{"-n", "--np"}));
  EXPECT_EQ(option("profile", "-n").value, "LIST");
  EXPECT_FALSE(option("profile", "-n").required);
  EXPECT_TRUE(command("profile").takes_command);
  EXPECT_TRUE(command("record").takes_command);
  EXPECT_FALSE(command("replay").takes_command);
  EXPECT_EQ(option("profile", "--counters").choices, (std::vector<std::string>{"auto", "papi", "simulated", "none"}));
  EXPECT_EQ(option("profile", "--counters").default_value, "auto");
  EXPECT_EQ(option("predict", "--by").choices,
            (std::vector<std::string>{"all", "costs", "callsite", "callpath", "simulation"}));
  EXPECT_EQ(option("predict", "--by").default_value, "all");
  EXPECT_EQ(option("profile", "-o").kind, ValueKind::kFolder);
  EXPECT_EQ(option("check", "--rules").kind, ValueKind::kFile);
  EXPECT_EQ(option("check", "--rule").kind, ValueKind::kOther);
  EXPECT_TRUE(option("check", "--rule").repeatable);
  EXPECT_EQ(option("check", "--strict").value, "");
  ASSERT_EQ(command("diff").positionals.size(), 2u);
  EXPECT_EQ(command("diff").positionals[0].kind, ValueKind::kFile);
  ASSERT_EQ(command("completion").positionals.size(), 1u);
  EXPECT_EQ(command("completion").positionals[0].choices, (std::vector<std::string>{"bash", "zsh", "fish"}));
}

TEST_F(OptionTableTest, EveryCommandEndsItsHelpWithExamples) {
  for (const CommandRow& row : table_.commands) {
    const size_t examples = row.footer.find("Examples:\n  ");
    EXPECT_NE(examples, std::string::npos) << row.name;
    if (examples == std::string::npos) continue;
    EXPECT_NE(row.footer.find("scalediag " + row.name, examples), std::string::npos) << row.name;
  }
}

TEST_F(OptionTableTest, EveryOptionIsInTheScriptsAndTheManual) {
  const std::string bash = bash_completion(table_), zsh = zsh_completion(table_), fish = fish_completion(table_);
  const std::string manual = manual_page(table_, "1.2.3", "2026-01-31");
  for (const CommandRow& row : table_.commands) {
    EXPECT_NE(manual.find(".SS scalediag " + row.name + "\n"), std::string::npos) << row.name;
    EXPECT_NE(zsh.find("'" + row.name + ":"), std::string::npos) << row.name;
    for (const OptionRow& each : row.options) {
      for (const std::string& name : each.names) {
        EXPECT_NE(bash.find(name), std::string::npos) << name;
        EXPECT_NE(zsh.find(name + "["), std::string::npos) << name;
        const std::string bare = name.substr(name.find_first_not_of('-'));
        EXPECT_NE(fish.find((name.rfind("--", 0) == 0 ? " -l " : " -s ") + bare + " "), std::string::npos) << name;
        if (name == "-h" || name == "--help") continue;
        std::string escaped;
        for (const char c : name) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
        EXPECT_NE(manual.find("\\fB" + escaped + "\\fR"), std::string::npos) << name;
      }
    }
  }
}

TEST(ManualPage, TextIsNeverARequest) {
  OptionTable table;
  CommandRow row;
  row.name = "x";
  row.description = ".so /etc/passwd and a back\\slash";
  row.footer = "'quoted at the beginning\n\nExamples:\n  .PP\n  it's - \\fB";
  table.commands.push_back(row);
  const std::string page = manual_page(table, "1", "2026-01-31");
  EXPECT_NE(page.find("\n\\&.so /etc/passwd and a back\\eslash.\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\n\\(aqquoted at the beginning\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\n\\&.PP\nit\\(aqs \\- \\efB\n"), std::string::npos) << page;
}

TEST(CompletionScripts, QuotesAndBracketsAreEscaped) {
  OptionTable table;
  CommandRow row;
  row.name = "x";
  row.description = "it's: one";
  row.options.push_back({{"--a"}, "A:B", ValueKind::kOther, {}, "with [brackets] and 'quotes'", "", false, false});
  table.commands.push_back(row);
  EXPECT_NE(zsh_completion(table).find("'(--a)--a[with \\[brackets\\] and '\\''quotes'\\'']:A\\:B: '"),
            std::string::npos)
      << zsh_completion(table);
  EXPECT_NE(zsh_completion(table).find("'x:it'\\''s\\: one'"), std::string::npos);
  EXPECT_NE(fish_completion(table).find("-d 'with [brackets] and \\'quotes\\''"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::cli
