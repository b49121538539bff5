// The kernel that a function's time is counted in: mostly its own.
//
// Names that say nothing make no kernels of their own. All code of a module that no symbol covers is one kernel,
// "libpetsc.so.3.18 (no symbols)". What the C library and those of C++ do for whoever calls them, copy and compare
// memory and strings and allocate, is one too, "[memory and strings]" of that library. Where the stack is known, such
// time belongs to the nearest caller that has a name (rank_samples).
#pragma once

#include "collector/merge/symbols/symbolizer.h"
#include "core/profile/kernel_id.h"

namespace scalediag::merge {

// True for a function without a name, or with one that does not tell the program's own doing.
bool says_nothing(const Function& function);

core::KernelId kernel_of(const Function& function);

// The name of the kernel that has all of a module's code without symbols.
std::string without_symbols(const std::string& module);

}  // namespace scalediag::merge
