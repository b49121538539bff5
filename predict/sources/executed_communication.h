// Communication and waiting at a target whose messages were executed by few real processes: what is simulated there,
// multiplied by the factor from simulation to execution.
#pragma once

#include "predict/evidence/executed_messages.h"
#include "predict/prediction.h"

namespace scalediag::predict {

// Half of the 90 % interval of an executed run over its time: 1.645 times 3.8 %, the root mean square of what six runs
// of NPB and stencil2d on two emulated networks missed (docs/synth.md).
constexpr double kExecutedError = 0.063;

// Takes the communication and waiting of `p` from `executed`, with a line of the source, where `p` was simulated.
void take_executed(const ExecutedMessages& executed, Prediction& p);

}  // namespace scalediag::predict
