#include "pmpi-comm/repeated_calls.h"

#include <algorithm>

#include "pmpi-comm/ticks.h"

// Of GCC's unwinder: the entry of the unwind tables for an address; null where there is none.
struct EhBases {
  void* text = nullptr;
  void* data = nullptr;
  void* function = nullptr;
};
extern "C" const void* _Unwind_Find_FDE(void* address, EhBases* bases);

namespace scalediag::pmpi {
namespace {

// CPU time of the process is read this often at most, since reading it is a system call; in between it is taken to pass
// as time does.
constexpr double kBetweenCpu_ns = 2e6;
constexpr size_t kPlaces = 2 * RepeatedCalls::kMostSites;

size_t place_of(uint32_t operation, uintptr_t address, uintptr_t frame) {
  return ((operation ^ (uint64_t{address} << 9) ^ (uint64_t{frame} << 40)) * 0x9E3779B97F4A7C15u) >> 53;
}
static_assert(kPlaces == 1 << 11, "place_of() gives 11 bits");

// So that frames on either side of the origin have a depth.
constexpr uint64_t kDepthOfOrigin = 1 << 30;

// Where the function begins that returns to the address, by its unwind table.
uintptr_t function_of(uintptr_t address) {
  EhBases bases;
  if (_Unwind_Find_FDE(reinterpret_cast<void*>(address - 1), &bases) == nullptr) return 0;
  return reinterpret_cast<uintptr_t>(bases.function);
}

}  // namespace

uint64_t RepeatedCalls::Gaps::evenness(uint64_t n) const {
  if (n == 0) return 0;
  if (!(sum > 0)) return 1'000'000;
  return static_cast<uint64_t>(1e6 * std::min(1.0, roots * roots / (static_cast<double>(n) * sum)));
}

RepeatedCalls::RepeatedCalls(double ns_per_tick, uintptr_t origin)
    : ns_per_tick_(ns_per_tick),
      ticks_between_cpu_(static_cast<uint64_t>(kBetweenCpu_ns / ns_per_tick)),
      rows_(new Row[kMostSites]),
      places_(new uint16_t[kPlaces]()),
      origin_(origin) {
  end_ = ticks();
  read_cpu(end_);
  end_cpu_ns_ = cpu_ns_;
}

void RepeatedCalls::read_cpu(uint64_t now) {
  cpu_ns_ = cpu_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
  cpu_ticks_ = now;
}

uint64_t RepeatedCalls::cpu_ns_at(uint64_t now) const {
  return cpu_ns_ + static_cast<uint64_t>(static_cast<double>(now - cpu_ticks_) * ns_per_tick_);
}

RepeatedCalls::Row* RepeatedCalls::row_of(uint32_t operation, uintptr_t address, uintptr_t frame) {
  size_t at = place_of(operation, address, frame);
  for (; places_[at] != 0; at = (at + 1) % kPlaces) {
    Row& row = rows_[places_[at] - 1u];
    if (row.call.operation == operation && row.call.address == address && row.frame == frame) return &row;
  }
  if (n_rows_ == kMostSites) return nullptr;
  Row& row = rows_[n_rows_++];
  places_[at] = static_cast<uint16_t>(n_rows_);
  row.frame = frame;
  row.function = function_of(address);
  row.call.operation = operation;
  row.call.address = address;
  row.call.depth = depth_of(frame);
  return &row;
}

uint64_t RepeatedCalls::depth_of(uintptr_t frame) const { return kDepthOfOrigin + origin_ - frame; }

uint64_t RepeatedCalls::round_begun_by(uint32_t operation, uintptr_t address, uintptr_t frame) {
  if (address != watched_.address || operation != watched_.operation) return 0;
  const uint64_t depth = depth_of(frame);
  const uint64_t apart = depth > watched_.depth ? depth - watched_.depth : watched_.depth - depth;
  if (watched_.depth != 0 && apart > kNearDepth) return 0;
  const Row* const row = row_of(operation, address, frame);
  const bool is_first = row == nullptr || row->call.calls == 0;
  const bool begins = is_first || !watched_.is_visited || row->visit != visits_ || begins_visit(row->function, frame);
  return begins ? ++rounds_ : 0;
}

void RepeatedCalls::leave(uint32_t operation, uintptr_t address, uintptr_t frame, uint64_t begin, uint64_t end,
                          uint64_t mpi_ticks) {
  if (last_ != nullptr) {
    last_->call.end_ticks = begin;
    last_->call.end_cpu_ns = cpu_ns_at(begin);
  }
  Row* row = row_of(operation, address, frame);
  const uintptr_t function = row != nullptr ? row->function : 0;
  // Where the function is known its frame does not count: what a call passes on the stack moves the place of the call.
  if (begins_visit(function, frame)) {
    frame_ = frame;
    function_ = function;
    ++visits_;
  }
  if (row != nullptr) {
    raw::RepeatedCall& call = row->call;
    if (call.calls == 0) {
      call.first_begin_ticks = begin;
      call.begin_ticks = end_;
      call.begin_cpu_ns = end_cpu_ns_;
      call.begin_mpi_ticks = mpi_ticks;
    } else {
      row->between_calls.add(begin - row->last_begin);
    }
    if (call.calls == 0 || row->visit != visits_) {
      if (call.visits != 0) row->between_visits.add(begin - row->visit_begin);
      row->visit_begin = begin;
      row->visit = visits_;
      ++call.visits;
    }
    ++call.calls;
    row->last_begin = begin;
    call.last_end_ticks = end;
    call.end_mpi_ticks = mpi_ticks + (end - begin);
  }
  last_ = row;
  if (end - cpu_ticks_ > ticks_between_cpu_) read_cpu(end);
  end_ = end;
  end_cpu_ns_ = cpu_ns_at(end);
}

std::vector<raw::RepeatedCall> RepeatedCalls::list(uint64_t now, size_t most, uint64_t fewest) const {
  std::vector<raw::RepeatedCall> calls;
  for (size_t i = 0; i < n_rows_; ++i) {
    const Row& row = rows_[i];
    raw::RepeatedCall call = row.call;
    if (call.calls < fewest) continue;
    if (&row == last_) {
      call.end_ticks = now;
      call.end_cpu_ns = cpu_ns_at(now);
    }
    call.evenness_of_calls = row.between_calls.evenness(call.calls - 1);
    call.evenness_of_visits = row.between_visits.evenness(call.visits - 1);
    calls.push_back(call);
  }
  const auto longer = [](const raw::RepeatedCall& a, const raw::RepeatedCall& b) {
    const uint64_t length_a = a.end_ticks - a.begin_ticks, length_b = b.end_ticks - b.begin_ticks;
    return length_a != length_b ? length_a > length_b : a.address < b.address;
  };
  std::sort(calls.begin(), calls.end(), longer);
  if (calls.size() > most) calls.resize(most);
  return calls;
}

}  // namespace scalediag::pmpi
