// The identity of a kernel, the same in every run and on every rank.
#pragma once

#include <compare>
#include <string>

namespace scalediag::core {

struct KernelId {
  std::string name;
  std::string module;
  std::string file;
  int line = 0;
  auto operator<=>(const KernelId&) const = default;
};

// Of anything that has a kernel's name, module, file and line.
KernelId id_of(const auto& kernel) { return {kernel.name, kernel.module, kernel.file, kernel.line}; }

}  // namespace scalediag::core
