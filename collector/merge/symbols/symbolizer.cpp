#include "collector/merge/symbols/symbolizer.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "collector/merge/symbols/call_targets.h"
#include "collector/merge/symbols/debug_files.h"
#include "collector/merge/symbols/debug_info.h"
#include "collector/merge/symbols/debug_package.h"
#include "collector/merge/symbols/elf_symbols.h"
#include "collector/merge/symbols/mpi_modules.h"
#include "collector/merge/symbols/spin_code.h"
#include "collector/merge/symbols/symbol_names.h"
#include "core/raw/c_library.h"
#include "core/text/formatted.h"

namespace scalediag::merge {
namespace {

constexpr uint64_t kPage = 4096;

std::string hexadecimal(uint64_t v) { return core::formatted("0x%llx", static_cast<unsigned long long>(v)); }

bool is_mpi_symbol(std::string_view name) {
  return name.starts_with("MPI_") || name.starts_with("mpi_") || name.starts_with("PMPI_") || name.starts_with("pmpi_");
}

NameHints hints_of(const SourceFunction& f) { return {f.fortran, f.is_program, f.source_name, f.host}; }

}  // namespace

struct ModuleSymbols::Elf {
  // Opens the file and compares its build id; returns the problem, or an empty string.
  std::string open(const std::string& path, const std::string& build_id) {
    // The path comes from a raw file: it may name a pipe, which must not stop us.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return "cannot be read (" + std::string(std::strerror(errno)) + ")";
    struct stat status {};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(fd);
      return "is not an ELF file";
    }
    dwfl.reset(dwfl_begin(&callbacks));
    dwfl_report_begin(dwfl.get());
    // Addresses are those of the file: base 0, segments at their own addresses.
    module = dwfl_report_elf(dwfl.get(), path.c_str(), path.c_str(), fd, 0, true);
    if (module == nullptr) {
      ::close(fd);
      return "is not an ELF file";
    }
    void** userdata = nullptr;
    dwfl_module_info(module, &userdata, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    *userdata = const_cast<std::string*>(&debug_root);  // only read
    dwfl_report_end(dwfl.get(), nullptr, nullptr);
    GElf_Addr bias = 0;
    elf = dwfl_module_getelf(module, &bias);
    if (elf == nullptr) return "is not an ELF file";
    if (!build_id.empty() && build_id_of(elf) != build_id) return "changed since it was recorded";
    symbols.emplace(module);
    // Functions of the C library are known by their symbols. Its debug information is in a compressed file of its own,
    // and unpacking that takes longer than all else that a short run is merged with.
    const bool is_known_by_symbols = raw::is_c_library(path) || is_library(file_name(path), "libm");
    debug_info.emplace(is_known_by_symbols ? nullptr : dwfl_module_getdwarf(module, &bias));
    return {};
  }

  explicit Elf(std::string root) : debug_root(std::move(root)) {}

  struct Ender {
    void operator()(Dwfl* d) const { dwfl_end(d); }
  };
  const std::string debug_root;
  const Dwfl_Callbacks callbacks{nullptr, &find_debug_file, &dwfl_offline_section_address, nullptr};
  std::unique_ptr<Dwfl, Ender> dwfl;
  Dwfl_Module* module = nullptr;
  ::Elf* elf = nullptr;
  std::optional<ElfSymbols> symbols;
  std::optional<DebugInfo> debug_info;
  std::optional<SpinCode> spin_code;        // from the first question on
  std::optional<CallTargets> call_targets;  // from the first question on
};

ModuleSymbols::ModuleSymbols(std::string path, std::string build_id, const std::string& debug_root)
    : path_(without_deleted_mark(std::move(path))), module_(file_name(path_)) {
  if (is_vdso(path_)) {
    module_ = "[vdso]";
    return;
  }
  elf_ = std::make_unique<Elf>(debug_root);
  const std::string wrong = elf_->open(path_, build_id);
  if (!wrong.empty()) {
    problem_ = "module " + path_ + " " + wrong + ": its functions have no names";
    elf_.reset();
  }
}

ModuleSymbols::~ModuleSymbols() = default;

const Function& ModuleSymbols::intern(Function function) {
  auto key = std::make_pair(function.name, std::make_pair(function.file, function.line));
  return functions_.try_emplace(std::move(key), std::move(function)).first->second;
}

const Function& ModuleSymbols::function_at(uint64_t address) {
  const auto [entry, is_new] = by_address_.try_emplace(address, nullptr);
  if (is_new) entry->second = &by_symbol(address);
  return *entry->second;
}

const Function& ModuleSymbols::by_symbol(uint64_t address) {
  if (elf_ == nullptr) return module_ == "[vdso]" ? intern({module_, module_, {}, 0}) : by_page(address);
  const auto symbol = elf_->symbols->symbol_at(address);
  if (symbol) {
    const auto [known, is_new] = by_begin_.try_emplace(symbol->begin, nullptr);
    if (is_new) {
      const auto source = elf_->debug_info->function_at(symbol->begin);
      known->second =
          &intern(source ? Function{readable_name(symbol->name, hints_of(*source)), module_, source->file, source->line}
                         : Function{readable_name(symbol->name), module_, {}, 0});
    }
    return *known->second;
  }
  if (elf_->symbols->is_plt(address)) return intern({module_ + " [plt]", module_, {}, 0});
  const auto source = elf_->debug_info->function_at(address);
  if (source && !source->source_name.empty())
    return intern({readable_name(*source), module_, source->file, source->line});
  if (const auto range = elf_->symbols->unwind_range_at(address)) return by_place(hexadecimal(range->begin));
  return by_page(address);
}

const Function& ModuleSymbols::by_page(uint64_t address) {
  const uint64_t begin = address - address % kPage;
  return by_place(hexadecimal(begin) + "-" + hexadecimal(begin + kPage - 1));
}

const Function& ModuleSymbols::by_place(const std::string& place) {
  has_unnamed_ = true;
  return intern({module_ + "+" + place, module_, {}, 0, false});
}

const Function& ModuleSymbols::inlined_function_at(uint64_t address) {
  if (elf_ == nullptr) return function_at(address);
  const auto [entry, is_new] = inlined_.try_emplace(address, nullptr);
  if (!is_new) return *entry->second;
  const auto inlined = elf_->debug_info->inlined_at(address);
  if (!inlined || inlined->function.source_name.empty()) {
    entry->second = &function_at(address);
  } else if (inlined->out_of_line != 0) {
    // The function is also called at other places, where it must be the same kernel.
    entry->second = &function_at(inlined->out_of_line);
  } else {
    const SourceFunction& f = inlined->function;
    entry->second = &intern({readable_name(f), module_, f.file, f.line});
  }
  return *entry->second;
}

const std::vector<CallingFunction>& ModuleSymbols::calling_functions_at(uint64_t address) {
  const auto [entry, is_new] = calling_.try_emplace(address);
  std::vector<CallingFunction>& functions = entry->second;
  if (!is_new) return functions;
  const auto calls = elf_ != nullptr ? elf_->debug_info->inlined_calls_at(address) : std::vector<SourceFunction>();
  for (const SourceFunction& f : calls) {
    const bool is_last = &f == &calls.back();
    if (!is_last && f.source_name.empty()) continue;
    functions.push_back(
        {is_last ? &function_at(address) : &intern({readable_name(f), module_, {}, 0}), f.file, f.line});
  }
  if (functions.empty()) functions.push_back({&function_at(address), "", 0});
  return functions;
}

std::vector<CallingFunction> ModuleSymbols::jumped_from(uint64_t return_address, std::optional<uint64_t> to) {
  if (elf_ == nullptr) return {};
  if (!elf_->call_targets) elf_->call_targets.emplace(elf_->elf);
  const auto target = elf_->call_targets->before(return_address);
  if (!target) return {};
  if (!target->imported.empty()) {
    // Of a call to another file it is not known where that led.
    if (to || is_mpi_symbol(target->imported)) return {};
    return {{&intern({readable_name(target->imported), {}, {}, 0}), "", 0}};
  }
  const auto symbol = elf_->symbols->symbol_at(target->address);
  if (!symbol || elf_->symbols->is_plt(target->address)) return {};
  uint64_t callee = to ? DebugInfo::kToAny : DebugInfo::kToMpi;
  if (to && *to != kElsewhere) {
    const auto called = elf_->symbols->symbol_at(*to);
    if (!called || called->begin == symbol->begin) return {};
    callee = called->begin;
  }
  const uint64_t after = elf_->debug_info->tail_call_of(target->address, callee);
  if (after != 0) return calling_functions_at(after - 1);
  return {{&function_at(target->address), "", 0}};
}

bool ModuleSymbols::spins_at(uint64_t address) {
  if (elf_ == nullptr) return false;
  if (!elf_->spin_code) elf_->spin_code.emplace(elf_->elf);
  const auto symbol = elf_->symbols->symbol_at(address);
  if (!elf_->spin_code->has_any()) return !symbol;
  if (symbol) return elf_->spin_code->has_hint({symbol->begin, symbol->end});
  const auto range = elf_->symbols->unwind_range_at(address);
  return range ? elf_->spin_code->has_hint(*range) : elf_->spin_code->has_hint_near(address);
}

ModuleSymbols& SymbolCache::module(const std::string& path, const std::string& build_id) {
  auto& m = modules_[{path, build_id}];
  if (m == nullptr) m = std::make_unique<ModuleSymbols>(path, build_id, debug_root_);
  return *m;
}

const Function& SymbolCache::python_function(const std::string& name, const std::string& file, int line) {
  const auto [entry, is_new] = python_.try_emplace({name, {file, line}});
  if (is_new) entry->second = {name, file.substr(file.rfind('/') + 1), file, line};
  return entry->second;
}

const std::string& SymbolCache::debug_package(const std::string& path) {
  const auto [entry, is_new] = debug_packages_.try_emplace(path);
  if (is_new) entry->second = debug_package_of(path);
  return entry->second;
}

}  // namespace scalediag::merge
