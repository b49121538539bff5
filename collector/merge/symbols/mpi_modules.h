// The recognition of MPI's own libraries by a module's path.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::merge {

// The last component of a path.
std::string_view file_name(std::string_view path);

// Whether a file of this name is the library, of any version: "libevent-2.1.so.7" is "libevent".
bool is_library(std::string_view file, std::string_view library);
// The path without the mark that the kernel appends if the running program's file was removed; another file may be
// there now.
std::string without_deleted_mark(std::string path);

// True for MPI libraries and their companions: their run time, transports and components. Time that passes there
// outside any intercepted routine is communication.
bool is_mpi_module(std::string_view path);

// True for the library that takes the samples.
bool is_collector_module(std::string_view path);
// True for PAPI and the libraries by which it reads events: their time is ours where events are counted.
bool is_papi_module(std::string_view path);

// True for the code the kernel maps into every process.
bool is_vdso(std::string_view path);

}  // namespace scalediag::merge
