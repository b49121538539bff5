// The use of the machine by each kernel, from counts, times and a machine, after Ding et al. 2018, with stalls taken
// out of CPI. For a kernel of a run on P ranks, all sums over ranks (means over ranks, sums / P, are stored):
//
//   CPI      = (cycles - stalled) / instructions
//   T_comp   = instructions x CPI / (f P)
//   T_stall  = stalled / (f P)
//   T_mem    = sum over levels of (accesses that the level serves x its latency) / P
//   BF_mem   = T_stall / T_mem
//   T        = T_comp + BF_mem x T_mem                                           exactly, where all of them are known
//   E        = accesses that miss the last level / all accesses
//
// T is the kernel's time in the run's clock, time_s. f is chosen so that the identity holds for measured cycles and
// time: the kernel's own cycles a second of T. Without counted cycles they are T x the machine's frequency for as many
// cores as were busy. Cycles are counted in user mode only, so that time in kernel mode is shared out like the rest.
//
// The `stalled` cycles are the first known of these:
//   memory_stall_cycles   stalled for memory
//   stall_cycles          stalled for any reason, memory included: T_stall and BF_mem are at most this large
//   derived               the time beyond instructions x CPI_core, where CPI_core is the smallest CPI (stalls included)
//                         of any configuration, each the mean over its repeats. A minimum of noisy values comes out too
//                         small, so configurations with fewer than 100 samples in the kernel count only if there are no
//                         others. By construction such stalls are 0 where CPI is smallest, also of a kernel that waits
//                         for memory everywhere: they are relative to its best configuration, and at least so large.
//                         With a machine t_stall_high_s and bf_mem_high are upper bounds: if its instructions were as
//                         fast as the machine's fastest, independent additions without any data, all the rest would be
//                         stalls. The true value cannot be told: the waiting of instructions for one another and long
//                         ones (divisions, roots) lie there as well.
//
// Counted accesses are loads; simulated ones are loads and stores. So runs of both kinds are not pooled, and E is of
// loads alone where loads were counted.
//
// Values that cannot be derived are left out of Kernel::resources: a kernel without counts has none, one without time
// no parts of it, and without a machine there is no T_mem. Kernel::resource_notes names derived or doubtful values.
#pragma once

#include <span>

#include "core/experiment/machine.h"
#include "core/profile/profile.h"

namespace scalediag::counters {

// Whether any run holds counts of the vocabulary.
bool has_counts(std::span<const core::Run> runs);

// Fills `resources` and `resource_notes` of all kernels of complete runs, replacing their former content. Repeats of a
// configuration may have counted different events: a count that a run lacks is the mean of the repeats that have it.
// `machine` may be null. All runs have one clock.
void derive_resources(std::span<core::Run> runs, const core::Machine* machine);

// The same for a whole profile, which also keeps the values of the machine that it used. Runs on other hosts than the
// machine's get a warning.
void derive_resources(core::Profile& profile, const core::Machine* machine);

core::MachineUsed summarize_machine(const core::Machine& machine);

// Cycles a second of a core while `busy_cores` are busy: interpolated linearly between the frequencies of one and of
// all.
double frequency_of(const core::Machine& machine, double busy_cores);

}  // namespace scalediag::counters
