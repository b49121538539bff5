// The instruction pointer in linux/perf_regs.h's numbering.
#pragma once

#include <cstdint>

namespace scalediag::inject {

#if defined(__x86_64__)
constexpr uint64_t kInstructionPointerRegister = 8;  // PERF_REG_X86_IP
#elif defined(__aarch64__)
constexpr uint64_t kInstructionPointerRegister = 32;  // PERF_REG_ARM64_PC
#else
#error "name the instruction pointer in linux/perf_regs.h's numbering for this processor"
#endif

}  // namespace scalediag::inject
