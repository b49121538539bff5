// Computation of ranks with a core each, relative to what was measured where they took turns on fewer cores: some ranks
// of a measured scale, replayed (`scalediag replay`). Ranks that take turns find cold caches: of seven programs on two
// cores, profiled and replayed within minutes, ranks of 16 took 0.96 to 1.61 times as long as one at a time. Models of
// what they took would go on with that growth at scales where nobody shares a core.
//
// Two ranks on a core lose less than eight: ten programs took 0.80 of what was measured at 4 ranks, and 0.73 at 16, in
// the geometric mean, at most 0.94 (LU) and 0.95 (CoMD), at least 0.53 (HPCCG) and 0.51 (CG).
#pragma once

#include <string>
#include <vector>

#include "fit/application/application_data.h"

namespace scalediag::predict {

struct LoneRanks {
  struct Scale {
    double processes = 0;
    double factor = 1;  // replayed / measured computation of the same ranks
    int replayed = 0;   // ranks
  };
  double cores = 0;           // of the host: up to so many ranks had one each
  std::vector<Scale> scales;  // rising; empty: none was replayed

  // At most 1, since ranks do not compute longer with a core each, and 1 where they had one. Between the scales by the
  // logarithm of the processes, beyond them that of the nearest.
  double factor_at(double processes) const;
};

// Gives `data`, of a profile whose only parameter is the number of processes, the times of ranks with a core each:
// functions, the computation of ranks and the time that they wait for one another's, and a note. Without replayed ranks
// it stays.
void take_lone_ranks(const LoneRanks& ranks, fit::ApplicationData& data);

// "ranks that shared cores computed 1.61 times as long at np=16 as the 4 of them that were replayed with a core each",
// or that the largest scale was replayed on a slower machine. Precondition: there are scales.
std::string text_of(const LoneRanks& ranks);

}  // namespace scalediag::predict
