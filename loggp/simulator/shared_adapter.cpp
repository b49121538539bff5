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

SharedAdapters::Outlet& SharedAdapters::at(uint32_t outlet) {
  std::vector<Outlet>& of_link = outlets_[outlet % 2];
  const uint32_t rank = outlet / 2;
  if (rank >= of_link.size()) of_link.resize(rank + size_t{1});
  return of_link[rank];
}

void SharedAdapters::receives(uint32_t receiver, int more, double at_s) {
  if (exchange_of(receiver) == 1) return;
  Outlet& own = at(receiver);
  own.receiving += static_cast<uint32_t>(more);
  const double slowness = own.receiving > 0 ? exchange_of(receiver) : 1;
  if (slowness == own.slowness) return;
  own.advance(std::max(at_s, own.now_s));
  own.slowness = slowness;
  schedule(receiver);
}

void SharedAdapters::begin(uint32_t link, uint32_t sender, uint32_t receiver, double begin_s, double work_s,
                           uint32_t send, uint32_t receive) {
  const uint32_t from = outlet_of(link, sender);
  Outlet& own = at(from);
  const double before_s = own.next_s();
  own.waiting.push({begin_s, begin_s, work_s, outlet_of(link, receiver), send, receive});
  ++n_messages_;
  if (own.next_s() != before_s) schedule(from);
}

void SharedAdapters::schedule(uint32_t outlet) {
  const double at_s = at(outlet).next_s();
  if (at_s != kNever) events_.push({at_s, outlet});
}

double SharedAdapters::next_s() {
  while (at(events_.top().sender).next_s() != events_.top().at_s) events_.pop();
  return events_.top().at_s;
}

std::optional<SharedAdapters::End> SharedAdapters::step() {
  const double at_s = next_s();
  const uint32_t sender = events_.top().sender;
  events_.pop();
  Outlet& own = at(sender);
  const bool is_end = own.next_is_end();
  own.advance(at_s);
  Earliest& from = is_end ? own.passing : own.waiting;
  Message message = from.top();
  from.pop();
  if (!is_end) {
    message.begin_s = at_s;
    message.key = own.served_s + message.work_s;
    own.passing.push(message);
  }
  schedule(sender);
  receives(message.receiver, is_end ? -1 : 1, at_s);  // may move `own`
  if (!is_end) return std::nullopt;
  --n_messages_;
  return End{message.begin_s, at_s, message.send, message.receive};
}

}  // namespace scalediag::loggp
