// The report of `scalediag show` for people.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "report/render/shown_profile.h"

namespace scalediag::report {

struct ShowTextOptions {
  size_t top = 15;               // kernels and operations a configuration; 0: all
  bool call_paths = false;       // the call tree in place of kernels, operations and all else of a configuration
  std::optional<size_t> paths;   // call paths a configuration, 0: all; empty: those of at least 1 %
  bool all_repeats = false;      // every run by itself instead of averages over repeats
  bool with_incomplete = false;  // runs whose data are not complete are shown as well, each by itself
  size_t width = 100;            // of the terminal; kUnlimited leaves names as long as they are
  bool color = false;
};

std::string show_text(const ShownProfile& input, const ShowTextOptions& options);

}  // namespace scalediag::report
