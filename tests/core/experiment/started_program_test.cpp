#include "core/experiment/started_program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::core {
namespace {

std::string script_of(const TemporaryFolder& folder, const std::string& first_line) {
  const std::string path = folder.file("run.sh");
  std::ofstream(path) << first_line << "\n";
  return path;
}

TEST(StartedProgram, IsWhatAScriptExecuted) {
  const TemporaryFolder folder;
  EXPECT_EQ(program_behind(script_of(folder, "#!/bin/sh"), "/opt/heat"), "/opt/heat");
  EXPECT_EQ(program_behind("/usr/bin/env", "/opt/heat"), "/opt/heat");
  EXPECT_EQ(program_name("/usr/bin/env", "/opt/heat"), "heat");
}

TEST(StartedProgram, AProgramIsItself) {
  const TemporaryFolder folder;
  const std::string program = folder.file("heat"), link = folder.file("link");
  std::ofstream(program) << "\177ELF";
  std::filesystem::create_symlink(program, link);
  EXPECT_EQ(program_behind(program, program), "");
  EXPECT_EQ(program_behind(link, program), "");
  EXPECT_EQ(program_behind(program, ""), "");
  EXPECT_EQ(program_name(link, ""), "link");
}

TEST(StartedProgram, AnInterpretedScriptIsItself) {
  const TemporaryFolder folder;
  EXPECT_EQ(program_behind(script_of(folder, "#!/usr/bin/env julia"), "/opt/julia-1.9/bin/julia"), "");
  EXPECT_EQ(program_behind(script_of(folder, "#!/opt/venv/bin/python3 -u"), "/usr/bin/python3.11"), "");
  EXPECT_EQ(program_behind(script_of(folder, "#!/bin/sh"), "/usr/bin/python3.11"), "");
}

}  // namespace
}  // namespace scalediag::core
