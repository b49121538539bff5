// The names of functions as a programmer wrote them, from linker symbols.
//
// Code that the compiler separates from a function is charged to the function (`.cold`, `.part`, `.isra`, `.constprop`
// and similar suffixes); the body of an OpenMP region is code of its own, run by many threads, and is named `function
// [omp region N]`, N being the compiler's count.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::merge {

// The debug information about a symbol; all of it may be missing.
struct NameHints {
  bool fortran = false;          // the language of its source
  bool is_program = false;       // a Fortran main program
  std::string_view source_name;  // DW_AT_name
  std::string_view host;         // readable name of the procedure that contains it
};

// C++: demangled with template arguments. Fortran: `module::procedure`; a contained procedure is `host::procedure`
// where the hints name the host; the main program has its own name, or is "MAIN (Fortran main program)". An external
// Fortran procedure loses its trailing underscore only where the hints say that it is Fortran. All other names stay as
// they are.
std::string readable_name(std::string_view symbol, const NameHints& hints = {});

// A readable name without what tells the bodies of a function's OpenMP regions apart.
std::string without_region(const std::string& name);

// True for symbols of code inside another procedure, whose name the symbol alone does not give.
bool name_needs_host(std::string_view symbol);

}  // namespace scalediag::merge
