#include "loggp/simulator/shared_adapter.h"

#include <algorithm>

namespace scalediag::loggp {

// The time in seconds at which the next message ends. Precondition: a message passes.
double SharedAdapters::Outlet::next_end_s() const {
  return now_s + (passing.top().key - served_s) * slowness * static_cast<double>(passing.size());
}

bool SharedAdapters::Outlet::next_is_end() const {
  if (passing.empty()) return false;
  return waiting.empty() || next_end_s() <= waiting.top().key;
}

double SharedAdapters::Outlet::next_s() const {
  if (next_is_end()) return next_end_s();
  return waiting.empty() ? kNever : std::max(now_s, waiting.top().key);
}

void SharedAdapters::Outlet::advance(double to_s) {
  if (passing.empty()) {
    served_s = 0;
  } else {
    served_s += (to_s - now_s) / slowness / static_cast<double>(passing.size());
  }
  now_s = to_s;
}

SharedAdapters::Outlet& SharedAdapters::outlet_of(uint32_t rank) {
  if (rank >= outlets_.size()) outlets_.resize(rank + size_t{1});
  return outlets_[rank];
}

void SharedAdapters::receives(uint32_t rank, int more, double at_s) {
  if (exchange_ == 1) return;
  Outlet& outlet = outlet_of(rank);
  outlet.receiving += static_cast<uint32_t>(more);
  const double slowness = outlet.receiving > 0 ? exchange_ : 1;
  if (slowness == outlet.slowness) return;
  outlet.advance(std::max(at_s, outlet.now_s));
  outlet.slowness = slowness;
  schedule(rank);
}

void SharedAdapters::begin(uint32_t sender, uint32_t receiver, double begin_s, double work_s, uint32_t send,
                           uint32_t receive) {
  Outlet& outlet = outlet_of(sender);
  const double before_s = outlet.next_s();
  outlet.waiting.push({begin_s, begin_s, work_s, receiver, send, receive});
  ++n_messages_;
  if (outlet.next_s() != before_s) schedule(sender);
}

void SharedAdapters::schedule(uint32_t sender) {
  const double at_s = outlets_[sender].next_s();
  if (at_s != kNever) events_.push({at_s, sender});
}

double SharedAdapters::next_s() {
  while (outlets_[events_.top().sender].next_s() != events_.top().at_s) events_.pop();
  return events_.top().at_s;
}

std::optional<SharedAdapters::End> SharedAdapters::step() {
  const double at_s = next_s();
  const uint32_t sender = events_.top().sender;
  events_.pop();
  Outlet& outlet = outlets_[sender];
  const bool is_end = outlet.next_is_end();
  outlet.advance(at_s);
  Earliest& from = is_end ? outlet.passing : outlet.waiting;
  Message message = from.top();
  from.pop();
  if (!is_end) {
    message.begin_s = at_s;
    message.key = outlet.served_s + message.work_s;
    outlet.passing.push(message);
  }
  schedule(sender);
  receives(message.receiver, is_end ? -1 : 1, at_s);  // may move `outlet`
  if (!is_end) return std::nullopt;
  --n_messages_;
  return End{message.begin_s, at_s, message.send, message.receive};
}

}  // namespace scalediag::loggp
