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
// The trigger at the program's end; see collector/inject/callgrind_counting.h.
constexpr char kEndTrigger[] = "scalediag";
constexpr int kMostPlaces = 1000;  // in a file that is read

struct ChosenRound {
  uint64_t number = 0;
  int place = 0;
  double times = 1;
};

// Of `rounds`, which are 2 or more. Where a place lies in its surroundings differs from one to the next, by the golden
// ratio, so that places do not meet every tenth round each time or never.
std::vector<ChosenRound> choose_rounds(uint64_t rounds, const CountedExtent& extent) {
  constexpr double kGolden = 0.6180339887498949;
  const auto n = static_cast<uint64_t>(extent.places);
  std::vector<ChosenRound> chosen = {{0, 0, 1}};
  for (uint64_t place = 1; place <= n; ++place) {
    const uint64_t begin = 1 + (place - 1) * (rounds - 1) / n, end = 1 + place * (rounds - 1) / n;
    const uint64_t taken = std::min(extent.in_a_row, end - begin);
    const double turn = kGolden * static_cast<double>(place);
    const double offset = (turn - std::floor(turn)) * static_cast<double>(end - begin - taken + 1);
    for (uint64_t i = 0; i < taken; ++i) {
      chosen.push_back({begin + static_cast<uint64_t>(offset) + i, chosen.back().place + (i == 0 ? 1 : 0),
                        static_cast<double>(end - begin) / static_cast<double>(taken)});
    }
  }
  return chosen;
}

class Planner {
 public:
  // Ends the part that is being counted; `kind` as core/raw/counted_steps.h has them, 0 for none.
  void end_part(uint64_t events, char kind, CountedPart part) {
    part.trigger = counted_steps::part_name(static_cast<int>(plan_.parts.parts.size()));
    add_step(events, kind);
    plan_.parts.parts.push_back(std::move(part));
  }
  void go_on(uint64_t events) { add_step(events, counted_steps::kGoesOn); }
  void end_with_program() { plan_.parts.parts.push_back({kEndTrigger, -1, 0, 1, 0}); }
  PartsPlan& plan() { return plan_; }

 private:
  void add_step(uint64_t events, char kind) {
    plan_.steps += (plan_.steps.empty() ? "" : ",") + std::to_string(events);
    if (kind != 0) plan_.steps += kind;
  }

  PartsPlan plan_;
};

// The rounds of a loop that are counted, but for the first one.
struct LoopCounts {
  std::vector<double> rounds;
  std::vector<std::vector<double>> places;  // the same by place
  double whole = 0;                         // all that these stand for
  double stand_for = 0, unseen = 0;         // rounds

  void add(const CountedPart& part, double count) {
    if (part.place == 0) return;
    rounds.push_back(count);
    places.resize(std::max(places.size(), static_cast<size_t>(part.place)));
    places[static_cast<size_t>(part.place) - 1].push_back(count);
    whole += part.times * count;
    stand_for += part.times;
    unseen += part.unseen;
  }
  double uncounted() const { return stand_for - static_cast<double>(rounds.size()); }
};

// See the header.
double spread_of(const LoopCounts& loop, double after) {
  std::vector<double> means;
  for (const std::vector<double>& place : loop.places) means.push_back(core::mean(place));
  const double error = std::max(core::standard_deviation(loop.rounds) / std::sqrt(loop.rounds.size()),
                                core::standard_deviation(means) / std::sqrt(means.size()));
  const double mean = loop.whole / loop.stand_for;
  double spread = loop.uncounted() * error;
  const double seen = loop.stand_for - loop.unseen - after;
  if (loop.unseen > 0 && seen > 0 && means.size() > 1) {
    const auto n = static_cast<double>(means.size());
    // From the middle of what was seen to that of what was not, against the distance of the places.
    const double distance = (seen + loop.unseen) / 2 / (seen * (n - 1) / n);
    spread += loop.unseen * distance * std::abs(means.back() - means.front());
  }
  return std::max(mean, spread) + after * mean;
}

}  // namespace

uint64_t reached_rounds(const CountedLoop& last, const CountedExtent& extent) {
  if (!(extent.reach < 1)) return last.iterations;
  const auto reached = static_cast<uint64_t>(std::ceil(extent.reach * static_cast<double>(last.iterations)));
  return std::clamp(reached, std::min(extent.rounds(), last.iterations), last.iterations);
}

PartsPlan plan_parts(const CountedWork& work, const CountedExtent& extent) {
  Planner planner;
  CountedParts& parts = planner.plan().parts;
  const bool ends_early = extent.reach < 1;
  uint64_t at = 0;          // events up to which all is planned
  bool is_counting = true;  // from there on
  for (size_t l = 0; l < work.loops.size(); ++l) {
    const CountedLoop& loop = work.loops[l];
    const bool is_last = l + 1 == work.loops.size();
    const uint64_t reached = is_last ? reached_rounds(loop, extent) : loop.iterations;
    if (!is_counting) planner.go_on(at);
    if (loop.before > at) planner.end_part(loop.before, 0, {});
    const std::vector<ChosenRound> chosen = choose_rounds(reached, extent);
    parts.counted += chosen.size();
    parts.rounds += loop.iterations;
    const auto standing = static_cast<double>(chosen.size() - 1);
    const double unseen = static_cast<double>(loop.iterations - reached) / standing;
    if (is_last && ends_early && loop.iteration_s > 0) parts.after = work.after_s / loop.iteration_s;
    is_counting = true;
    for (size_t i = 0; i < chosen.size(); ++i) {
      const ChosenRound& round = chosen[i];
      const uint64_t begin = loop.before + round.number * loop.per_iteration, end = begin + loop.per_iteration;
      if (!is_counting) planner.go_on(begin);
      const bool is_last_chosen = i + 1 == chosen.size();
      is_counting = is_last_chosen ? end == loop.end() : chosen[i + 1].number == round.number + 1;
      CountedPart part{"", static_cast<int>(l), round.place, round.times, 0};
      if (round.place > 0) {
        part.unseen = unseen;
        part.times += unseen + (is_last ? parts.after / standing : 0);
      }
      const bool is_end = is_last && is_last_chosen && ends_early;
      planner.end_part(end,
                       is_end        ? counted_steps::kEnds
                       : is_counting ? '\0'
                                     : counted_steps::kStops,
                       std::move(part));
    }
    at = loop.end();
  }
  if (ends_early) return std::move(planner.plan());
  if (!is_counting) planner.go_on(at);
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
    if (!(loop.uncounted() > 0)) continue;
    sum.spread = sum.spread.value_or(0) + spread_of(loop, number == loops.rbegin()->first ? parts.after : 0);
  }
  return sum;
}

std::string parts_file(int rank) { return core::formatted("rank%06d.parts", rank); }

std::string text_of(const CountedParts& parts) {
  std::string text = core::formatted("%s 1 %zu %llu %llu %.17g\n", kWord, parts.parts.size(),
                                     static_cast<unsigned long long>(parts.counted),
                                     static_cast<unsigned long long>(parts.rounds), parts.after);
  for (const CountedPart& part : parts.parts) {
    text +=
        core::formatted("%s %d %d %.17g %.17g\n", part.trigger.c_str(), part.loop, part.place, part.times, part.unseen);
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
  while (stream >> part.trigger >> part.loop >> part.place >> part.times >> part.unseen) {
    const bool is_possible = part.times >= 1 && std::isfinite(part.times) && part.unseen >= 0 &&
                             part.unseen < part.times && part.place >= 0 && part.place <= kMostPlaces;
    if (!is_possible) return damaged;
    parts.parts.push_back(part);
  }
  if (!stream.eof() || parts.parts.size() != n || n == 0) return damaged;
  return std::optional<CountedParts>(std::move(parts));
}

}  // namespace scalediag::counters
