// The request to end a run after some rounds of its main loop: `scalediag profile` passes it through scalediag-rank to
// the library inside the application. Header only, C++17.
//
// As text: "MEASURED ROUNDS VISITS DEPTH ADDRESS OPERATION MODULE", numbers but for the last two.
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

namespace scalediag::raw {

// Why a rank ends the run, in its words; the run is then made to its end.
constexpr char kRanksApart[] = "ranks do not come to the same round of the main loop";
constexpr char kCannotMeet[] = "MPI_Ibarrier failed where ranks were to meet";

struct RoundsRequest {
  uint64_t measured = 0;   // rounds that are run after the first, in which caches and pages are cold
  uint64_t rounds = 0;     // of the whole run
  bool is_visited = true;  // rounds are visits of the site, not its calls (RepeatedCall)
  uint64_t depth = 0;      // of the site, as RepeatedCall has it; 0: any
  uint64_t address = 0;    // to which the site's call returns, in the module's file
  std::string operation;   // "MPI_Allreduce"
  std::string module;      // the path of the site's module

  // The round from whose beginning on rounds are measured.
  static constexpr uint64_t kFirst = 2;
  // The round with whose beginning the run ends.
  uint64_t last() const { return measured + kFirst; }
  // Rounds of the whole run from kFirst on.
  uint64_t to_follow() const { return rounds - kFirst + 1; }
};

inline std::string text_of(const RoundsRequest& r) {
  std::string text;
  for (const uint64_t number : {r.measured, r.rounds, uint64_t{r.is_visited}, r.depth, r.address}) {
    text += std::to_string(number) + " ";
  }
  return text + r.operation + " " + r.module;
}

// False: the text is none.
inline bool parse_rounds_request(const std::string& text, RoundsRequest& r) {
  unsigned visits = 0;
  char operation[64] = "";
  int at = 0;
  const int n = std::sscanf(text.c_str(), "%" SCNu64 " %" SCNu64 " %u %" SCNu64 " %" SCNu64 " %63s %n", &r.measured,
                            &r.rounds, &visits, &r.depth, &r.address, operation, &at);
  if (n != 6 || at == 0 || r.measured == 0 || r.rounds <= r.measured) return false;
  r.is_visited = visits != 0;
  r.operation = operation;
  r.module = text.substr(static_cast<size_t>(at));
  return true;
}

}  // namespace scalediag::raw
