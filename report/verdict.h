// What a reader decides by, in three sentences: what the run costs at the largest target, what holds it back and up to
// where more processes are worth it, and how far to trust that.
#pragma once

#include <string>
#include <vector>

#include "report/findings.h"

namespace scalediag::report {

// The target with the most processes; of several the last. Precondition: there is a target.
const TargetFindings& main_target(const Findings& findings);

// Kernels of a target that matter and do not scale for certain, the largest by their slowest rank first.
std::vector<const KernelFinding*> stopping_kernels(const TargetFindings& target);

// "others are 83.9% of the time: ...": where time outside all kernels is a tenth of the target's or more, and more than
// in any kernel that does not scale; else empty.
std::string outside_kernels(const TargetFindings& target);

// "np=64 (interval: 16 to more than 1024)", "np=8, from its runs", "np=1024, the largest that was looked at": the sweet
// spot, for a sentence.
std::string sweet_spot_text(const SweetSpot& spot, const std::string& parameter);

// Three sentences, each with its full stop, printable(). Names of kernels are in them: a page has to escape them.
std::vector<std::string> verdict_of(const Findings& findings);

}  // namespace scalediag::report
