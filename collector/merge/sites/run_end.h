// Calls of MPI that a program makes after its main loop. Runs that were ended after some rounds lack them.
//
// They are known where a configuration has a whole run and an ended one: what the whole run has more, by place and
// class of size, in calls and bytes of the mean rank. All ended runs with the same parameters get as many, on
// communicators of all ranks where those had all, so that the calls of whole runs and ended ones are alike. A surplus
// above kMostOfCalls of a class that the rounds have as well is none of the end: rounds differ, and it is left alone.
// Times stay without what is after the loop.
#pragma once

#include <vector>

#include "core/profile/profile.h"

namespace scalediag::merge {

constexpr double kMostOfCalls = 0.1;

void add_calls_of_end(std::vector<core::Run>& runs);

}  // namespace scalediag::merge
