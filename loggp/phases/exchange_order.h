// The order of exchanges of which two ranks do different halves.
//
// Where one rank sends what another one receives, no event is of both, so that nothing says how the events of the one
// are among those of the other. Of several such exchanges in a row a third rank may send in the first and receive in
// the second, a fourth the other way round, as where coarse levels of a multigrid program hand data to the next finer
// one along one side after another. There is one order for all four if messages with the same tags are kept together.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace scalediag::loggp {

// What an event is to exchanges; `tag` of messages only.
struct ExchangeEvent {
  enum class Kind { kMessage, kWait, kOther };
  Kind kind = Kind::kOther;
  int tag = 0;
  bool is_message() const { return kind == Kind::kMessage; }
};

// The ends of the exchanges of two ranks' events `a` and `b`, of which none is of both, as numbers of events of each:
// what either has before an end stands before all that either has behind it. An exchange is messages with the same
// tags, and the waits behind them; none is before another event, or before messages whose tags come again after others.
// Empty: no tag is of both, or they are one exchange, or very many.
std::vector<std::pair<size_t, size_t>> ends_of_exchanges(const std::vector<ExchangeEvent>& a,
                                                         const std::vector<ExchangeEvent>& b);

}  // namespace scalediag::loggp
