#include "loggp/synth/program_parts.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/text/join.h"

namespace scalediag::loggp {
namespace {

constexpr size_t kMostRoutines = 4;
constexpr uint64_t kFewRounds = 3;  // to execute one round after another takes most of these

// Reads the parts off slots, rank by rank. Events are counted in a single round of the loops around.
class PartsReader {
 public:
  explicit PartsReader(int ranks) : ranks_(ranks) {}

  std::vector<ProgramPart> parts(const std::vector<Slot>& slots, uint64_t around) const {
    std::vector<ProgramPart> parts;
    for (const Slot& slot : slots) {
      ProgramPart part;
      part.events = events(slot, around);
      if (slot.is_loop) {
        part.rounds = rounds(slot, part.events);
        std::vector<ProgramPart> body = this->parts(slot.body, around * part.rounds);
        for (const ProgramPart& inner : body) add_routines(inner, part);
        if (part.rounds > 1) part.body = std::move(body);
      } else {
        part.routines = {slot.routine};
      }
      const bool has_loops =
          std::any_of(part.body.begin(), part.body.end(), [](const auto& p) { return p.rounds > 1; });
      if (!has_loops) part.body.clear();
      if (part.rounds > kFewRounds || has_loops) {
        for (uint64_t& n : part.events) n /= part.rounds;
        parts.push_back(std::move(part));
        continue;
      }
      part.rounds = 1;
      if (parts.empty() || parts.back().rounds > 1) {
        parts.push_back(std::move(part));
        continue;
      }
      ProgramPart& before = parts.back();
      for (size_t r = 0; r < part.events.size(); ++r) before.events[r] += part.events[r];
      add_routines(part, before);
    }
    return parts;
  }

 private:
  static void add_routines(const ProgramPart& from, ProgramPart& to) {
    for (const std::string& routine : from.routines) {
      const bool is_known = std::find(to.routines.begin(), to.routines.end(), routine) != to.routines.end();
      if (!is_known) to.routines.push_back(routine);
    }
  }

  // By rank, in one round of the loops around, which go round `around` times in all.
  std::vector<uint64_t> events(const Slot& slot, uint64_t around) const {
    std::vector<double> times(static_cast<size_t>(ranks_));
    add_times(slot, times);
    std::vector<uint64_t> events;
    for (const double n : times) events.push_back(static_cast<uint64_t>(std::llround(n)) / around);
    return events;
  }
  void add_times(const Slot& slot, std::vector<double>& times) const {
    for (const Slot& inner : slot.body) add_times(inner, times);
    if (slot.is_loop) return;
    for (const auto& [where, values] : slot.seen) times[static_cast<size_t>(where.second)] += values.times;
  }

  // The number of rounds that all ranks with events in it have; 1: they differ, or their events are no such rounds.
  uint64_t rounds(const Slot& loop, const std::vector<uint64_t>& events) const {
    uint64_t rounds = 0;
    for (int r = 0; r < ranks_; ++r) {
      const uint64_t n = events[static_cast<size_t>(r)];
      if (n == 0) continue;
      const auto found = loop.rounds.find({ranks_, r});
      const auto own = found == loop.rounds.end() ? uint64_t{1} : static_cast<uint64_t>(std::llround(found->second));
      if (own < 2 || n % own != 0 || (rounds != 0 && own != rounds)) return 1;
      rounds = own;
    }
    return std::max<uint64_t>(rounds, 1);
  }

  int ranks_;
};

// Whether the slots of each rank come in the order of its events, so that the counts of parts say where they begin.
// `next`: by rank, the number of the next event in the first round of the loops around; moved behind the slots.
bool is_in_order(const std::vector<Slot>& slots, int ranks, std::vector<uint64_t>& next) {
  for (const Slot& slot : slots) {
    if (!slot.is_loop) {
      for (const auto& [where, values] : slot.seen) {
        uint64_t& number = next[static_cast<size_t>(where.second)];
        if (values.times < 1) continue;
        if (values.event != number) return false;
        ++number;
      }
      continue;
    }
    const std::vector<uint64_t> before = next;
    if (!is_in_order(slot.body, ranks, next)) return false;
    for (int r = 0; r < ranks; ++r) {
      const auto i = static_cast<size_t>(r);
      const auto found = slot.rounds.find({ranks, r});
      const double rounds = found == slot.rounds.end() ? 1 : found->second;
      next[i] = before[i] + static_cast<uint64_t>(std::llround(rounds)) * (next[i] - before[i]);
    }
  }
  return true;
}

uint64_t events_in(const std::vector<ProgramPart>& parts, size_t rank) {
  uint64_t n = 0;
  for (const ProgramPart& part : parts) n += part.rounds * part.events[rank];
  return n;
}

ProgramPart whole_program(const std::vector<RankTrace>& run) {
  ProgramPart part;
  for (const RankTrace& trace : run) part.events.push_back(trace.n_events);
  part.routines = {"the whole program"};
  return part;
}

}  // namespace

std::string ProgramPart::routines_text() const {
  if (routines.size() <= kMostRoutines) return core::join(routines);
  return core::join(std::span(routines).first(kMostRoutines)) + ", ...";
}

core::Result<std::vector<ProgramPart>> parts_of(const std::vector<RankTrace>& run) {
  const auto model = structure_of(run);
  if (!model) return model.error();
  const auto ranks = static_cast<int>(run.size());
  std::vector<uint64_t> next(run.size());
  if (!is_in_order(model.value().slots, ranks, next)) return std::vector<ProgramPart>{whole_program(run)};
  std::vector<ProgramPart> parts = PartsReader(ranks).parts(model.value().slots, 1);
  for (size_t r = 0; r < run.size(); ++r) {
    if (next[r] != run[r].n_events || events_in(parts, r) != run[r].n_events) {
      return std::vector<ProgramPart>{whole_program(run)};
    }
  }
  return parts;
}

}  // namespace scalediag::loggp
