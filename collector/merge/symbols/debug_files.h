// Finds the separate file with a module's debug information. It looks only on this machine: elfutils' own search may
// ask a server on the network and take minutes.
#pragma once

#include <elfutils/libdwfl.h>

#include <string>

namespace scalediag::merge {

// The build id of an ELF file, hexadecimal; empty when it has none.
std::string build_id_of(Elf* elf);
// The same of an open file; empty when it is no ELF file.
std::string build_id_of_file(int fd);

// Callback for Dwfl_Callbacks::find_debuginfo. The module's userdata is a `const std::string*`, the root of the tree
// of debug files (/usr/lib/debug).
int find_debug_file(Dwfl_Module* module, void** userdata, const char* module_name, Dwarf_Addr base,
                    const char* file_name, const char* debuglink_file, GElf_Word debuglink_crc,
                    char** debuginfo_file_name);

}  // namespace scalediag::merge
