// Strong and weak scaling.
#pragma once

namespace scalediag::report {

// The growth of the problem with the number of processes: none (strong), with it (weak).
enum class Scaling { kStrong, kWeak, kUnknown };
const char* name_of(Scaling scaling);  // "strong", "weak", "unknown"

// The source of the kind of scaling.
enum class ScalingSource {
  kNone,       // it is unknown
  kMeasured,   // computation summed over ranks
  kOption,     // --scaling of the present command
  kProfile,    // `profile --scaling`
  kArguments,  // the command line that was measured: {np} in it, or declared parameters
  kAssumed,    // no source decides it
};
const char* name_of(ScalingSource source);  // "none", "measured", "option", "profile", "arguments", "assumed"

}  // namespace scalediag::report
