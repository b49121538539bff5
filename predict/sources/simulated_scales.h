// Waiting at a target from the simulations of the measured scales, for programs whose traces cannot be scaled to it.
//
// Waiting goes with computation, so that each cause's share, waiting / computation, is modelled over the number of
// processes (fit/curves/fit.h), and so is the whole. The causes at the target are those shares, in proportion.
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

// `measured`: simulations by number of ranks. Nothing: fewer than three scales, or no model of the share.
std::optional<WaitingShare> waiting_share(const std::map<int, SimulatedCommunication>& measured, double ranks);

}  // namespace scalediag::predict
