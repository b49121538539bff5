// The application's file: its path, and whether this machine can start it and preload a library into it.
#pragma once

#include <memory>
#include <string>

#include "collector/launch/process/command_output.h"
#include "core/result.h"

namespace scalediag::launch {

// Whether it is a regular file that this process may execute.
bool is_executable_file(const std::string& path);

// The first executable regular file called `name` in PATH; empty if there is none.
std::string find_in_path(const std::string& name);

struct ExecutableFile {
  std::string path;  // absolute, symbolic links and ".." kept: the started file is the one that was checked
  bool is_script = false;
  std::string interpreter;  // of a script: the text after "#!"; of an ELF file: the dynamic loader
  // The answer of the loader about the libraries, kept by mpi_detection.h at the first question.
  mutable std::shared_ptr<const CommandOutput> listed = nullptr;
};

// Finds the application as execvp(3) would and reads its first bytes. Nothing is executed.
// Errors (kInput): missing, a directory, not executable, neither an ELF file nor a script, built for another
// architecture, a library and not a program, statically linked, set-user-ID (the loader ignores LD_PRELOAD then).
Result<ExecutableFile> inspect_executable(const std::string& application);

// Size and CRC-32 of the file's content, to notice that it was rebuilt between runs; empty if it cannot be read.
std::string fingerprint_of(const std::string& path);

}  // namespace scalediag::launch
