// The frequency that a CPU is sold with, from the first source that gives it.
#pragma once

#include <string>

#include "core/experiment/machine.h"

namespace scalediag::counters {

// "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz": 2.4e9 Hz; 0 where the name has no frequency.
double frequency_in_name(const std::string& cpu_model);

// The sources in this order: the kernel's base frequency; the name of the model; the rate of the time-stamp counter
// (x86, where it is constant and runs at the nominal rate, in virtual machines too); the kernel's largest frequency,
// which may be a turbo one. `source` names the one that was used. Value 0 where none gives it.
core::MachineValue nominal_frequency(const std::string& cpu_model);

}  // namespace scalediag::counters
