#include "collector/merge/symbols/symbol_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace scalediag::merge {
namespace {

// Suffixes of code that belongs to the function before them, alone or followed by a number.
constexpr std::array<std::string_view, 9> kParts = {"cold",       "part", "isra",       "constprop", "lto_priv",
                                                    "cold_clone", "llvm", "localalias", "warm"};

// Followed by a number or not, and "]".
constexpr std::string_view kRegionMark = "[omp region";

struct Pieces {
  std::string_view base;
  bool is_nested = false;   // a procedure contained in another one: "inner.0"
  bool is_region = false;   // an OpenMP region
  std::string_view region;  // its number, may be empty
};

bool is_number(std::string_view s) {
  return !s.empty() && std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_part(std::string_view s) { return std::find(kParts.begin(), kParts.end(), s) != kParts.end(); }

bool is_region_suffix(std::string_view s) {
  return s == "_omp_fn" || s == "_omp_cpyfn" || s == "omp_outlined" || s == "omp_outlined_debug__" ||
         s == "_omp_outlined" || s == "_debug__";
}

bool strip_suffix(std::string_view& s, std::string_view suffix) {
  if (s.size() < suffix.size() || s.substr(s.size() - suffix.size()) != suffix) return false;
  s.remove_suffix(suffix.size());
  return true;
}

// "base.word" -> word, leaving base; an empty word for "base." and false without a dot.
bool take_word(std::string_view& s, std::string_view& word) {
  const size_t dot = s.rfind('.');
  if (dot == std::string_view::npos) return false;
  word = s.substr(dot + 1);
  s = s.substr(0, dot);
  return true;
}

// Takes one suffix off the right; false when there is none.
bool take_suffix(Pieces& p) {
  std::string_view rest = p.base;
  std::string_view number;
  std::string_view word;
  if (!take_word(rest, word)) return false;
  if (is_number(word)) {
    number = word;
    std::string_view before = rest;
    if (!take_word(before, word) || (!is_part(word) && !is_region_suffix(word) && !word.empty())) {
      p.base = rest;
      p.is_nested = true;
      return !rest.empty();
    }
    rest = before;
  }
  // clang before 17 writes ".omp_outlined." and ".omp_outlined..N"
  if (word.empty() && !take_word(rest, word)) return false;
  if (is_region_suffix(word)) {
    if (!p.is_region) p.region = number;
    p.is_region = true;
  } else if (!is_part(word)) {
    return false;
  }
  p.base = rest;
  return true;
}

Pieces split(std::string_view symbol) {
  const size_t version = symbol.find('@');
  if (version != std::string_view::npos && version > 0) symbol = symbol.substr(0, version);
  Pieces p;
  p.base = symbol;
  while (take_suffix(p)) {
  }
  return p;
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && name != nullptr ? std::string(name.get()) : symbol;
}

// gfortran: __module_MOD_procedure, __module.submodule_MOD_procedure (also seen: _SMOD_).
bool gfortran_module_procedure(std::string_view symbol, std::string& name) {
  if (symbol.substr(0, 2) != "__") return false;
  for (const std::string_view mark : {"_SMOD_", "_MOD_"}) {
    const size_t at = symbol.find(mark, 2);
    if (at == std::string_view::npos || at == 2 || at + mark.size() == symbol.size()) continue;
    name = std::string(symbol.substr(2, at - 2)) + "::" + std::string(symbol.substr(at + mark.size()));
    return true;
  }
  return false;
}

// ifort and ifx: module_mp_procedure_
bool intel_module_procedure(std::string_view symbol, std::string& name) {
  constexpr std::string_view kMark = "_mp_";
  if (!strip_suffix(symbol, "_")) return false;
  const size_t at = symbol.find(kMark);
  if (at == std::string_view::npos || at == 0 || at + kMark.size() == symbol.size()) return false;
  name = std::string(symbol.substr(0, at)) + "::" + std::string(symbol.substr(at + kMark.size()));
  return true;
}

// flang: _QMmodulePprocedure, _QMmoduleSsubmodulePprocedure, _QMmoduleFhostPprocedure, _QPprocedure. Its own letters
// are upper case and the program's names are lower case.
bool flang_procedure(std::string_view symbol, std::string& name) {
  if (symbol.size() < 4 || symbol.substr(0, 2) != "_Q") return false;
  name.clear();
  for (const char c : symbol.substr(2)) {
    if (c >= 'A' && c <= 'Z') {
      if (std::string_view("MSFP").find(c) == std::string_view::npos) return false;
      if (!name.empty()) name += "::";
    } else {
      name += c;
    }
  }
  return !name.empty();
}

std::string base_name(std::string_view base, const NameHints& hints) {
  if (base == "MAIN__" || base == "_QQmain" || hints.is_program) {
    if (hints.is_program && hints.source_name != "MAIN__" && !hints.source_name.empty()) {
      return std::string(hints.source_name);
    }
    // For a region of the main program the host is the program.
    return hints.host.empty() ? "MAIN (Fortran main program)" : std::string(hints.host);
  }
  std::string name;
  if (gfortran_module_procedure(base, name) || flang_procedure(base, name) || intel_module_procedure(base, name)) {
    return name;
  }
  if (base.substr(0, 2) == "_Z") return demangled(std::string(base));
  std::string_view plain = base;
  if (strip_suffix(plain, "_")) {
    // gfortran adds a second underscore to names that hold one under -fsecond-underscore.
    if (hints.fortran && plain.size() > 1) {
      if (hints.source_name.empty()) return std::string(plain);
      std::string_view without_two = plain;
      if (strip_suffix(without_two, "_") && without_two == hints.source_name) return std::string(without_two);
      if (plain == hints.source_name) return std::string(plain);
    }
  }
  return std::string(base);
}

}  // namespace

std::string readable_name(std::string_view symbol, const NameHints& hints) {
  const Pieces p = split(symbol);
  std::string name = p.base.empty() ? std::string(hints.host) : base_name(p.base, hints);
  if (p.is_nested && !p.base.empty() && !hints.host.empty()) name = std::string(hints.host) + "::" + name;
  if (p.is_region) {
    if (!name.empty()) name += ' ';
    name += kRegionMark;
    name += p.region.empty() ? "]" : " " + std::string(p.region) + "]";
  }
  return name.empty() ? std::string(symbol) : name;
}

std::string without_region(const std::string& name) {
  const size_t mark = name.rfind(kRegionMark);
  if (mark == std::string::npos) return name;
  return name.substr(0, mark > 0 && name[mark - 1] == ' ' ? mark - 1 : mark);
}

bool name_needs_host(std::string_view symbol) {
  const Pieces p = split(symbol);
  return p.base.empty() || p.is_nested;
}

}  // namespace scalediag::merge
