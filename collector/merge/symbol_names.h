// Linker symbols -> names as a programmer wrote them.
//
// What the compiler cuts out of a function is charged to the function (`.cold`, `.part`, `.isra`, `.constprop` and
// their like); the body of an OpenMP region is code of its own, run by many threads, and is named
// `function [omp region N]`, N being the compiler's count.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::merge {

// What debug information knows about a symbol; all of it may be missing.
struct NameHints {
  bool fortran = false;          // the language of its source
  bool is_program = false;       // a Fortran main program
  std::string_view source_name;  // DW_AT_name
  std::string_view host;         // readable name of the procedure that contains it
};

// C++: demangled with template arguments. Fortran: `module::procedure`; a contained procedure is
// `host::procedure` where the hints name the host; the main program has its own name, or is
// "MAIN (Fortran main program)". An external Fortran procedure loses its trailing underscore only where the hints
// say that it is Fortran. Everything else stays as it is.
std::string readable_name(std::string_view symbol, const NameHints& hints = {});

// True for symbols that stand for code inside another procedure, of which the symbol alone does not give the name.
bool name_needs_host(std::string_view symbol);

}  // namespace scalediag::merge
