#include "collector/inject/files/file_callers.h"

#include <algorithm>
#include <atomic>

#include "core/raw/file_libraries.h"

namespace scalediag::inject::files {
namespace {

struct PlaceTotals {
  std::atomic<uint64_t> calls, bytes, ticks;
};
CallingPlaces file_places;
PlaceTotals totals_of_places[CallingPlaces::kMost];

}  // namespace

uint32_t place_of(Function function, pmpi::Caller caller) {
  return file_places.place_of(static_cast<uint32_t>(function), caller, raw::is_file_library);
}

void add_at(uint32_t place, int64_t bytes, uint64_t ticks) {
  PlaceTotals& to = totals_of_places[place - 1];
  to.calls.fetch_add(1, std::memory_order_relaxed);
  if (bytes > 0) to.bytes.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed);
  to.ticks.fetch_add(ticks, std::memory_order_relaxed);
}

std::vector<PlaceRecord> places() {
  std::vector<PlaceRecord> found;
  file_places.each([&](uint32_t number, uint32_t key, const uintptr_t* frames, uint32_t n) {
    const PlaceTotals& t = totals_of_places[number - 1];
    found.push_back({number,
                     static_cast<Function>(key),
                     {frames, frames + n},
                     t.calls.load(std::memory_order_relaxed),
                     t.bytes.load(std::memory_order_relaxed),
                     t.ticks.load(std::memory_order_relaxed)});
  });
  std::sort(found.begin(), found.end(), [](const PlaceRecord& a, const PlaceRecord& b) { return a.number < b.number; });
  return found;
}

}  // namespace scalediag::inject::files
