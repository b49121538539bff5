#include "collector/inject/counting/call_totals.h"

#include <algorithm>

#include "core/mpi_routines.h"

namespace scalediag::inject {
namespace {

void merge(raw::OperationTotals& into, const raw::OperationTotals& o) {
  into.calls += o.calls;
  into.bytes += o.bytes;
  into.ticks += o.ticks;
  // Untimed polls only have no shortest call.
  if (o.max_ticks == 0) return;
  into.min_ticks = into.max_ticks == 0 ? o.min_ticks : std::min(into.min_ticks, o.min_ticks);
  into.max_ticks = std::max(into.max_ticks, o.max_ticks);
}

void merge(raw::PeerTotals& into, const raw::PeerTotals& o) {
  into.messages += o.messages;
  into.bytes += o.bytes;
}

// Encodes what differs from what was `written` before, and takes it over there. Returns the number of entries.
template <class Map> uint32_t write_changed(const Map& live, Map& written, raw::Encoder& e) {
  raw::ListEncoder list(e);
  for (const auto& [key, totals] : live) {
    auto& before = written[key];
    if (before == totals) continue;
    before = totals;
    list.add(key, totals);
  }
  return list.size();
}

}  // namespace

void CallTotals::Sums::add(uint32_t thread_class, const pmpi::CallTable& table) {
  table.calls().for_each([&](const pmpi::CallEntry& c) {
    const raw::OperationTotals totals{c.calls.get(), c.bytes.get(), c.ticks.get(), c.min_ticks.get(),
                                      c.max_ticks.get()};
    if (totals.calls != 0) merge(calls[{c.operation, thread_class, c.communicator_size, c.size_bin}], totals);
  });
  table.peers().for_each([&](const pmpi::PeerEntry& p) {
    merge(peers[{p.peer, p.direction}], {p.messages.get(), p.bytes.get()});
  });
  uncounted += table.uncounted();
  spawned += table.spawned();
}

void CallTotals::begin() { live_ = retired_; }

void CallTotals::add(uint32_t thread_class, const pmpi::CallTable& table) { live_.add(thread_class, table); }

void CallTotals::retire(uint32_t thread_class, const pmpi::CallTable& table) { retired_.add(thread_class, table); }

uint32_t CallTotals::write_new_names(raw::Encoder& e) {
  raw::ListEncoder list(e);
  for (const auto& [key, totals] : live_.calls) {
    const uint32_t routine = raw::routine_of(key.operation);
    if (!written_names_.insert(routine).second) continue;
    list.add(raw::OperationName{routine, std::string(mpi::kRoutineTable[routine].name)});
  }
  return list.size();
}

uint32_t CallTotals::write_new_sites(uint32_t epoch, raw::Encoder& e) {
  raw::ListEncoder list(e);
  uint32_t number = 0;
  pmpi::call_sites().for_each([&](const pmpi::CallSite& site) {
    if (++number <= written_sites_) return;
    list.add(raw::CallSite{number, epoch, {site.frames.get(), site.frames.get() + site.n}});
  });
  written_sites_ += list.size();
  return list.size();
}

uint32_t CallTotals::write_changed_operations(raw::Encoder& e) { return write_changed(live_.calls, written_calls_, e); }

uint32_t CallTotals::write_changed_peers(raw::Encoder& e) { return write_changed(live_.peers, written_peers_, e); }

}  // namespace scalediag::inject
