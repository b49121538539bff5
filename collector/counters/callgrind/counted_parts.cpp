#include "collector/counters/callgrind/counted_parts.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/atomic_file.h"
#include "core/raw/counted_steps.h"
#include "core/statistics.h"
#include "core/text/formatted.h"

namespace scalediag::counters {
namespace {

constexpr char kWord[] = "scalediag-parts";

struct Place {
  uint64_t first = 0;  // round
  double times = 1;
};

// Of `rounds`, which are more than are counted. Where a place lies in its surroundings differs from one to the next, by
// the golden ratio, so that places do not meet every tenth round each time or never.
std::vector<Place> choose_places(uint64_t rounds, const CountedExtent& extent) {
  constexpr double kGolden = 0.6180339887498949;
  const auto n = static_cast<uint64_t>(extent.places);
  std::vector<Place> places;
  for (uint64_t place = 1; place <= n; ++place) {
    const uint64_t begin = 1 + (place - 1) * (rounds - 1) / n, end = 1 + place * (rounds - 1) / n;
    const double turn = kGolden * static_cast<double>(place);
    const double offset = (turn - std::floor(turn)) * static_cast<double>(end - begin - extent.in_a_row + 1);
    places.push_back({begin + static_cast<uint64_t>(offset),
                      static_cast<double>(end - begin) / static_cast<double>(extent.in_a_row)});
  }
  return places;
}

class Planner {
 public:
  // The part that is being counted ends, and nothing is counted from there.
  void stop(uint64_t events, const CountedPart& part) { end_part(events, counted_steps::kStops, part); }
  // It goes on at once with the next part where nothing was left out.
  void go_on(uint64_t events) {
    if (events == stopped_at_) {
      plan_.steps.pop_back();
    } else {
      add_step(events, counted_steps::kGoesOn);
    }
  }
  void end_replay(uint64_t events, const CountedPart& part) { end_part(events, counted_steps::kEnds, part); }
  void end_with_program() { plan_.parts.parts.push_back({counted_steps::kDumpTrigger, -1, 0, 1, 0}); }
  PartsPlan& plan() { return plan_; }

 private:
  void end_part(uint64_t events, char kind, CountedPart part) {
    part.trigger = counted_steps::part_name(static_cast<int>(plan_.parts.parts.size()));
    add_step(events, kind);
    stopped_at_ = events;
    plan_.parts.parts.push_back(std::move(part));
  }
  void add_step(uint64_t events, char kind) {
    plan_.steps += (plan_.steps.empty() ? "" : ",") + std::to_string(events) + kind;
  }

  PartsPlan plan_;
  uint64_t stopped_at_ = 0;
};

// The places of a loop.
struct LoopCounts {
  std::vector<double> means;                      // of the rounds of a place
  double whole = 0;                               // all that these stand for
  double counted = 0, stand_for = 0, unseen = 0;  // rounds

  void add(const CountedPart& part, double count) {
    const auto rounds = static_cast<double>(part.rounds);
    means.push_back(count / rounds);
    whole += part.times * count;
    counted += rounds;
    stand_for += part.times * rounds;
    unseen += part.unseen * rounds;
  }
};

// See the header.
double spread_of(const LoopCounts& loop, double after) {
  const auto places = static_cast<double>(loop.means.size());
  const double mean = loop.whole / loop.stand_for;
  double spread = (loop.stand_for - loop.counted) * core::standard_deviation(loop.means) / std::sqrt(places);
  const double seen = loop.stand_for - loop.unseen;
  if (loop.unseen > 0 && seen > 0 && places > 1) {
    // From the middle of what was seen to that of what was not, against the distance of the places.
    const double distance = (seen + loop.unseen) / 2 / (seen * (places - 1) / places);
    spread += loop.unseen * distance * std::abs(loop.means.back() - loop.means.front());
  }
  return std::max(mean, spread) + after * mean;
}

}  // namespace

uint64_t reached_rounds(const CountedLoop& last, const CountedExtent& extent) {
  if (!(extent.reach < 1) || !extent.leaves_out(last.iterations)) return last.iterations;
  const auto reached = static_cast<uint64_t>(std::ceil(extent.reach * static_cast<double>(last.iterations)));
  return std::clamp(reached, extent.rounds(), last.iterations);
}

PartsPlan plan_parts(const CountedWork& work, const CountedExtent& extent) {
  Planner planner;
  CountedParts& parts = planner.plan().parts;
  for (size_t l = 0; l < work.loops.size(); ++l) {
    const CountedLoop& loop = work.loops[l];
    const bool is_last = l + 1 == work.loops.size(), ends_early = is_last && extent.reach < 1;
    const uint64_t reached = is_last ? reached_rounds(loop, extent) : loop.iterations;
    parts.rounds += loop.iterations;
    if (!extent.leaves_out(loop.iterations)) {  // a part of what occurs once
      parts.counted += loop.iterations;
      continue;
    }
    parts.counted += extent.rounds();
    if (ends_early && loop.iteration_s > 0) parts.after = work.after_s / loop.iteration_s;
    const auto standing = static_cast<double>(extent.rounds() - 1);
    const double unseen = static_cast<double>(loop.iterations - reached) / standing;
    const auto at = [&loop](uint64_t round) { return loop.before + round * loop.per_iteration; };
    planner.stop(at(1), {});
    const std::vector<Place> places = choose_places(reached, extent);
    for (const Place& place : places) {
      const CountedPart part{"", static_cast<int>(l), extent.in_a_row, place.times + unseen, unseen};
      planner.go_on(at(place.first));
      const uint64_t end = at(place.first + extent.in_a_row);
      if (ends_early && &place == &places.back()) {
        planner.end_replay(end, part);
        return std::move(planner.plan());
      }
      planner.stop(end, part);
    }
    planner.go_on(loop.end());
  }
  planner.end_with_program();
  return std::move(planner.plan());
}

CountOfParts count_of(const CountedParts& parts, const std::vector<double>& counts) {
  std::map<int, LoopCounts> loops;
  CountOfParts sum;
  for (size_t i = 0; i < parts.parts.size(); ++i) {
    const CountedPart& part = parts.parts[i];
    sum.whole += part.times * counts[i];
    if (part.loop >= 0) loops[part.loop].add(part, counts[i]);
  }
  for (const auto& [number, loop] : loops) {
    const bool is_last = number == loops.rbegin()->first;
    sum.spread = sum.spread.value_or(0) + spread_of(loop, is_last ? parts.after : 0);
  }
  return sum;
}

std::string parts_file(int rank) { return core::formatted("rank%06d.parts", rank); }

std::string text_of(const CountedParts& parts) {
  std::string text = core::formatted("%s 1 %zu %llu %llu %.17g\n", kWord, parts.parts.size(),
                                     static_cast<unsigned long long>(parts.counted),
                                     static_cast<unsigned long long>(parts.rounds), parts.after);
  for (const CountedPart& part : parts.parts) {
    text += core::formatted("%s %d %llu %.17g %.17g\n", part.trigger.c_str(), part.loop,
                            static_cast<unsigned long long>(part.rounds), part.times, part.unseen);
  }
  return text;
}

Result<std::optional<CountedParts>> read_counted_parts(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) return std::optional<CountedParts>();
  const std::string text = TRY(core::read_file(path));
  const Error damaged{ErrorCode::kInput, path + " does not say what was counted", "count again", path};
  std::istringstream stream(text);
  std::string word;
  int version = 0;
  size_t n = 0;
  CountedParts parts;
  stream >> word >> version >> n >> parts.counted >> parts.rounds >> parts.after;
  if (!stream || word != kWord || version != 1 || !(parts.after >= 0) || !std::isfinite(parts.after)) return damaged;
  CountedPart part;
  while (stream >> part.trigger >> part.loop >> part.rounds >> part.times >> part.unseen) {
    const bool is_possible = part.times >= 1 && std::isfinite(part.times) && part.unseen >= 0 &&
                             part.unseen < part.times && (part.loop >= 0) == (part.rounds > 0);
    if (!is_possible) return damaged;
    parts.parts.push_back(part);
  }
  if (!stream.eof() || parts.parts.size() != n || n == 0) return damaged;
  return std::optional<CountedParts>(std::move(parts));
}

}  // namespace scalediag::counters
