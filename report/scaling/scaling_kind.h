// Strong and weak scaling told apart. Computation summed over ranks stays about constant where the problem is the same
// at every scale (strong), and grows about as P where it grows with the processes (weak). Start-up and MPI are no part
// of it. Where part of it is divided among the ranks while the sum grows as P, as where most work is repeated by every
// rank, it is neither. Where that is not conclusive, the statements about the problem decide; the user's own statement
// always takes precedence.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/application/application_data.h"
#include "report/scaling/scaling.h"
#include "report/scaling/scaling_verdict.h"

namespace scalediag::report {

// The facts about the problem besides measured times.
struct ScalingSaid {
  std::optional<Scaling> option;     // --scaling of the present command
  std::optional<Scaling> profile;    // `profile --scaling`
  std::optional<Scaling> arguments;  // the command line: {np} as a value in it, or declared parameters
  std::string argument_text;         // its text: "{np} in '-s {np}'"
  bool only_np = false;              // `arguments` is by {np} alone, which may as well choose a process grid
  bool fixed_command = false;        // the command line is known, and no value in it changes with the processes
};

struct ScalingKind {
  Scaling scaling = Scaling::kUnknown;
  ScalingSource source = ScalingSource::kNone;
  std::string reason;         // "measured: computation of all ranks goes as P^0.03"
  std::string contradiction;  // a contrary indication; empty: there is none
  bool open = false;          // it may be of the other kind: efficiencies of both are given
};

struct Computation {
  std::vector<MeasuredScale> of_all_ranks;  // seconds in the profile's clock, by rising processes
  double divided = 0;  // share at the smallest scale in functions whose time of a rank falls for certain
};

ScalingKind scaling_of(const Computation& computation, const ScalingSaid& said);

// The log-slope over the processes: the smallest over three neighbouring scales, because a fixed problem whose overhead
// dominates beyond some scale shows its kind below that scale. Empty with fewer than two values above 0.
std::optional<Slope> growth_of_computation(std::span<const MeasuredScale> computation);

// The computation of the sampled functions: time off the CPU is not the program's work. Of call paths the times of
// those that do not end in MPI. It is that of the configurations with the same other parameters that have the most
// scales; where the others change with the processes in every run, that of all.
Computation computation_of(const fit::ApplicationData& data);

// The kind of scaling of `data`; `option` is --scaling of the present command.
ScalingKind scaling_kind_of(const fit::ApplicationData& data, std::optional<Scaling> option);

// The same for a region of the program that `program` is of: a region's own computation may be of one kind where the
// program's is of the other, and with the CPU clock it holds waiting.
ScalingKind scaling_kind_of_program(const fit::ApplicationData& program, std::optional<Scaling> option);

// The statements of the command line and of `profile --scaling`; the caller adds the option of its own command.
ScalingSaid said_of(const fit::ApplicationData& data);

}  // namespace scalediag::report
