#include "collector/inject/counting/callgrind_instructions.h"

#include <gtest/gtest.h>

#include <string>

namespace scalediag::inject {
namespace {

// As callgrind 3.19 prints it, shortened, with two threads of which the second has given the command.
std::string status(const std::string& counts_of_2) {
  return "instrumentation: on\nexecuted-bbs: 101004\nevents: Ir Dr Dw\npart: 0\nthreads: 1 2\ncurrent-tid: 2\n"
         "events-1: 8021 1001 1007\nframes-1: 0\nevents-2:" +
         counts_of_2 + "\nframes-2: 0\n";
}

TEST(CallgrindInstructions, AreThoseOfTheThreadThatAsks) {
  EXPECT_EQ(instructions_in_status(status(" 24039 3002 3014")), 24039U);
  EXPECT_EQ(instructions_in_status(status(" 24039")), 24039U);
}

TEST(CallgrindInstructions, AreNoneWhereNothingWasCountedYet) { EXPECT_EQ(instructions_in_status(status("")), 0U); }

TEST(CallgrindInstructions, AreUnknownWhereTheTextIsAnother) {
  EXPECT_EQ(instructions_in_status(""), std::nullopt);
  EXPECT_EQ(instructions_in_status("instrumentation: off\n"), std::nullopt);
  EXPECT_EQ(instructions_in_status(status(" many")), std::nullopt);
  std::string other = status(" 1 2 3");
  other.replace(other.find("Ir"), 2, "Dr");
  EXPECT_EQ(instructions_in_status(other), std::nullopt);
  // Cut off within the counts.
  EXPECT_EQ(instructions_in_status(status(" 24039").substr(0, status("").size() - 13)), std::nullopt);
}

TEST(CallgrindInstructions, AreUnknownOutsideValgrind) {
  CallgrindInstructions counter("/dev/null", 10);
  EXPECT_EQ(counter.enter_mpi(false), std::nullopt);
}

}  // namespace
}  // namespace scalediag::inject
