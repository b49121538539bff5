// The functions at addresses in ELF files, by elfutils. Files are opened once, and read at the first question.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace scalediag::merge {

struct Function {
  std::string name;    // readable, see symbol_names.h; for code without a symbol see ModuleSymbols
  std::string module;  // file name of the ELF file
  std::string file;    // of the definition; empty without debug information
  int line = 0;
  bool is_named = true;  // false: by a place in the module
};

// One ELF file. Code that no symbol covers is named, in this order of preference,
//   module [plt]               a stub of the linker
//   module+0x1234              by the start of the function, from the unwind tables
//   module+0x1000-0x1fff       by its page, as for files that are missing or have changed
// A function that a call was made from, with the place of the call.
struct CallingFunction {
  const Function* function = nullptr;
  std::string file;  // empty without debug information
  int line = 0;
};

class ModuleSymbols {
 public:
  // `build_id` is the recorded one, hexadecimal; empty when the module has none.
  ModuleSymbols(std::string path, std::string build_id, const std::string& debug_root);
  ~ModuleSymbols();
  ModuleSymbols(const ModuleSymbols&) = delete;
  ModuleSymbols& operator=(const ModuleSymbols&) = delete;

  // The function at an address of the ELF file (a - load_bias). The reference lives as long as this object; addresses
  // of one function give the same one.
  const Function& function_at(uint64_t address);
  // The same, but code that was inlined belongs to the function in whose source it stands.
  const Function& inlined_function_at(uint64_t address);

  // The functions that the code at an address belongs to, inlined ones first. At least one.
  const std::vector<CallingFunction>& calling_functions_at(uint64_t address);

  // Where a function has left its caller's return address behind, since it ended with a jump: that function, with where
  // in it the jump is. It is the one that the call before the return address leads to. `to` is what is known to have
  // been called: an MPI routine (empty), the function at an address of this module, or one of another (kElsewhere).
  // Empty where the call leads there itself, and where it is an indirect one.
  static constexpr uint64_t kElsewhere = ~uint64_t{0};
  std::vector<CallingFunction> jumped_from(uint64_t return_address, std::optional<uint64_t> to);

  // Whether the function at an address waits in a loop (spin_code.h). In a file without any recognisable spin loop, as
  // GCC's OpenMP library is on Arm: whether no symbol covers the address.
  bool spins_at(uint64_t address);

  // Whether code was asked for that no symbol covers.
  bool has_unnamed() const { return has_unnamed_; }

  // The reason why the file could not be used, one sentence; empty when it could.
  const std::string& problem() const { return problem_; }
  const std::string& path() const { return path_; }

 private:
  struct Elf;  // the state of elfutils
  const Function& intern(Function function);
  const Function& by_symbol(uint64_t address);
  const Function& by_page(uint64_t address);
  const Function& by_place(const std::string& place);  // in the module

  std::string path_;
  std::string module_;
  std::string problem_;
  bool has_unnamed_ = false;
  std::unique_ptr<Elf> elf_;
  std::map<std::pair<std::string, std::pair<std::string, int>>, Function> functions_;  // by name, file, line
  std::map<uint64_t, const Function*> by_begin_;                                       // of symbols
  std::map<uint64_t, const Function*> by_address_;
  std::map<uint64_t, const Function*> inlined_;
  std::map<uint64_t, std::vector<CallingFunction>> calling_;
};

class SymbolCache {
 public:
  // `debug_root` is the folder of separate debug information.
  explicit SymbolCache(std::string debug_root = "/usr/lib/debug") : debug_root_(std::move(debug_root)) {}

  ModuleSymbols& module(const std::string& path, const std::string& build_id);
  // A function that is written in Python; its module is the file's name. The reference lives as long as this object.
  const Function& python_function(const std::string& name, const std::string& file, int line);
  // debug_package.h, looked for once a file.
  const std::string& debug_package(const std::string& path);

 private:
  std::string debug_root_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<ModuleSymbols>> modules_;
  std::map<std::pair<std::string, std::pair<std::string, int>>, Function> python_;  // by name, file, line
  std::map<std::string, std::string> debug_packages_;                               // by path
};

}  // namespace scalediag::merge
