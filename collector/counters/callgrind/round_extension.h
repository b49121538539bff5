// The extension of counts of the first rounds of a main loop to the whole run (core/raw/counted_loop.h).
//
// N rounds begin in a run. Part 0 is what was counted before the first one, part 1 the first round, which may differ
// from the others, and parts 2 to K are further ones. Each part gets a weight:
//   part 0, 1   once
//   part 2..K   together N - 2 + tail: the rounds between N beginnings but the first, and what follows the last one. It
//               is a whole round but for what came before the call at which rounds are said to begin. That is at most
//               the stretch of a round after its last call, and as much of it as the plan leaves room for: `stretch`
//               has a negative weight.
// Rounds differ where a site is called in some of them only. Those that call the same such sites are a kind. A kind's
// weight is the number of calls that its rarest site still makes in the run, over those in a round of the kind; the
// rounds that call no such site get the rest. Calls that are then left over go to the kinds that make them.
// Rounds that lack a site of every round and call no other one (a new start after a warm-up) count once, as the first
// one does.
#pragma once

#include <vector>

#include "core/raw/counted_loop.h"

namespace scalediag::counters {

struct ExtendedRounds {
  std::vector<double> weights;  // of each part
  double stretch = 0;           // the weight of the counts of the stretch
  // By how much the calls of a site, extended in the same way, differ at most from those of the run; in parts of these,
  // or of the rounds if they are more. Much: rounds of the run differ from those that were counted.
  double unseen = 0;
  // By how much the instructions of the later half of the counted rounds of the most frequent kind exceed those of the
  // earlier half, in parts of the latter. 0 where the kind has one round.
  double drift = 0;
};

// `parts` in order, at least 3, with as many calls each as the plan has sites; `instructions` of each; `stretch`: the
// part of a round's instructions after its last call, negative where it is not known.
ExtendedRounds extend_rounds(const raw::CountedLoop& plan, const std::vector<raw::RoundCalls>& parts,
                             const std::vector<double>& instructions, double stretch);

}  // namespace scalediag::counters
