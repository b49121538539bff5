// What a module's path tells: which libraries are MPI's own.
#pragma once

#include <string>
#include <string_view>

namespace scalediag::merge {

// The last component of a path.
std::string_view file_name(std::string_view path);

// Whether a file of this name is the library, in whatever version: "libevent-2.1.so.7" is "libevent".
bool is_library(std::string_view file, std::string_view library);
// Without what the kernel appends to the path of a running program whose file is gone; another file may be there now.
std::string without_deleted_mark(std::string path);

// True for MPI libraries and what they bring along: their run time, transports and components. Time that passes there
// outside any intercepted routine is communication.
bool is_mpi_module(std::string_view path);

// True for the library that takes the samples.
bool is_collector_module(std::string_view path);
// PAPI and what it reads events with: ours where events are counted.
bool is_papi_module(std::string_view path);

// True for the code the kernel maps into every process.
bool is_vdso(std::string_view path);

}  // namespace scalediag::merge
