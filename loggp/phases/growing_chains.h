// Messages whose number grows with the number of ranks: exchanges of bits, one after another, of which there is one
// more whenever a side of the process grid doubles.
#pragma once

#include "loggp/phases/scaling_model.h"

namespace scalediag::loggp {

// The model with the exchanges that `ranks` have beyond the largest measured scale. A chain is two or more groups of
// messages in a row that are alike but for the bit, which rises or falls by one, their tags, which do by a constant,
// and, of three groups or more, their bytes, which do by a factor, as those of an all-gather by recursive doubling.
ScalingModel with_longer_chains(ScalingModel model, int ranks);

}  // namespace scalediag::loggp
