// The application's standard input. It has to be a file, since every run must read the same.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::launch {

struct StdinSource {
  std::string file;  // absolute; empty: /dev/null
  long offset = 0;   // the position of our own redirected input

  // The text in experiment.json, by which a change is noticed.
  std::string description() const;
  // The source that has this description.
  static StdinSource described(const std::string& text);
  // A descriptor for one run, -1 for /dev/null. The caller closes it. Error (kInput): the file cannot be opened.
  Result<int> open() const;
};

// --stdin FILE; without it, our own standard input if that is a file. A terminal or anything else means none. Errors:
// the file cannot be read (kInput); a pipe with waiting data, which only one run could read (kUsage).
Result<StdinSource> choose_stdin(const std::string& asked_file);

}  // namespace scalediag::launch
