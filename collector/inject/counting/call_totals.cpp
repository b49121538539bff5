#include "collector/inject/counting/call_totals.h"

#include <algorithm>

#include "core/mpi_routines.h"

namespace scalediag::inject {

void CallTotals::CallSums::merge(const CallSums& o) {
  calls += o.calls;
  bytes += o.bytes;
  ticks += o.ticks;
  min_ticks = std::min(min_ticks, o.min_ticks);
  max_ticks = std::max(max_ticks, o.max_ticks);
}

void CallTotals::PeerSums::merge(const PeerSums& o) {
  messages += o.messages;
  bytes += o.bytes;
}

void CallTotals::Sums::add(uint32_t thread_class, const pmpi::CallTable& table) {
  table.calls().for_each([&](const pmpi::CallEntry& c) {
    // An entry of untimed polls only has no shortest call.
    const uint64_t shortest = c.max_ticks.get() == 0 ? UINT64_MAX : c.min_ticks.get();
    const CallSums s{c.calls.get(), c.bytes.get(), c.ticks.get(), shortest, c.max_ticks.get()};
    if (s.calls != 0) calls[{c.operation, thread_class, c.communicator_size, c.size_bin}].merge(s);
  });
  table.peers().for_each([&](const pmpi::PeerEntry& p) {
    peers[{p.peer, p.direction}].merge({p.messages.get(), p.bytes.get()});
  });
  uncounted += table.uncounted();
  spawned += table.spawned();
}

void CallTotals::begin() { live_ = retired_; }

void CallTotals::add(uint32_t thread_class, const pmpi::CallTable& table) { live_.add(thread_class, table); }

void CallTotals::retire(uint32_t thread_class, const pmpi::CallTable& table) { retired_.add(thread_class, table); }

uint32_t CallTotals::write_new_names(raw::Encoder& e) {
  const size_t count_at = e.size();
  e.u32(0);
  uint32_t n = 0;
  for (const auto& [key, sums] : live_.calls) {
    if (!written_names_.emplace(key[0], true).second) continue;
    e.u32(key[0]);
    e.string(mpi::kRoutineTable[key[0]].name);
    ++n;
  }
  e.set_u32(count_at, n);
  return n;
}

uint32_t CallTotals::write_changed_operations(raw::Encoder& e) {
  const size_t count_at = e.size();
  e.u32(0);
  uint32_t n = 0;
  for (const auto& [key, sums] : live_.calls) {
    CallSums& before = written_calls_[key];
    if (!(sums != before)) continue;
    before = sums;
    for (const uint32_t k : key) e.u32(k);
    e.u64(sums.calls);
    e.u64(sums.bytes);
    e.u64(sums.ticks);
    e.u64(sums.max_ticks == 0 ? 0 : sums.min_ticks);
    e.u64(sums.max_ticks);
    ++n;
  }
  e.set_u32(count_at, n);
  return n;
}

uint32_t CallTotals::write_changed_peers(raw::Encoder& e) {
  const size_t count_at = e.size();
  e.u32(0);
  uint32_t n = 0;
  for (const auto& [key, sums] : live_.peers) {
    PeerSums& before = written_peers_[key];
    if (!(sums != before)) continue;
    before = sums;
    for (const uint32_t k : key) e.u32(k);
    e.u64(sums.messages);
    e.u64(sums.bytes);
    ++n;
  }
  e.set_u32(count_at, n);
  return n;
}

}  // namespace scalediag::inject
