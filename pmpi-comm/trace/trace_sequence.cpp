#include "pmpi-comm/trace/trace_sequence.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace scalediag::pmpi {
namespace {

// The finalizer of splitmix64.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr uint64_t kBase = 0x9ddfea08eb382d69ULL;  // odd, so that no power of it is 0

uint64_t loop_hash(uint64_t body_hash, size_t body_size, uint64_t count) {
  return mix(mix(body_hash + body_size) ^ mix(~count));
}

bool same(const TraceItem& a, const TraceItem& b) {
  return a.event == b.event && a.count == b.count && a.hash == b.hash && a.body.size() == b.body.size() &&
         std::equal(a.body.begin(), a.body.end(), b.body.begin(), same);
}

void merge(TraceItem& into, const TraceItem& from) {
  into.before.merge(from.before);
  into.instructions.merge(from.instructions);
  for (size_t i = 0; i < into.body.size(); ++i) merge(into.body[i], from.body[i]);
}

}  // namespace

void Durations::merge(const Durations& other) {
  if (other.n == 0) return;
  least = n == 0 ? other.least : std::min(least, other.least);
  most = std::max(most, other.most);
  n += other.n;
  total += other.total;
  squares += other.squares;
}

double Durations::deviation() const {
  if (n < 2) return 0;
  const double mean = static_cast<double>(total) / static_cast<double>(n);
  return std::sqrt(std::max(0.0, squares / static_cast<double>(n) - mean * mean));
}

TraceSequence::TraceSequence() : powers_(kLongestBody + 1) {
  powers_[0] = 1;
  for (size_t i = 1; i < powers_.size(); ++i) powers_[i] = powers_[i - 1] * kBase;
}

uint64_t TraceSequence::range_hash(size_t begin, size_t end) const {
  return prefix_[end] - prefix_[begin] * powers_[end - begin];
}

uint32_t& TraceSequence::latest(const TraceItem& item) {
  if (item.event == TraceItem::kLoop) return latest_loops_.try_emplace(item.hash, kNone).first->second;
  if (item.event >= latest_events_.size()) latest_events_.resize(2 * static_cast<size_t>(item.event) + 64, kNone);
  return latest_events_[item.event];
}

void TraceSequence::push(TraceItem item) {
  const auto at = static_cast<uint32_t>(items_.size());
  previous_.push_back(std::exchange(latest(item), at));
  prefix_.push_back(prefix_.back() * kBase + item.hash);
  if (item.event == TraceItem::kLoop) loops_.push_back(at);
  items_.push_back(std::move(item));
}

void TraceSequence::pop() {
  const TraceItem& last = items_.back();
  if (last.event == TraceItem::kLoop) {
    loops_.pop_back();
    if (previous_.back() == kNone) latest_loops_.erase(last.hash);
  }
  if (last.event != TraceItem::kLoop || previous_.back() != kNone) latest(last) = previous_.back();
  previous_.pop_back();
  prefix_.pop_back();
  items_.pop_back();
}

void TraceSequence::append(uint32_t event, uint64_t ns_before, std::optional<uint64_t> instructions_before) {
  TraceItem item;
  item.event = event;
  item.hash = mix(event);
  item.before = Durations::of(ns_before);
  if (instructions_before) item.instructions = Durations::of(*instructions_before);
  push(std::move(item));
  while (go_round() || make_loop()) {
  }
}

// Adds a round to a loop whose body the last items repeat.
bool TraceSequence::go_round() {
  const size_t end = items_.size();
  for (size_t i = loops_.size(); i-- > 0;) {
    const size_t at = loops_[i];
    const size_t length = end - at - 1;
    if (length > kLongestBody) break;
    const TraceItem& candidate = items_[at];
    if (length == 0 || candidate.body.size() != length || candidate.body_hash != range_hash(at + 1, end)) continue;
    if (!std::equal(candidate.body.begin(), candidate.body.end(), items_.begin() + static_cast<std::ptrdiff_t>(at + 1),
                    same)) {
      continue;
    }
    TraceItem& loop = items_[at];
    for (size_t k = 0; k < length; ++k) merge(loop.body[k], items_[at + 1 + k]);
    while (items_.size() > at + 1) pop();
    TraceItem longer;
    longer.count = items_.back().count + 1;
    longer.body_hash = items_.back().body_hash;
    longer.body.swap(items_.back().body);
    pop();
    longer.hash = loop_hash(longer.body_hash, longer.body.size(), longer.count);
    push(std::move(longer));
    return true;
  }
  return false;
}

// Makes a loop of the last items and those before them, which they repeat.
bool TraceSequence::make_loop() {
  const size_t end = items_.size();
  uint32_t at = previous_.back();
  for (int tried = 0; at != kNone && tried < kTried; ++tried, at = previous_[at]) {
    const size_t length = end - 1 - at;
    if (length > kLongestBody || 2 * length > end) return false;
    const size_t begin = end - 2 * length;
    const uint64_t hash = range_hash(begin + length, end);
    if (hash != range_hash(begin, begin + length)) continue;
    const auto first = items_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto second = first + static_cast<std::ptrdiff_t>(length);
    if (!std::equal(first, second, second, same)) continue;
    TraceItem loop;
    loop.count = 2;
    loop.body_hash = hash;
    loop.hash = loop_hash(hash, length, 2);
    // Copies are made, since pop() needs the hashes of the items that it removes.
    loop.body.assign(first, second);
    for (size_t k = 0; k < length; ++k) merge(loop.body[k], items_[begin + length + k]);
    while (items_.size() > begin) pop();
    push(std::move(loop));
    return true;
  }
  return false;
}

std::vector<TraceItem> TraceSequence::take_oldest(size_t n) {
  n = std::min(n, items_.size());
  const auto middle = items_.begin() + static_cast<std::ptrdiff_t>(n);
  std::vector<TraceItem> taken(std::make_move_iterator(items_.begin()), std::make_move_iterator(middle));
  std::vector<TraceItem> kept(std::make_move_iterator(middle), std::make_move_iterator(items_.end()));
  items_.clear();
  prefix_ = {0};
  previous_.clear();
  loops_.clear();
  latest_events_.clear();
  latest_loops_.clear();
  for (TraceItem& item : kept) push(std::move(item));
  return taken;
}

}  // namespace scalediag::pmpi
