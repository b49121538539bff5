// Communication and waiting at a target from the simulations of the measured scales, for programs whose traces cannot
// be scaled to it.
//
// Communication, without waiting, is modelled over the number of processes (fit/curves/fit.h). Waiting goes with
// computation, and what is modelled is (computation + waiting) / computation: of P ranks in a row, each of which waits
// for the one before it, that is P, a plain power, where waiting / computation is P - 1, which a power does not meet.
// Each cause's share, waiting / computation, is modelled by itself; the causes at the target are these shares, in
// proportion.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "fit/curves/model_facts.h"
#include "predict/sources/simulated_communication.h"

namespace scalediag::predict {

struct WaitingShare {
  fit::Estimate of_computation;  // waiting / computation
  // Of all waiting, by cause; they add up to 1. The imbalance is that of waiting_causes' rest.
  loggp::WaitingCauses causes;
  double imbalance = 0;
};

// `measured`: simulations by number of ranks. Nothing: fewer than three scales with messages, or no model of them.
std::optional<fit::Estimate> communication_of_scales(const std::map<int, SimulatedCommunication>& measured,
                                                     double ranks);

// `measured`: simulations by number of ranks. Nothing: fewer than three scales, or no model of the share.
std::optional<WaitingShare> waiting_share(const std::map<int, SimulatedCommunication>& measured, double ranks);

}  // namespace scalediag::predict
