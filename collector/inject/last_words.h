// What the collector prints on the application's standard error, and the end of a program that must not go on.
#pragma once

namespace scalediag::inject {

// Prints "scalediag: ..." as one line. A failure to print it is ignored.
__attribute__((format(printf, 1, 2))) void say(const char* format, ...);

// Ends all ranks after what was said. `scalediag` ends the run when it reads that; MPI_Abort is for launchers that keep
// it to themselves, and comes later, since launchers that abort may lose what ranks have just printed (seen with
// MPICH's).
[[noreturn]] void end_program();

}  // namespace scalediag::inject
