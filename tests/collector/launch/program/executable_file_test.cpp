#include "collector/launch/program/executable_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/core/temporary_folder.h"

namespace scalediag::launch {
namespace {

class ExecutableFileTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content, mode_t mode = 0755) {
    std::ofstream(folder_.file(name), std::ios::binary) << content;
    chmod(folder_.file(name).c_str(), mode);
    return folder_.file(name);
  }
  static std::string own_content() {
    std::ostringstream content;
    content << std::ifstream("/proc/self/exe", std::ios::binary).rdbuf();
    return content.str();
  }
  static std::string complaint(const std::string& path) {
    const auto result = inspect_executable(path);
    return result.ok() ? "" : result.error().message;
  }
  static bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

  core::TemporaryFolder folder_;
};

TEST_F(ExecutableFileTest, AProgramHasItsLoader) {
  const auto self = inspect_executable("/proc/self/exe");
  ASSERT_TRUE(self.ok()) << self.error().message;
  EXPECT_FALSE(self.value().is_script);
  EXPECT_TRUE(contains(self.value().interpreter, "ld")) << self.value().interpreter;
}

TEST_F(ExecutableFileTest, AScriptHasItsInterpreter) {
  const auto script = inspect_executable(write("script", "#! /usr/bin/env python3\nprint()\n"));
  ASSERT_TRUE(script.ok());
  EXPECT_TRUE(script.value().is_script);
  EXPECT_EQ(script.value().interpreter, "/usr/bin/env python3");
}

TEST_F(ExecutableFileTest, EveryTruncationIsRefusedOrWholeAsFarAsItIsRead) {
  const std::string content = own_content();
  // The header is 64 bytes, the program headers follow; 4 bytes are enough to be taken for an ELF file.
  for (const size_t bytes : {4u, 5u, 17u, 19u, 20u, 63u, 64u, 100u, 200u}) {
    EXPECT_NE(complaint(write("cut", content.substr(0, bytes))), "") << bytes;
  }
}

TEST_F(ExecutableFileTest, ForeignMachinesAndWordSizesAreNamed) {
  std::string content = own_content();
  content[18] = static_cast<char>(243);  // EM_RISCV
  content[19] = 0;
  EXPECT_TRUE(contains(complaint(write("riscv", content)), "RISC-V"));
  content = own_content();
  content[4] = 1;  // ELFCLASS32
  EXPECT_TRUE(contains(complaint(write("small", content)), "is built for"));
}

TEST_F(ExecutableFileTest, WhatCannotBeStartedIsRefused) {
  EXPECT_TRUE(contains(complaint(folder_.file("nothing")), "does not exist"));
  EXPECT_TRUE(contains(complaint(folder_.path()), "is a directory"));
  EXPECT_TRUE(contains(complaint(write("text", "hello")), "neither"));
  EXPECT_TRUE(contains(complaint(write("empty", "")), "neither"));
  EXPECT_TRUE(contains(complaint(write("data", "#!/bin/sh\n", 0644)), "is not executable"));
  EXPECT_TRUE(contains(complaint("/dev/null"), "is not a regular file"));
  EXPECT_NE(complaint(""), "");
  EXPECT_TRUE(contains(complaint("no-such-program-in-path"), "is not in PATH"));
}

TEST_F(ExecutableFileTest, PathIsSearchedInOrderForExecutables) {
  const std::string before = std::getenv("PATH");
  std::filesystem::create_directories(folder_.file("a/tool"));
  std::filesystem::create_directories(folder_.file("b"));
  std::filesystem::create_directories(folder_.file("c"));
  write("b/tool", "#!/bin/sh\n", 0644);
  const std::string wanted = write("c/tool", "#!/bin/sh\n");
  setenv("PATH", (folder_.file("a") + ":" + folder_.file("b") + ":" + folder_.file("c")).c_str(), 1);
  EXPECT_EQ(find_in_path("tool"), wanted);
  EXPECT_EQ(find_in_path("other"), "");
  setenv("PATH", before.c_str(), 1);
}

// The started file is the one that was checked: behind a symbolic link ".." leads elsewhere.
TEST_F(ExecutableFileTest, ThePathKeepsLinksAndWhatFollowsThem) {
  std::filesystem::create_directories(folder_.file("far/inside"));
  std::filesystem::create_directory_symlink(folder_.file("far/inside"), folder_.file("near"));
  write("far/app", "#!/bin/sh\n");
  const auto found = inspect_executable(folder_.file("near") + "/./../app");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found.value().path, folder_.file("near") + "/../app");
  std::filesystem::create_symlink(folder_.file("far/app"), folder_.file("alias"));
  EXPECT_EQ(inspect_executable(folder_.file("alias")).value().path, folder_.file("alias"));
}

// The check value of CRC-32.
TEST_F(ExecutableFileTest, FingerprintIsSizeAndChecksum) {
  EXPECT_EQ(fingerprint_of(write("digits", "123456789")), "9-cbf43926");
  EXPECT_EQ(fingerprint_of(folder_.file("nothing")), "");
}

}  // namespace
}  // namespace scalediag::launch
