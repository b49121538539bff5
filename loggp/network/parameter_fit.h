// LogGP(S) parameters from measurements between two ranks.
//
// With b = max(bytes, 1) - 1, an undisturbed message of segment i takes, end to end,
//   T(b) = a_i + k_i b,  half of PRTT(1, 0, s),
// and a burst passes one every
//   y(b) = g_i + G_i b,  (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1),
// so that PRTT(n, 0, s) = 2 T + (n - 1) y. Both lines are fitted at once, in relative deviations of T and of PRTT(n),
// with no negative coefficient and G_i <= k_i, to segments of sizes. Segments end where BIC is smallest, and always at
// S_sync, which the late-receiver test found. Within a segment absolute deviations are minimised. Then
//   O_i = k_i - G_i          the time of a byte beyond passing the adapter is that of the CPUs
//   L   = a - o_s - o_r      overheads are intercepts of times measured at the sender and at the receiver
// and above S_sync the handshake (message_cost.h) is the excess of a over o_s + L + o_r, at most two control messages.
// Sizes during which something else ran are left out as long as three quarters are left. LinkClass::notes tells which
// sizes were left out, and which overheads and gaps were clamped; T and y stay as fitted.
//
// PRTT: Hoefler, Lichei, Rehm 2007. Segments: exhaustive by dynamic programming, as Bellman 1961.
#pragma once

#include "core/result.h"
#include "loggp/network/network_measurement.h"

namespace scalediag::loggp {

// A segment whose root mean square deviation is above this does not describe the network.
constexpr double kPoorResidual = 0.1;

// The largest residual of its segments shows whether the link can be used. Error (kInput): fewer than three sizes, or
// no S_sync.
Result<LinkClass> fit_link(const MeasuredLink& measured);

double largest_residual(const LinkClass& link);

// The factor by which bytes took longer than G says, from the time until every one of `ranks` had sent that many bytes
// to every other one; 1 for a faster exchange.
double exchange_of(const LinkClass& link, uint64_t bytes, int ranks, double seconds);

// Sets LinkClass::exchange. A note says where the measurement does not give it: messages that do not wait for their
// receivers, more than kLargestExchange, or segments that TCP retransmitted meanwhile. Precondition:
// measured.exchange_s > 0.
void fit_exchange(const NetworkMeasurement& measured, LinkClass& link);

// End-to-end time of one message without waiting, in seconds, as in message_cost.h: half a round trip is compared with
// it.
double one_way_s(const LinkClass& link, uint64_t bytes);

// Sizes to measure next: between the two sizes around each change, and around those that the parameters miss most, by
// more than kPoorResidual, where a change may lie that too few sizes show.
std::vector<uint64_t> sizes_to_add(const MeasuredLink& measured, const LinkClass& link);

}  // namespace scalediag::loggp
