// Exit statuses and signals in words.
#pragma once

#include <string>

namespace scalediag::launch {

// "SIGSEGV"; "signal 35" for those without a name.
std::string signal_name(int signal);

// "3"; "139 (SIGSEGV)" for the statuses by which launchers and shells report a signal; srun's for a task without
// memory.
std::string describe_status(int exit_status);

}  // namespace scalediag::launch
