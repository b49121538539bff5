#include "pmpi-comm/loaded_module.h"

#include <link.h>

#include <algorithm>

namespace scalediag::pmpi {

LoadedModule loaded_module_of(uint64_t address) {
  struct Search {
    uint64_t address;
    LoadedModule found;
  } search{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* module, size_t, void* data) {
        auto& s = *static_cast<Search*>(data);
        LoadedModule all{UINT64_MAX, 0, module->dlpi_addr, module->dlpi_name != nullptr ? module->dlpi_name : ""};
        for (int i = 0; i < module->dlpi_phnum; ++i) {
          const auto& p = module->dlpi_phdr[i];
          if (p.p_type != PT_LOAD) continue;
          all.begin = std::min<uint64_t>(all.begin, module->dlpi_addr + p.p_vaddr);
          all.end = std::max<uint64_t>(all.end, module->dlpi_addr + p.p_vaddr + p.p_memsz);
        }
        if (!all.holds(s.address)) return 0;
        s.found = all;
        return 1;
      },
      &search);
  return search.found;
}

}  // namespace scalediag::pmpi
