// A profile and an experiment with a value in every field, for tests of readers and writers.
#pragma once

#include "core/experiment/experiment.h"
#include "core/profile/profile.h"

namespace scalediag::core {

// 2 runs on 2 ranks: run 0 is complete, its times fulfil total = computation + communication + others + unattributed
// on every rank; run 1 lacks a rank.
Profile example_profile();

// Runs in three states: complete, planned and failed.
Experiment example_experiment();

// A value over ranks 0 and 1.
OverRanks over_two_ranks(double rank0, double rank1);

}  // namespace scalediag::core
