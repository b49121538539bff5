// LogGP(S) parameters from what was measured between two ranks.
//
// With b = max(bytes, 1) - 1, a message of segment i that nothing is in the way of takes, end to end,
//   T(b) = a_i + k_i b,  half of PRTT(1, 0, s),
// and a burst passes one every
//   y(b) = g_i + G_i b,  (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1),
// so that PRTT(n, 0, s) = 2 T + (n - 1) y. Both lines are fitted at once, in relative deviations of T and of PRTT(n),
// with no negative coefficient and G_i <= k_i, to segments of sizes; where segments end is what makes BIC smallest, and
// S_sync, which the late-receiver test found, always ends one. Within a segment absolute deviations are minimised. Then
//   O_i = k_i - G_i          what a byte costs beyond passing the adapter is the CPUs'
//   L   = a - o_s - o_r      overheads are intercepts of what was measured at the sender and at the receiver
// and above S_sync the handshake (message_cost.h) is what a is larger than o_s + L + o_r, at most two control messages.
// Sizes during which something else ran are left out while three quarters are left. Leaving out, and overheads and gaps
// that were clamped, are told in LinkClass::notes; T and y are what they were fitted to all the same.
//
// PRTT: Hoefler, Lichei, Rehm 2007. Segments: exhaustive by dynamic programming, as Bellman 1961.
#pragma once

#include "core/result.h"
#include "loggp/network_measurement.h"

namespace scalediag::loggp {

// A segment whose root mean square deviation is above this describes no network.
constexpr double kPoorResidual = 0.1;

// The largest residual of its segments tells whether it can be used. Error (kInput): fewer than three sizes, or no
// S_sync.
core::Result<LinkClass> fit_link(const MeasuredLink& measured);

double largest_residual(const LinkClass& link);

// From the time until every one of `ranks` had sent so many bytes to every other one: how many times as long their
// bytes took as G says; 1 for a faster exchange.
double exchange_of(const LinkClass& link, uint64_t bytes, int ranks, double seconds);

// Sets LinkClass::exchange. Where what was measured does not tell it - messages that do not wait for their receivers,
// or more than kLargestExchange - or where TCP retransmitted meanwhile, a note says so. Precondition:
// measured.exchange_s > 0.
void fit_exchange(const NetworkMeasurement& measured, LinkClass& link);

// End to end time of one message without waiting, as message_cost.h has it: what half a round trip is compared with.
double one_way_s(const LinkClass& link, uint64_t bytes);

// Sizes to measure next, so that changes are found more exactly: between the two sizes around each change.
std::vector<uint64_t> sizes_around_changes(const MeasuredLink& measured, const LinkClass& link);

}  // namespace scalediag::loggp
