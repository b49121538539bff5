// The functions that an ELF file's direct calls lead to. Where a function ends with a jump to another one, the return
// address on the stack is that of its caller: the call before it, which leads to the function that jumped, tells it.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalediag::merge {

struct CallTarget {
  uint64_t address = 0;
  std::string imported;  // the symbol, where it is the linker's stub of a function in another file
};

class CallTargets {
 public:
  // `elf` has to outlive this object.
  explicit CallTargets(Elf* elf);

  // The target of the call that returns to the address. Empty where the call is an indirect one.
  std::optional<CallTarget> before(uint64_t return_address) const;

 private:
  struct Section {
    uint64_t begin = 0;
    std::string_view code;
  };
  std::string_view code_at(uint64_t address, size_t size) const;
  std::string imported_at(uint64_t address) const;
  void read_imports(Elf* elf, Elf_Scn* section);

  bool x86_ = false;
  bool arm_ = false;
  std::vector<Section> sections_;
  std::map<uint64_t, std::string> imports_;  // by the place of their address in the global offset table
};

}  // namespace scalediag::merge
