// The rules by which the caller's registers follow from a function's at one of its instructions, from the unwind table
// that compilers put into every module for exceptions (.eh_frame, found by .eh_frame_hdr): DWARF 5, section 6.4, as the
// Linux Standard Base has it. The canonical frame address (CFA) is the stack pointer before the function was called.
//
// Read here and not by elfutils, which merge uses for symbols: its library would come into the program together with
// four others, of versions that the program may not want, and Debian's static one cannot be linked into a shared
// library. A test holds the rules against those that elfutils reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scalediag::inject {

// Registers in DWARF's numbering.
#if defined(__x86_64__)
constexpr uint32_t kUnwoundRegisters = 17;  // the last one is the return address
constexpr uint32_t kStackRegister = 7;
constexpr uint32_t kReturnRegister = 16;
#elif defined(__aarch64__)
constexpr uint32_t kUnwoundRegisters = 33;  // x0 to x30, the stack pointer, the instruction's address
constexpr uint32_t kStackRegister = 31;
constexpr uint32_t kReturnRegister = 30;
#else
#error "name the registers of this processor"
#endif

// A module and its table, where they are mapped.
struct UnwindModule {
  uint64_t begin = 0, end = 0;                    // of its code and data
  uint64_t index = 0;                             // of .eh_frame_hdr; 0: there is no table
  uint64_t readable_begin = 0, readable_end = 0;  // the mapped part of the file that holds the table
};

// Bytes of a DWARF expression in the table.
struct Expression {
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;
};

struct RegisterRule {
  enum class Kind : uint8_t { kUndefined, kSaved, kValue, kRegister, kSavedAt, kValueOf };
  uint8_t reg = 0;
  Kind kind = Kind::kUndefined;
  int64_t n = 0;          // kSaved: in memory at CFA + n; kValue: CFA + n; kRegister: in that register
  Expression expression;  // kSavedAt: in memory at its value; kValueOf: its value
};

// A register without a rule keeps its value.
struct FrameRules {
  bool known = false;  // false: no table has the instruction
  bool is_signal_frame = false;
  bool return_is_signed = false;  // pointer authentication (Arm)
  uint32_t return_register = kReturnRegister;
  uint32_t cfa_register = 0;
  int64_t cfa_offset = 0;
  Expression cfa_expression;  // in place of register and offset, where it is not empty
  uint64_t function = 0;      // where the function begins
  std::vector<RegisterRule> rules;
};

// The rules at `address`, which lies in `module`. May throw std::bad_alloc. The module has to stay mapped meanwhile,
// and as long as expressions are used.
FrameRules frame_rules_at(const UnwindModule& module, uint64_t address);

}  // namespace scalediag::inject
