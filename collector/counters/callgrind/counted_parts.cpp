#include "collector/counters/callgrind/counted_parts.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/atomic_file.h"
#include "core/raw/counted_steps.h"
#include "core/text/formatted.h"

namespace scalediag::counters {
namespace {

constexpr char kWord[] = "scalediag-parts";
// The trigger at the program's end; see collector/inject/callgrind_counting.h.
constexpr char kEndTrigger[] = "scalediag";

struct ChosenRound {
  uint64_t number = 0;
  double times = 1;
};

// Precondition: there are 2 rounds or more.
std::vector<ChosenRound> choose_rounds(uint64_t rounds, int places) {
  const auto n = static_cast<uint64_t>(places);
  std::vector<ChosenRound> chosen = {{0, 1}};
  for (uint64_t place = 0; place < n; ++place) {
    const uint64_t begin = 1 + place * (rounds - 1) / n, end = 1 + (place + 1) * (rounds - 1) / n;
    const uint64_t taken = std::min<uint64_t>(2, end - begin);
    const uint64_t first = n == 1 ? begin : begin + (end - begin - taken) / 2;
    for (uint64_t i = 0; i < taken; ++i) {
      chosen.push_back({first + i, static_cast<double>(end - begin) / static_cast<double>(taken)});
    }
  }
  return chosen;
}

class Planner {
 public:
  // Ends the part that is being counted; `kind` as core/raw/counted_steps.h has them.
  void end_part(uint64_t events, const char* kind, CountedPart part) {
    part.trigger = counted_steps::part_name(static_cast<int>(plan_.parts.parts.size()));
    add_step(events, kind);
    plan_.parts.parts.push_back(std::move(part));
  }
  void go_on(uint64_t events) { add_step(events, std::string(1, counted_steps::kGoesOn).c_str()); }
  void end_with_program() { plan_.parts.parts.push_back({kEndTrigger, -1, 1, 0}); }
  PartsPlan& plan() { return plan_; }

 private:
  void add_step(uint64_t events, const char* kind) {
    plan_.steps += (plan_.steps.empty() ? "" : ",") + std::to_string(events) + kind;
  }

  PartsPlan plan_;
};

}  // namespace

PartsPlan plan_parts(const std::vector<CountedLoop>& loops, int places, std::optional<double> rounds_after) {
  Planner planner;
  const std::string stops(1, counted_steps::kStops), ends(1, counted_steps::kEnds);
  uint64_t at = 0;          // events up to which all is planned
  bool is_counting = true;  // from there on
  for (size_t l = 0; l < loops.size(); ++l) {
    const CountedLoop& loop = loops[l];
    const bool is_last = l + 1 == loops.size();
    if (!is_counting) planner.go_on(at);
    if (loop.before > at) planner.end_part(loop.before, "", {});
    const std::vector<ChosenRound> chosen = choose_rounds(loop.iterations, places);
    planner.plan().parts.counted += chosen.size();
    planner.plan().parts.rounds += loop.iterations;
    const double after = is_last ? rounds_after.value_or(0) / static_cast<double>(chosen.size() - 1) : 0;
    is_counting = true;
    for (size_t i = 0; i < chosen.size(); ++i) {
      const uint64_t begin = loop.before + chosen[i].number * loop.per_iteration, end = begin + loop.per_iteration;
      if (!is_counting) planner.go_on(begin);
      const bool is_last_chosen = i + 1 == chosen.size();
      const bool goes_on = is_last_chosen ? end == loop.end() : chosen[i + 1].number == chosen[i].number + 1;
      const double guessed = i > 0 ? after : 0;
      CountedPart part{"", static_cast<int>(l), chosen[i].times + guessed, guessed};
      const bool is_end = is_last && is_last_chosen && rounds_after;
      planner.end_part(end, is_end ? ends.c_str() : goes_on ? "" : stops.c_str(), std::move(part));
      is_counting = goes_on;
    }
    at = loop.end();
  }
  if (rounds_after) return std::move(planner.plan());
  if (!is_counting) planner.go_on(at);
  planner.end_with_program();
  return std::move(planner.plan());
}

CountOfParts count_of(const CountedParts& parts, const std::vector<double>& counts) {
  struct Loop {
    double smallest = 0, largest = 0;
    double uncounted = 0;  // rounds
    int standing = 0;      // rounds that stand for others
  };
  std::map<int, Loop> loops;
  CountOfParts sum;
  for (size_t i = 0; i < parts.parts.size(); ++i) {
    const CountedPart& part = parts.parts[i];
    sum.whole += part.times * counts[i];
    sum.spread += part.guessed * counts[i];
    if (part.loop < 0 || !(part.times > 1)) continue;
    Loop& loop = loops[part.loop];
    loop.smallest = loop.standing == 0 ? counts[i] : std::min(loop.smallest, counts[i]);
    loop.largest = loop.standing == 0 ? counts[i] : std::max(loop.largest, counts[i]);
    loop.uncounted += part.times - 1;
    ++loop.standing;
  }
  for (const auto& [number, loop] : loops) {
    sum.spread += loop.uncounted * (loop.largest - loop.smallest) / loop.standing;
  }
  return sum;
}

std::string parts_file(int rank) { return core::formatted("rank%06d.parts", rank); }

std::string text_of(const CountedParts& parts) {
  std::string text =
      core::formatted("%s 1 %zu %llu %llu\n", kWord, parts.parts.size(), static_cast<unsigned long long>(parts.counted),
                      static_cast<unsigned long long>(parts.rounds));
  for (const CountedPart& part : parts.parts) {
    text += core::formatted("%s %d %.17g %.17g\n", part.trigger.c_str(), part.loop, part.times, part.guessed);
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
  stream >> word >> version >> n >> parts.counted >> parts.rounds;
  if (!stream || word != kWord || version != 1) return damaged;
  CountedPart part;
  while (stream >> part.trigger >> part.loop >> part.times >> part.guessed) {
    if (!std::isfinite(part.times) || part.times < 1 || !(part.guessed >= 0 && part.guessed <= part.times)) {
      return damaged;
    }
    parts.parts.push_back(part);
  }
  if (!stream.eof() || parts.parts.size() != n || n == 0) return damaged;
  return std::optional<CountedParts>(std::move(parts));
}

}  // namespace scalediag::counters
