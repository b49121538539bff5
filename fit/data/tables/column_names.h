// The meaning of a column of a table by its name, as far as the name tells it.
#pragma once

#include <optional>
#include <string>

namespace scalediag::fit {

enum class ColumnUse {
  kProcesses,   // ranks, cores, nodes, threads, GPUs: ColumnGuess::name says which
  kSize,        // a problem size: a parameter beside the processes
  kTime,        // of the whole program, or of the kernel that the column is named after
  kExtreme,     // the least or the largest of several times
  kSpread,      // a standard deviation, an error
  kKernel,      // the name of the kernel that the row is about
  kRepeat,      // the number of the repeat
  kSpeedup,     // times by a factor that is not known
  kEfficiency,  // the same
  kUnknown,
};

struct ColumnGuess {
  ColumnUse use = ColumnUse::kUnknown;
  // kProcesses and kSize: the parameter ("np", "cores", "nodes", "threads", "gpus"; a size keeps its own name). kTime:
  // the kernel; empty: the whole program.
  std::string name;
  std::string unit;      // kTime: "s", "ms"; empty: the name does not say it
  bool by_unit = false;  // kTime: nothing but a unit in brackets says that it is one, as of "solve (s)"
};

// By the words of the name, which stand between blanks, marks and changes of case: "MPI ranks", "wallTime (ms)",
// "time_solve_s".
ColumnGuess guess_column(const std::string& column);

}  // namespace scalediag::fit
