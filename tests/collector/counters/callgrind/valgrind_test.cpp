#include "collector/counters/callgrind/valgrind.h"

#include <gtest/gtest.h>

namespace scalediag::counters {
namespace {

TEST(UnsupportedInstruction, IsFoundInValgrindsLog) {
  const std::string log =
      "==12== Callgrind, a call-graph generating cache profiler\n"
      "vex amd64->IR: unhandled instruction bytes: 0x62 0xF1 0xFD 0x48 0xEF 0xC0 0x48 0x8B 0x45 0xF8\n"
      "==12== valgrind: Unrecognised instruction at address 0x10917d.\n";
  EXPECT_EQ(find_unsupported_instruction(log),
            "this valgrind cannot run an instruction of the program (unhandled instruction bytes: 0x62 0xF1 0xFD 0x48 "
            "0xEF 0xC0 0x48 0x8B 0x45 0xF8)");
}

TEST(UnsupportedInstruction, IsNotFoundInOtherLogs) {
  EXPECT_EQ(find_unsupported_instruction("==12== Process terminating with default action of signal 11 (SIGSEGV)\n"),
            "");
  EXPECT_EQ(find_unsupported_instruction(""), "");
}

}  // namespace
}  // namespace scalediag::counters
