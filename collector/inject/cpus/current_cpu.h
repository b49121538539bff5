// The number of the CPU that a thread runs on, as the kernel keeps it in the thread's memory (restartable sequences,
// Linux 4.18). Reading it costs a load, where a system call would cost more than an MPI wrapper does.
#pragma once

#include <cstdint>

namespace scalediag::inject {

// The number for the calling thread, valid while the thread lives. nullptr where the kernel does not offer it.
const volatile uint32_t* current_cpu_of_this_thread();

}  // namespace scalediag::inject
