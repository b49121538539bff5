#include "loggp/simulator/windows/remote_accesses.h"

#include <algorithm>

namespace scalediag::loggp {

using trace::Remote;

void RemoteAccesses::arrive(const RemoteAccess& access, const MessageCost& cost, const MessageCost& answer,
                            double hops_s, std::vector<AnsweredAccess>& known) {
  const double answer_s = answer.latency_s + hops_s;
  switch (access.what) {
    case Remote::kPutLeft: return;  // is none of them
    case Remote::kPut:
    case Remote::kPutAnswered: {
      const double in_s = memories_[access.target].in.take(access.at_s, cost) + cost.stream_s;
      known.push_back({access.transfer, in_s + (access.what == Remote::kPutAnswered ? answer_s : 0)});
      return;
    }
    case Remote::kGet:
    case Remote::kFetch: {
      Memory& memory = memories_[access.target];
      const double ready_s =
          access.what == Remote::kGet ? access.at_s : memory.in.take(access.at_s, cost) + cost.stream_s;
      known.push_back({access.transfer, memory.out.take(ready_s, cost) + cost.latency_s + hops_s});
      return;
    }
    case Remote::kLock:
    case Remote::kLockShared: {
      Lock& lock = locks_[{access.window, access.target}];
      lock.waiting.push_back({access, answer_s});
      return grant(lock, access.at_s, known);
    }
    case Remote::kUnlock: {
      Lock& lock = locks_[{access.window, access.target}];
      if (lock.holders > 0) --lock.holders;
      known.push_back({access.transfer, access.at_s + answer_s});
      return grant(lock, access.at_s, known);
    }
  }
}

// To the first ones that wait, as far as they can hold it together.
void RemoteAccesses::grant(Lock& lock, double now_s, std::vector<AnsweredAccess>& known) {
  while (!lock.waiting.empty()) {
    const Waiting& first = lock.waiting.front();
    const bool exclusive = first.access.what == Remote::kLock;
    if (lock.holders > 0 && (lock.exclusive || exclusive)) return;
    ++lock.holders;
    lock.exclusive = exclusive;
    known.push_back({first.access.transfer, now_s + first.answer_s, now_s - first.access.at_s});
    lock.waiting.pop_front();
  }
}

}  // namespace scalediag::loggp
