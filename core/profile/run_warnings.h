// Beginnings of warnings of a run (Run::warnings) that other parts of scalediag recognise.
#pragma once

namespace scalediag::core {

// With the wall clock: a rank neither computed nor communicated, because other programs had its core or it waited for
// files.
inline constexpr char kOffCpuWarning[] = "the main thread was off the CPU for ";

}  // namespace scalediag::core
