// Parameters of a run that stand in the name of its folder or file.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scalediag::fit {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

// "bt.p64.n2000.r1" -> {p, 64}, {n, 2000}: the layout that Extra-P reads sets of files in. A prefix up to the first
// point and a repeat (.r1) at the end are no parameters; numbers may have a decimal point or comma. Names of repeats
// and dates (run1, scorep-20240101) give none. Empty where `name` is of another form, or has no prefix and needs one.
NamedNumbers parameters_in_name(std::string_view name, bool needs_prefix = false);

// Those of the file's folder, where it has none those of the file's own name without its ending, if that has a prefix.
NamedNumbers parameters_of_path(const std::string& path);

}  // namespace scalediag::fit
