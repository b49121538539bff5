#include "loggp/emulation/call_times.h"

#include <algorithm>

#include "core/raw/raw_format.h"

namespace scalediag::loggp {

CallTimes::Key CallTimes::key_of(const Op& op) const {
  if (op.kind == OpKind::kWait) return {op.label, 0, 0};
  const std::vector<int>& members = program_.communicators()[op.communicator];
  const auto size = members.empty() ? static_cast<uint32_t>(program_.ranks()) : static_cast<uint32_t>(members.size());
  return {op.label, size, raw::size_bin(op.bytes)};
}

void CallTimes::on_span(const Span& span) {
  if (span.kind == SpanKind::kComputation && span.op->kind != OpKind::kCollective) return;
  Times& times = times_[key_of(*span.op)];
  if (times.wall_s.empty()) {
    times.wall_s.resize(static_cast<size_t>(program_.ranks()));
    times.blocked_s.resize(times.wall_s.size());
  }
  const double s = span.end_s - span.begin_s;
  times.wall_s[span.rank] += s;
  regions_.add_communication(span.rank, s);
  const bool waits = span.kind != SpanKind::kComputation && span.kind != SpanKind::kTransfer;
  if (waits) times.blocked_s[span.rank] += s;
  const bool goes_on = times.rank == span.rank && times.event == span.event;
  times.its_s = goes_on ? times.its_s + s : s;
  times.rank = span.rank;
  times.event = span.event;
  times.longest_s = std::max(times.longest_s, times.its_s);
}

void CallTimes::on_mark(uint32_t rank, const Op& mark, double time_s) {
  regions_.mark(rank, static_cast<uint32_t>(mark.tag), mark.peer == 1, time_s);
}

std::vector<core::EmulatedCalls> CallTimes::calls() const {
  std::vector<core::EmulatedCalls> all;
  for (const auto& [key, times] : times_) {
    const auto& [label, size, bin] = key;
    const double bytes = bin == 0 ? 0 : static_cast<double>(uint64_t{1} << (bin - 1));
    all.push_back(
        {program_.labels()[label], static_cast<int>(size), bytes, times.wall_s, times.blocked_s, times.longest_s});
  }
  return all;
}

}  // namespace scalediag::loggp
