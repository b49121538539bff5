#include "collector/inject/unwinding/unwinder.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>

#include "collector/inject/unwinding/table_reader.h"

namespace scalediag::inject {
namespace {

constexpr size_t kMostFrames = 2048;
constexpr size_t kMostKnown = 32768;

using Registers = std::array<uint64_t, kUnwoundRegisters>;

std::optional<uint64_t> stack_word(const StackCopy& copy, uint64_t address) {
  if (address < copy.from || address > copy.to || copy.to - address < sizeof address) return std::nullopt;
  uint64_t v;
  std::memcpy(&v, copy.bytes + (address - copy.from), sizeof v);
  return v;
}

// The value of a DWARF expression, on whose stack `first` lies; empty where it needs more than registers and the stack.
class ExpressionMachine {
 public:
  ExpressionMachine(const Registers& registers, const StackCopy& copy) : registers_(registers), copy_(copy) {}

  std::optional<uint64_t> value(const Expression& e, std::optional<uint64_t> first) {
    TableReader r(e.begin, e.end);
    if (first) push(*first);
    while (ok_ && !r.at_end()) step(r);
    return ok_ && r.ok() && depth_ > 0 ? std::optional(stack_[depth_ - 1]) : std::nullopt;
  }

 private:
  void push(uint64_t v) {
    if (depth_ == stack_.size()) {
      ok_ = false;
    } else {
      stack_[depth_++] = v;
    }
  }
  uint64_t pop() {
    if (depth_ == 0) {
      ok_ = false;
      return 0;
    }
    return stack_[--depth_];
  }
  void push_register(uint64_t reg, int64_t offset) {
    if (reg >= kUnwoundRegisters) {
      ok_ = false;
    } else {
      push(registers_[reg] + static_cast<uint64_t>(offset));
    }
  }
  void step(TableReader& r) {
    const uint8_t op = r.u8();
    if (op >= 0x30 && op <= 0x4f) return push(op - 0x30u);                     // lit0 to lit31
    if (op >= 0x70 && op <= 0x8f) return push_register(op - 0x70u, r.sleb());  // breg0 to breg31
    switch (op) {
      case 0x06: {  // deref
        const auto v = stack_word(copy_, pop());
        ok_ = ok_ && v.has_value();
        return push(v.value_or(0));
      }
      case 0x08: return push(r.u8());
      case 0x09: return push(static_cast<uint64_t>(int64_t{static_cast<int8_t>(r.u8())}));
      case 0x0a: return push(r.u16());
      case 0x0b: return push(static_cast<uint64_t>(int64_t{static_cast<int16_t>(r.u16())}));
      case 0x0c: return push(r.u32());
      case 0x0d: return push(static_cast<uint64_t>(int64_t{static_cast<int32_t>(r.u32())}));
      case 0x0e:
      case 0x0f: return push(r.u64());
      case 0x10: return push(r.uleb());
      case 0x11: return push(static_cast<uint64_t>(r.sleb()));
      case 0x12: {  // dup
        const uint64_t a = pop();
        push(a);
        return push(a);
      }
      case 0x23:  // plus_uconst
        return push(pop() + r.uleb());
      case 0x92: {  // bregx
        const uint64_t reg = r.uleb();
        return push_register(reg, r.sleb());
      }
      default: return of_two(op);
    }
  }
  void of_two(uint8_t op) {
    const uint64_t b = pop(), a = pop();
    switch (op) {
      case 0x1a: return push(a & b);
      case 0x1c: return push(a - b);
      case 0x1e: return push(a * b);
      case 0x21: return push(a | b);
      case 0x22: return push(a + b);
      case 0x24: return push(b < 64 ? a << b : 0);
      case 0x25: return push(b < 64 ? a >> b : 0);
      case 0x29: return push(a == b ? 1 : 0);
      case 0x2a: return push(static_cast<int64_t>(a) >= static_cast<int64_t>(b) ? 1 : 0);
      case 0x2b: return push(static_cast<int64_t>(a) > static_cast<int64_t>(b) ? 1 : 0);
      case 0x2c: return push(static_cast<int64_t>(a) <= static_cast<int64_t>(b) ? 1 : 0);
      case 0x2d: return push(static_cast<int64_t>(a) < static_cast<int64_t>(b) ? 1 : 0);
      case 0x2e: return push(a != b ? 1 : 0);
      default: ok_ = false;
    }
  }

  const Registers& registers_;
  const StackCopy& copy_;
  std::array<uint64_t, 32> stack_{};
  size_t depth_ = 0;
  bool ok_ = true;
};

// One frame up. kFirst: the frame is the thread's first.
enum class Step { kCaller, kFirst, kBeyondCopy, kImpossible };

Step step_up(const StackCopy& copy, const FrameRules& rules, Registers& registers, uint64_t& instruction) {
  std::optional<uint64_t> cfa;
  if (rules.cfa_expression.begin != nullptr) {
    cfa = ExpressionMachine(registers, copy).value(rules.cfa_expression, std::nullopt);
  } else if (rules.cfa_register < kUnwoundRegisters) {
    cfa = registers[rules.cfa_register] + static_cast<uint64_t>(rules.cfa_offset);
  }
  if (!cfa) return Step::kImpossible;
  Registers caller = registers;
  caller[kStackRegister] = *cfa;
  for (const RegisterRule& rule : rules.rules) {
    std::optional<uint64_t> value, where;
    switch (rule.kind) {
      case RegisterRule::Kind::kUndefined:
        if (rule.reg == rules.return_register) return Step::kFirst;
        continue;
      case RegisterRule::Kind::kSaved: where = *cfa + static_cast<uint64_t>(rule.n); break;
      case RegisterRule::Kind::kSavedAt: where = ExpressionMachine(registers, copy).value(rule.expression, cfa); break;
      case RegisterRule::Kind::kValue: value = *cfa + static_cast<uint64_t>(rule.n); break;
      case RegisterRule::Kind::kValueOf: value = ExpressionMachine(registers, copy).value(rule.expression, cfa); break;
      case RegisterRule::Kind::kRegister:
        if (rule.n >= 0 && rule.n < int64_t{kUnwoundRegisters}) value = registers[static_cast<size_t>(rule.n)];
        break;
    }
    if (where) {
      value = stack_word(copy, *where);
      if (!value && *where >= copy.from) return Step::kBeyondCopy;
    }
    if (!value) return Step::kImpossible;
    caller[rule.reg] = *value;
  }
  // Frames lie one above the other; only a function that has not touched the stack shares its place with its caller's.
  if (*cfa < registers[kStackRegister]) return Step::kImpossible;
  uint64_t to = caller[rules.return_register];
  if (rules.return_is_signed) to &= (uint64_t{1} << 48) - 1;
  if (to == 0) return Step::kFirst;
  if (*cfa == registers[kStackRegister] && to == instruction) return Step::kImpossible;
  registers = caller;
  instruction = to;
  return Step::kCaller;
}

// Passed through the loader by with_modules_locked().
struct LockedWork {
  void (*work)(void*) = nullptr;
  void* data = nullptr;
  std::vector<UnwindModule>* modules = nullptr;
  uint64_t loaded = 0, unloaded = 0;  // of the list so far
  std::exception_ptr failure;
};

int list_module(dl_phdr_info* info, size_t, void* data) {
  const UnwindModule m = unwind_module(*info);
  if (m.begin < m.end) static_cast<std::vector<UnwindModule>*>(data)->push_back(m);
  return 0;
}

// Called by the loader for the first module: all is done here, since the list is locked meanwhile.
int with_list_locked(dl_phdr_info* info, size_t, void* data) {
  auto& locked = *static_cast<LockedWork*>(data);
  try {
    if (info->dlpi_adds != locked.loaded || info->dlpi_subs != locked.unloaded) {
      locked.modules->clear();
      dl_iterate_phdr(
          [](dl_phdr_info* i, size_t n, void* d) {
            try {
              return list_module(i, n, d);
            } catch (const std::bad_alloc&) {
              return 1;
            }
          },
          locked.modules);
      std::sort(locked.modules->begin(), locked.modules->end(),
                [](const UnwindModule& a, const UnwindModule& b) { return a.begin < b.begin; });
      locked.loaded = info->dlpi_adds;
      locked.unloaded = info->dlpi_subs;
    }
    locked.work(locked.data);
  } catch (...) {
    locked.failure = std::current_exception();
  }
  return 1;
}

}  // namespace

UnwindModule unwind_module(const dl_phdr_info& info) {
  UnwindModule m;
  m.begin = UINT64_MAX;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info.dlpi_phdr[i];
    const uint64_t begin = info.dlpi_addr + p.p_vaddr;
    if (p.p_type == PT_LOAD) {
      m.begin = std::min(m.begin, begin);
      m.end = std::max(m.end, begin + p.p_memsz);
    } else if (p.p_type == PT_GNU_EH_FRAME) {
      m.index = begin;
    }
  }
  for (int i = 0; i < info.dlpi_phnum && m.index != 0; ++i) {
    const ElfW(Phdr)& p = info.dlpi_phdr[i];
    const uint64_t begin = info.dlpi_addr + p.p_vaddr;
    if (p.p_type != PT_LOAD || (p.p_flags & PF_R) == 0 || m.index < begin || m.index >= begin + p.p_filesz) continue;
    m.readable_begin = begin;
    m.readable_end = begin + p.p_filesz;
  }
  return m;
}

void Unwinder::with_modules_locked(void (*work)(void*), void* data) {
  struct Both {
    Unwinder* unwinder;
    void (*work)(void*);
    void* data;
    LockedWork* locked;
  } both{this, work, data, nullptr};
  LockedWork locked;
  both.locked = &locked;
  locked.modules = &modules_;
  locked.loaded = loaded_;
  locked.unloaded = unloaded_;
  locked.data = &both;
  locked.work = [](void* d) {
    auto& b = *static_cast<Both*>(d);
    // Rules hold pointers into tables of modules.
    if (b.locked->unloaded != b.unwinder->unloaded_) b.unwinder->known_.clear();
    b.unwinder->loaded_ = b.locked->loaded;
    b.unwinder->unloaded_ = b.locked->unloaded;
    b.work(b.data);
  };
  dl_iterate_phdr(with_list_locked, &locked);
  if (locked.failure) std::rethrow_exception(locked.failure);
}

const FrameRules& Unwinder::rules_at(uint64_t address) {
  if (known_.size() >= kMostKnown) known_.clear();
  const auto [entry, is_new] = known_.try_emplace(address);
  if (!is_new) return entry->second;
  const auto after = std::upper_bound(modules_.begin(), modules_.end(), address,
                                      [](uint64_t a, const UnwindModule& m) { return a < m.begin; });
  // A module's segments may leave a hole into which another module was mapped.
  for (auto m = after; m != modules_.begin();) {
    --m;
    if (address >= m->end) continue;
    entry->second = frame_rules_at(*m, address);
    break;
  }
  return entry->second;
}

StackEnd Unwinder::unwind(const StackCopy& copy, std::vector<UnwoundFrame>& frames) {
  frames.clear();
  Registers registers = copy.registers;
  uint64_t instruction = copy.instruction;
  // The call stands before the address to which it returns; a signal comes before the instruction that it interrupts.
  bool is_return = false;
  while (frames.size() < kMostFrames) {
    const FrameRules& rules = rules_at(instruction - (is_return ? 1 : 0));
    frames.push_back({instruction, rules.function});
    if (!rules.known) return StackEnd::kNoTable;
    const bool is_signal_frame = rules.is_signal_frame;
    switch (step_up(copy, rules, registers, instruction)) {
      case Step::kCaller: break;
      case Step::kFirst: return StackEnd::kWhole;
      case Step::kBeyondCopy: return copy.is_cut ? StackEnd::kCut : StackEnd::kMisled;
      case Step::kImpossible: return StackEnd::kMisled;
    }
    is_return = !is_signal_frame;
  }
  return StackEnd::kCut;
}

}  // namespace scalediag::inject
