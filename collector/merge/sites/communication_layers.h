// Code between MPI and an application: libraries and classes whose only purpose is to call MPI for others. The reader
// of a call site wants to know who called them.
#pragma once

#include <string_view>

namespace scalediag::merge {

// `path` is the module's, `function` a readable name.
bool is_communication_layer(std::string_view path, std::string_view function);

// The same of code that reads and writes files for others.
bool is_file_layer(std::string_view path, std::string_view function);

// The same of code that calls a GPU's library for others.
bool is_gpu_layer(std::string_view path, std::string_view function);

// The functions that call main().
bool is_language_start(std::string_view function);

}  // namespace scalediag::merge
