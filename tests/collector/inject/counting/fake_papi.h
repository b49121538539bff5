// A PAPI whose events happen when a test says so, in the place of libpapi: what it counts and whom it interrupts is
// known exactly.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace scalediag::inject {

// The code at `address` runs for a moment in which these events happen so often, at most once a threshold each. An
// event that reaches its threshold calls the overflow handler with that address.
void run_for_a_moment(const void* address, const std::vector<std::pair<std::string, long long>>& happened);

// Events of this name cannot overflow from now on; empty: all can.
void refuse_overflow_of(const std::string& event);

}  // namespace scalediag::inject
