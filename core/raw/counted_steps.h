// The words by which a replay under valgrind is told what of it to count, in SCALEDIAG_COUNTED_PARTS, and names the
// files of its parts. Header only, C++17.
#pragma once

#include <string>

namespace scalediag::counted_steps {

// After the number of events where something changes; without one a part ends there, and the next begins.
constexpr char kStops = 's';   // a part ends, and nothing is counted from there
constexpr char kGoesOn = 'g';  // counting goes on
constexpr char kEnds = 'x';    // a part ends, and the replay

// The trigger in callgrind's file of a rank's counts, which are written at the program's end
// (collector/inject/callgrind_counting.h).
constexpr char kDumpTrigger[] = "scalediag";

// The trigger in the file of a part; that of the part that the program's end ends is kDumpTrigger.
inline std::string part_name(int number) { return "scalediag-part-" + std::to_string(number); }

}  // namespace scalediag::counted_steps
