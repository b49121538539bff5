// The rules of every function that this test has loaded (its own, libc's, libm's, libstdc++'s), at many of its
// instructions, against those that elfutils reads from the same tables.
#include "collector/inject/unwinding/frame_rules.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "collector/inject/unwinding/unwinder.h"

namespace scalediag::inject {
namespace {

// The modules of this process that have an index of their unwind table, by where it lies.
std::map<std::string, UnwindModule> modules() {
  std::map<std::string, UnwindModule> found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const UnwindModule m = unwind_module(*info);
        auto& all = *static_cast<std::map<std::string, UnwindModule>*>(data);
        if (m.readable_end != 0) all[info->dlpi_name[0] == '\0' ? "this test" : info->dlpi_name] = m;
        return 0;
      },
      &found);
  return found;
}

// What elfutils knows of this process.
class Reference {
 public:
  Reference() : dwfl_(dwfl_begin(&kCallbacks)) {
    dwfl_linux_proc_report(dwfl_, getpid());
    dwfl_report_end(dwfl_, nullptr, nullptr);
  }
  ~Reference() { dwfl_end(dwfl_); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  // The frame at the address, to be freed; null where the table has none.
  std::unique_ptr<Dwarf_Frame, void (*)(void*)> frame(uint64_t address) {
    Dwarf_Addr bias = 0;
    Dwarf_Frame* frame = nullptr;
    Dwfl_Module* const module = dwfl_addrmodule(dwfl_, address);
    Dwarf_CFI* const table = module == nullptr ? nullptr : dwfl_module_eh_cfi(module, &bias);
    if (table == nullptr || dwarf_cfi_addrframe(table, address - bias, &frame) != 0) frame = nullptr;
    return {frame, &free};
  }

 private:
  static inline char* no_debug_path_ = nullptr;
  static constexpr Dwfl_Callbacks kCallbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr,
                                                &no_debug_path_};
  Dwfl* dwfl_;
};

std::string offset_from_cfa(int64_t n) { return "CFA" + std::to_string(n); }

std::string text_of_cfa(const FrameRules& rules) {
  if (rules.cfa_expression.begin != nullptr) return "expression";
  return "register " + std::to_string(rules.cfa_register) + " + " + std::to_string(rules.cfa_offset);
}

std::string text_of_cfa(Dwarf_Frame* frame) {
  Dwarf_Op* ops = nullptr;
  size_t n = 0;
  if (dwarf_frame_cfa(frame, &ops, &n) != 0 || n == 0) return "none";
  if (n != 1) return "expression";
  if (ops->atom == DW_OP_bregx)
    return "register " + std::to_string(ops->number) + " + " + std::to_string(static_cast<int64_t>(ops->number2));
  if (ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31)
    return "register " + std::to_string(ops->atom - DW_OP_breg0) + " + " +
           std::to_string(static_cast<int64_t>(ops->number));
  return "expression";
}

std::string text_of_register(const FrameRules& rules, uint32_t reg) {
  for (const RegisterRule& rule : rules.rules) {
    if (rule.reg != reg) continue;
    switch (rule.kind) {
      case RegisterRule::Kind::kUndefined:
        return "undefined";
      case RegisterRule::Kind::kSaved:
        return "at " + offset_from_cfa(rule.n);
      case RegisterRule::Kind::kValue:
        return offset_from_cfa(rule.n);
      case RegisterRule::Kind::kRegister:
        return "register " + std::to_string(rule.n);
      case RegisterRule::Kind::kSavedAt:
      case RegisterRule::Kind::kValueOf:
        return "expression";
    }
  }
  return "unchanged";
}

std::string text_of_register(Dwarf_Frame* frame, uint32_t reg) {
  Dwarf_Op memory[3];
  Dwarf_Op* ops = nullptr;
  size_t n = 0;
  if (dwarf_frame_register(frame, static_cast<int>(reg), memory, &ops, &n) != 0) return "none";
  if (n == 0) return ops == memory ? "undefined" : "unchanged";
  if (ops[0].atom == DW_OP_regx) return "register " + std::to_string(ops[0].number);
  if (ops != memory || ops[0].atom != DW_OP_call_frame_cfa) return "expression";
  const bool is_value = ops[n - 1].atom == DW_OP_stack_value;
  const bool has_offset = n > 1 && ops[1].atom == DW_OP_plus_uconst;
  return (is_value ? "" : "at ") + offset_from_cfa(has_offset ? static_cast<int64_t>(ops[1].number) : 0);
}

// Where the table says nothing of a register: the caller's stack pointer is the CFA; of others elfutils says
// "unchanged" or "undefined", as the ABI has it.
bool is_told_apart(uint32_t reg, const std::string& ours, const std::string& theirs) {
  if (ours == theirs) return false;
  return ours != "unchanged" || theirs != (reg == kStackRegister ? offset_from_cfa(0) : "undefined");
}

TEST(FrameRules, AreThoseThatElfutilsReads) {
  Reference reference;
  size_t compared = 0, with_expression = 0;
  std::map<std::string, size_t> known_by_module;
  for (const auto& [name, module] : modules()) {
    if (name.find("vdso") != std::string::npos) continue;  // no file
    // A step without a factor in common with the sizes of instructions meets all parts of functions.
    for (uint64_t address = module.begin; address < module.end; address += 61) {
      const FrameRules rules = frame_rules_at(module, address);
      const auto frame = reference.frame(address);
      ASSERT_EQ(rules.known, frame != nullptr) << name << " + " << address - module.begin;
      if (!rules.known) continue;
      ++compared;
      ++known_by_module[name];
      Dwarf_Addr begin = 0, end = 0;
      bool is_signal_frame = false;
      ASSERT_EQ(dwarf_frame_info(frame.get(), &begin, &end, &is_signal_frame), static_cast<int>(rules.return_register));
      ASSERT_EQ(rules.is_signal_frame, is_signal_frame) << name << " + " << address - module.begin;
      const std::string cfa = text_of_cfa(frame.get());
      if (cfa == "expression") ++with_expression;
      // elfutils gives a register with an offset as one operation, which a table can also hold as an expression.
      const bool is_short_expression = rules.cfa_expression.begin != nullptr && cfa != "expression";
      if (!is_short_expression) {
        ASSERT_EQ(text_of_cfa(rules), cfa) << name << " + " << address - module.begin;
      }
      for (uint32_t reg = 0; reg < kUnwoundRegisters; ++reg) {
        const std::string ours = text_of_register(rules, reg), theirs = text_of_register(frame.get(), reg);
        ASSERT_FALSE(is_told_apart(reg, ours, theirs)) << name << " + " << address - module.begin << ", register "
                                                       << reg << ": " << ours << " in place of " << theirs;
      }
    }
  }
  // A test that compared nothing would pass: libc alone has over a megabyte of code.
  EXPECT_GT(compared, 10000u);
  EXPECT_GT(with_expression, 0u);  // the linkage table of any module
  EXPECT_GE(known_by_module.size(), 3u);
}

}  // namespace
}  // namespace scalediag::inject
