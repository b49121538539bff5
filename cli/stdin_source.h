// What the application reads from its standard input. Every run must read the same, so only a file will do.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::cli {

struct StdinSource {
  std::string file;  // absolute; empty: /dev/null
  long offset = 0;   // where our own redirected input stood

  // As experiment.json keeps it, to notice a change.
  std::string description() const;
  // A descriptor for one run, -1 for /dev/null. The caller closes it. Error (kInput): the file cannot be opened.
  core::Result<int> open() const;
};

// --stdin FILE; without it, our own standard input if that is a file. A terminal or anything else means none.
// Errors: the file cannot be read (kInput); a pipe on which data wait, which only one run could read (kUsage).
core::Result<StdinSource> choose_stdin(const std::string& asked_file);

}  // namespace scalediag::cli
