// The Python function that a thread runs, read from the interpreter's memory by the handler of the sampler's signal.
//
// A sample inside the interpreter itself belongs to the Python function that it executes; one in an extension module or
// in the C library stays with the native function there. Nothing of Python's is called but the look-up of the thread's
// state, and everything is read by process_vm_readv, which fails where a signal handler's own access would end the
// process. What is read counts only if the objects on the way have the types that they should have. CPython 3.11, 3.12
// and 3.13.
#pragma once

#include <cstdint>
#include <vector>

#include "core/raw/raw_records.h"

namespace scalediag::inject::python {

// Looks for an interpreter that runs in this process. True if its functions can be told apart from now on.
bool find_interpreter();
bool is_found();

// In a signal handler, of the thread that was interrupted at `address`: the address that stands for the Python function
// (raw::kPythonAddress), or `address` where that is not in the interpreter, or the function is not known.
uint64_t address_of_function(uint64_t address);

// The functions that were met since the last call. One caller at a time.
std::vector<raw::PythonFunction> take_new_functions();

}  // namespace scalediag::inject::python
