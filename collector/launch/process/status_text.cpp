#include "collector/launch/process/status_text.h"

#include <string.h>

namespace scalediag::launch {

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string describe_status(int exit_status) {
  // Slurm's SIG_OOM, which is no signal of the system.
  constexpr int kOutOfMemoryOfSrun = 253;
  const std::string text = std::to_string(exit_status);
  if (exit_status == kOutOfMemoryOfSrun) return text + " (from srun: a rank ran out of memory)";
  const bool is_signal = exit_status > 128 && sigabbrev_np(exit_status - 128) != nullptr;
  return is_signal ? text + " (" + signal_name(exit_status - 128) + ")" : text;
}

}  // namespace scalediag::launch
