#include "collector/inject/unwinding/frame_rules.h"

#include <array>
#include <cstring>

#include "collector/inject/unwinding/table_reader.h"

namespace scalediag::inject {
namespace {

constexpr uint8_t kOmitted = 0xff;

// The entry that functions share (CIE), and the one of a function (FDE).
struct CommonEntry {
  uint64_t code_factor = 1;
  int64_t data_factor = 1;
  uint32_t return_register = kReturnRegister;
  uint8_t pointer_encoding = 0;
  bool has_augmentation = false;
  bool is_signal_frame = false;
  TableReader instructions;
};

struct FunctionEntry {
  CommonEntry common;
  uint64_t begin = 0, size = 0;
  TableReader instructions;
};

class Table {
 public:
  explicit Table(const UnwindModule& module) : module_(module) {}

  // False where the table has no function at the address.
  bool find(uint64_t address, FunctionEntry& function) const {
    const uint64_t entry = look_up(address);
    if (entry == 0 || !read_function(entry, function)) return false;
    return address - function.begin < function.size;
  }

 private:
  TableReader from(uint64_t address) const {
    if (address < module_.readable_begin || address >= module_.readable_end) return {};
    return {reinterpret_cast<const uint8_t*>(address), reinterpret_cast<const uint8_t*>(module_.readable_end)};
  }
  // The entry that begins last at or before the address; 0 where there is none. The index is sorted.
  uint64_t look_up(uint64_t address) const {
    constexpr uint8_t kUsualTable = 0x3b;  // pairs of 4 bytes with sign, relative to the index
    TableReader r = from(module_.index);
    const uint8_t version = r.u8(), frame_encoding = r.u8(), count_encoding = r.u8(), table_encoding = r.u8();
    if (version != 1 || count_encoding == kOmitted || table_encoding != kUsualTable) return 0;
    r.pointer(frame_encoding, module_.index);
    const uint64_t count = r.pointer(count_encoding, module_.index);
    const uint64_t table = r.address();
    if (!r.ok() || count > (module_.readable_end - table) / 8) return 0;
    const auto word = [&](uint64_t i) {
      int32_t v;
      std::memcpy(&v, reinterpret_cast<const void*>(table + 4 * i), sizeof v);
      return module_.index + static_cast<uint64_t>(int64_t{v});
    };
    uint64_t low = 0, high = count;  // the first entry after the address is in [low, high]
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      if (word(2 * middle) <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? 0 : word(2 * (low - 1) + 1);
  }
  // Reads an entry's length and narrows the reader to it.
  static TableReader content_of(TableReader r) {
    uint64_t bytes = r.u32();
    if (bytes == 0xffffffff) bytes = r.u64();
    const uint8_t* const begin = r.at();
    r.skip(bytes);
    return r.ok() ? TableReader(begin, begin + bytes) : TableReader();
  }
  bool read_common(uint64_t address, CommonEntry& common) const {
    TableReader r = content_of(from(address));
    if (r.u32() != 0) return false;
    const uint8_t version = r.u8();
    if (version != 1 && version != 3) return false;
    char augmentation[8] = {};
    for (size_t i = 0;; ++i) {
      const uint8_t c = r.u8();
      if (!r.ok() || i + 1 == sizeof augmentation) return false;
      if (c == 0) break;
      augmentation[i] = static_cast<char>(c);
    }
    common.code_factor = r.uleb();
    common.data_factor = r.sleb();
    common.return_register = version == 1 ? r.u8() : static_cast<uint32_t>(r.uleb());
    if (augmentation[0] == 'z') {
      common.has_augmentation = true;
      const uint64_t bytes = r.uleb();
      TableReader data = r;
      r.skip(bytes);
      for (const char* c = augmentation + 1; *c != '\0'; ++c) {
        if (*c == 'R') {
          common.pointer_encoding = data.u8();
        } else if (*c == 'P') {
          const uint8_t encoding = data.u8();
          data.pointer(encoding & 0x0f, 0);
        } else if (*c == 'L') {
          data.u8();
        } else if (*c == 'S') {
          common.is_signal_frame = true;
        } else if (*c != 'B') {
          return false;
        }
      }
      if (!data.ok()) return false;
    } else if (augmentation[0] != '\0') {
      return false;
    }
    common.instructions = r;
    return r.ok() && common.return_register < kUnwoundRegisters;
  }
  bool read_function(uint64_t address, FunctionEntry& function) const {
    TableReader r = content_of(from(address));
    const uint64_t here = r.address();
    const uint32_t back = r.u32();
    if (!r.ok() || back == 0 || !read_common(here - back, function.common)) return false;
    function.begin = r.pointer(function.common.pointer_encoding, module_.index);
    function.size = r.pointer(function.common.pointer_encoding & 0x0f, 0);
    if (function.common.has_augmentation) r.skip(r.uleb());
    function.instructions = r;
    return r.ok();
  }

  const UnwindModule& module_;
};

// Executes call frame instructions up to an address.
class RuleMachine {
 public:
  RuleMachine(const FunctionEntry& function, uint64_t address)
      : common_(function.common), target_(address), at_(function.begin) {}

  bool run(TableReader initial, TableReader own) {
    const uint64_t target = target_;
    target_ = ~uint64_t{0};
    if (!execute(initial)) return false;
    initial_ = now_;
    target_ = target;
    return execute(own);
  }
  FrameRules result(const FunctionEntry& function) const {
    FrameRules f;
    f.known = true;
    f.is_signal_frame = common_.is_signal_frame;
    f.return_is_signed = now_.return_is_signed;
    f.return_register = common_.return_register;
    f.cfa_register = now_.cfa_register;
    f.cfa_offset = now_.cfa_offset;
    f.cfa_expression = now_.cfa_expression;
    f.function = function.begin;
    for (uint32_t i = 0; i < kUnwoundRegisters; ++i) {
      if (!now_.has_rule[i]) continue;
      f.rules.push_back(now_.rules[i]);
      f.rules.back().reg = static_cast<uint8_t>(i);
    }
    return f;
  }

 private:
  using Kind = RegisterRule::Kind;
  struct State {
    uint32_t cfa_register = 0;
    int64_t cfa_offset = 0;
    Expression cfa_expression;
    bool return_is_signed = false;
    std::array<bool, kUnwoundRegisters> has_rule{};
    std::array<RegisterRule, kUnwoundRegisters> rules{};
  };

  // Registers of floating point have no place here.
  void set(uint64_t reg, Kind kind, int64_t n, Expression e = {}) {
    if (reg >= kUnwoundRegisters) return;
    now_.has_rule[reg] = true;
    now_.rules[reg] = {static_cast<uint8_t>(reg), kind, n, e};
  }
  void keep(uint64_t reg) {
    if (reg < kUnwoundRegisters) now_.has_rule[reg] = false;
  }
  void restore(uint64_t reg) {
    if (reg >= kUnwoundRegisters) return;
    now_.has_rule[reg] = initial_.has_rule[reg];
    now_.rules[reg] = initial_.rules[reg];
  }
  void define_cfa(uint64_t reg, int64_t offset) {
    now_.cfa_register = static_cast<uint32_t>(reg);
    now_.cfa_offset = offset;
    now_.cfa_expression = {};
  }
  static Expression expression(TableReader& r) {
    const uint64_t bytes = r.uleb();
    const uint8_t* const begin = r.at();
    r.skip(bytes);
    return r.ok() ? Expression{begin, r.at()} : Expression{};
  }
  int64_t factored(uint64_t n) const { return static_cast<int64_t>(n) * common_.data_factor; }
  // False when the rules that follow are those of later instructions.
  bool advance(uint64_t n) {
    at_ += n * common_.code_factor;
    return at_ <= target_;
  }

  bool execute(TableReader r) {
    while (!r.at_end()) {
      const uint8_t op = r.u8();
      const uint8_t low = op & 0x3f;
      bool goes_on = true;
      switch (op & 0xc0) {
        case 0x40: goes_on = advance(low); break;
        case 0x80: set(low, Kind::kSaved, factored(r.uleb())); break;
        case 0xc0: restore(low); break;
        default:
          if (!execute_long(op, r, goes_on)) return false;
      }
      if (!goes_on) return r.ok();
    }
    return r.ok();
  }
  bool execute_long(uint8_t op, TableReader& r, bool& goes_on) {
    uint64_t reg = 0;
    switch (op) {
      case 0x00:  // nop
        return true;
      case 0x01:  // set_loc
        at_ = r.pointer(common_.pointer_encoding, 0);
        goes_on = at_ <= target_;
        return true;
      case 0x02:  // advance_loc1, 2, 4
        goes_on = advance(r.u8());
        return true;
      case 0x03: goes_on = advance(r.u16()); return true;
      case 0x04: goes_on = advance(r.u32()); return true;
      case 0x05:  // offset_extended
        reg = r.uleb();
        set(reg, Kind::kSaved, factored(r.uleb()));
        return true;
      case 0x06:  // restore_extended
        restore(r.uleb());
        return true;
      case 0x07:  // undefined
        set(r.uleb(), Kind::kUndefined, 0);
        return true;
      case 0x08:  // same_value
        keep(r.uleb());
        return true;
      case 0x09:  // register
        reg = r.uleb();
        set(reg, Kind::kRegister, static_cast<int64_t>(r.uleb()));
        return true;
      case 0x0a:  // remember_state
        if (remembered_.size() >= kDeepest) return false;
        remembered_.push_back(now_);
        return true;
      case 0x0b:  // restore_state
        if (remembered_.empty()) return false;
        now_ = remembered_.back();
        remembered_.pop_back();
        return true;
      case 0x0c:  // def_cfa
        reg = r.uleb();
        define_cfa(reg, static_cast<int64_t>(r.uleb()));
        return true;
      case 0x0d:  // def_cfa_register
        define_cfa(r.uleb(), now_.cfa_offset);
        return true;
      case 0x0e:  // def_cfa_offset
        define_cfa(now_.cfa_register, static_cast<int64_t>(r.uleb()));
        return true;
      case 0x0f:  // def_cfa_expression
        now_.cfa_expression = expression(r);
        return true;
      case 0x10:  // expression
        reg = r.uleb();
        set(reg, Kind::kSavedAt, 0, expression(r));
        return true;
      case 0x11:  // offset_extended_sf
        reg = r.uleb();
        set(reg, Kind::kSaved, r.sleb() * common_.data_factor);
        return true;
      case 0x12:  // def_cfa_sf
        reg = r.uleb();
        define_cfa(reg, r.sleb() * common_.data_factor);
        return true;
      case 0x13:  // def_cfa_offset_sf
        define_cfa(now_.cfa_register, r.sleb() * common_.data_factor);
        return true;
      case 0x14:  // val_offset
        reg = r.uleb();
        set(reg, Kind::kValue, factored(r.uleb()));
        return true;
      case 0x15:  // val_offset_sf
        reg = r.uleb();
        set(reg, Kind::kValue, r.sleb() * common_.data_factor);
        return true;
      case 0x16:  // val_expression
        reg = r.uleb();
        set(reg, Kind::kValueOf, 0, expression(r));
        return true;
      case 0x2d:  // AARCH64_negate_ra_state
        now_.return_is_signed = !now_.return_is_signed;
        return true;
      case 0x2e:  // GNU_args_size
        r.uleb();
        return true;
      case 0x2f:  // GNU_negative_offset_extended
        reg = r.uleb();
        set(reg, Kind::kSaved, -factored(r.uleb()));
        return true;
      default: return false;
    }
  }

  static constexpr size_t kDeepest = 64;
  const CommonEntry& common_;
  uint64_t target_;
  uint64_t at_;
  State initial_, now_;
  std::vector<State> remembered_;
};

}  // namespace

FrameRules frame_rules_at(const UnwindModule& module, uint64_t address) {
  FunctionEntry function;
  if (module.index == 0 || !Table(module).find(address, function)) return {};
  RuleMachine machine(function, address);
  if (!machine.run(function.common.instructions, function.instructions)) return {};
  return machine.result(function);
}

}  // namespace scalediag::inject
