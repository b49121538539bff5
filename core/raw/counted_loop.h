// The plan of a rank that counts only the first rounds of its main loop under callgrind: a text file beside its counts.
// The session writes it, the library inside the application follows it, and the reader of the counts extends them by
// it. Header only, C++17.
//
//   rounds N
//   counted K
//   by visits | calls
//   head SHARE
//   tail SHARE
//   behind SHARE
//   site OPERATION ADDRESS DEPTH CALLS        one line a site; a round begins at the first one's calls or visits
//
// The rank writes its counts at the beginning of each of its first K + 1 rounds, under the trigger of round_trigger(),
// and from the second one on also at what is expected to be the round's last call, under that of pause_trigger().
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace scalediag::raw {

// A call site of RepeatedCall, with the address as its place in its module's file.
struct LoopSite {
  uint32_t operation = 0;
  uint64_t address = 0;
  uint64_t depth = 0;
  uint64_t calls = 0;  // in a whole run
  // Frames that are aligned begin at places that differ by some bytes from run to run.
  static constexpr uint64_t kNear = 96;
  uint64_t distance(uint64_t other_depth) const {
    return depth > other_depth ? depth - other_depth : other_depth - depth;
  }
  bool is_at(uint32_t other_operation, uint64_t other_address, uint64_t other_depth) const {
    return operation == other_operation && address == other_address && distance(other_depth) <= kNear;
  }
};

struct CountedLoop {
  uint64_t rounds = 0;   // begun in a whole run
  uint64_t counted = 0;  // to be counted from their beginning to the next one's
  bool by_visits = false;
  // The most that the computation of a round can be before the call at which it is said to begin, since nothing is
  // known of the time before the call before the first such call; and after the last one. In parts of a round.
  double head = 0, tail = 1;
  double behind = 0;  // the part of the run's computation that comes after the loop, which is not counted
  std::vector<LoopSite> sites = {};
};

// The sites' calls since the round before, in the order of the plan: "scalediag round 3 of 1,0,2". `round` counts from
// 1; the counts of round 1 are those before the loop. With `stretch`, "scalediag round 3 of 1,0,2 stretch", there was
// no call of MPI since the counts before.
constexpr const char* kRoundTrigger = "scalediag round ";

inline std::string round_trigger(uint64_t round, const std::vector<uint64_t>& calls, bool stretch = false) {
  std::string text = kRoundTrigger + std::to_string(round) + " of ";
  for (size_t i = 0; i < calls.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(calls[i]);
  return stretch ? text + " stretch" : text;
}

// Of counts that belong to those under the next round_trigger().
constexpr const char* kPauseTrigger = "scalediag pause ";
inline std::string pause_trigger(uint64_t next_round) { return kPauseTrigger + std::to_string(next_round); }

struct RoundCalls {
  uint64_t round = 0;
  std::vector<uint64_t> calls = {};
  bool stretch = false;
};

// Nothing: the text is no such trigger.
inline std::optional<RoundCalls> round_of_trigger(const std::string& text) {
  const std::string prefix = kRoundTrigger;
  if (text.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
  char* end = nullptr;
  RoundCalls round;
  round.round = std::strtoull(text.c_str() + prefix.size(), &end, 10);
  if (std::string(end).compare(0, 4, " of ") != 0) return std::nullopt;
  for (const char* at = end + 4; *at != '\0'; at = *end == ',' ? end + 1 : end) {
    round.calls.push_back(std::strtoull(at, &end, 10));
    if (end == at) return std::nullopt;
    round.stretch = std::string(end) == " stretch";
    if (round.stretch) break;
  }
  return round;
}

inline std::string text_of(const CountedLoop& loop) {
  char line[160];
  std::snprintf(line, sizeof line, "rounds %llu\ncounted %llu\nby %s\nhead %.9g\ntail %.9g\nbehind %.9g\n",
                static_cast<unsigned long long>(loop.rounds), static_cast<unsigned long long>(loop.counted),
                loop.by_visits ? "visits" : "calls", loop.head, loop.tail, loop.behind);
  std::string text = line;
  for (const LoopSite& s : loop.sites) {
    std::snprintf(line, sizeof line, "site %u %llu %llu %llu\n", s.operation,
                  static_cast<unsigned long long>(s.address), static_cast<unsigned long long>(s.depth),
                  static_cast<unsigned long long>(s.calls));
    text += line;
  }
  return text;
}

// Nothing: the text is no plan.
inline std::optional<CountedLoop> counted_loop_of(const std::string& text) {
  CountedLoop loop;
  unsigned long long rounds = 0, counted = 0;
  char by[8] = "";
  int n = 0;
  if (std::sscanf(text.c_str(), "rounds %llu counted %llu by %7s head %lf tail %lf behind %lf%n", &rounds, &counted, by,
                  &loop.head, &loop.tail, &loop.behind, &n) != 6) {
    return std::nullopt;
  }
  loop.rounds = rounds;
  loop.counted = counted;
  loop.by_visits = by[0] == 'v';
  const char* at = text.c_str() + n;
  unsigned operation = 0;
  unsigned long long address = 0, depth = 0, calls = 0;
  while (std::sscanf(at, " site %u %llu %llu %llu%n", &operation, &address, &depth, &calls, &n) == 4) {
    loop.sites.push_back({operation, address, depth, calls});
    at += n;
  }
  if (loop.sites.empty() || counted == 0 || rounds <= counted) return std::nullopt;
  return loop;
}

// "/rank000003.loop" and "/rank000003.counted": the plan, and the mark that a rank has counted what it asks for.
inline std::string loop_file(int rank, const char* suffix) {
  char name[48];
  std::snprintf(name, sizeof name, "/rank%06d.%s", rank, suffix);
  return name;
}
inline std::string plan_file(int rank) { return loop_file(rank, "loop"); }
inline std::string counted_file(int rank) { return loop_file(rank, "counted"); }

}  // namespace scalediag::raw
