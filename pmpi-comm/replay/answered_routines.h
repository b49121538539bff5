// All routines that a message log can name: those of core/mpi_routines.def, then those of answered_routines.def, then
// the few that have a wrapper of their own, and the functions of the system.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "core/mpi_routines.h"
#include "core/raw/raw_format.h"

namespace scalediag::pmpi {

using namespace mpi;

constexpr int kMostAnsweredArguments = 11;

// The words of answered_routines.def.
enum class Answer : uint8_t { kUnread, kComm, kNumber, kInt, kInts, kName, kGroup };

struct AnsweredRoutine {
  std::string_view name;
  bool refused = false;
  std::array<Answer, kMostAnsweredArguments> arguments{};
  int n = 0;

  constexpr AnsweredRoutine(std::string_view its_name, int its_arguments, std::string_view words, bool is_refused)
      : name(its_name), refused(is_refused), n(its_arguments) {
    constexpr std::string_view kWords[] = {"_", "comm", "n", "int", "ints", "name", "group"};
    int at = 0;
    while (!words.empty()) {
      const std::string_view word = words.substr(0, words.find(' '));
      words.remove_prefix(word.size() < words.size() ? word.size() + 1 : word.size());
      size_t which = 0;
      while (which < std::size(kWords) && kWords[which] != word) ++which;
      if (which == std::size(kWords)) throw "a row of answered_routines.def has a wrong word";
      arguments[static_cast<size_t>(at++)] = static_cast<Answer>(which);
    }
    if (at != n && !refused) throw "a row of answered_routines.def has too few words";
  }
};

enum AnsweredId : uint32_t {
#define SCALEDIAG_ANSWERED(Name, n, words) kAnswered##Name,
#define SCALEDIAG_REFUSED(Name, n) kAnswered##Name,
#include "pmpi-comm/replay/answered_routines.def"
  kAnsweredRoutines,
};

inline constexpr AnsweredRoutine kAnsweredTable[] = {
#define SCALEDIAG_ANSWERED(Name, n, words) AnsweredRoutine("MPI_" #Name, n, words, false),
#define SCALEDIAG_REFUSED(Name, n) AnsweredRoutine("MPI_" #Name, n, "", true),
#include "pmpi-comm/replay/answered_routines.def"
};

// The C library's functions that tell a program about time, machine and chance: in a log if it was asked for.
enum SystemFunction : uint32_t {
  kSystem_time,
  kSystem_gettimeofday,
  kSystem_clock_gettime,
  kSystem_clock,
  kSystem_times,
  kSystem_getrusage,
  kSystem_gethostname,
  kSystem_uname,
  kSystem_getpid,
  kSystem_getppid,
  kSystem_getrandom,
  kSystem_getentropy,
  kSystem_arc4random,
  kSystem_arc4random_buf,
  kSystemFunctions,
};
inline constexpr std::string_view kSystemNames[] = {
    "time",  "gettimeofday", "clock_gettime", "clock",     "times",      "getrusage",  "gethostname",
    "uname", "getpid",       "getppid",       "getrandom", "getentropy", "arc4random", "arc4random_buf"};
static_assert(std::size(kSystemNames) == kSystemFunctions);

// The numbers of routines in a log.
constexpr uint32_t kLoggedAnswered = kRoutines;
constexpr uint32_t kLoggedWtime = kLoggedAnswered + kAnsweredRoutines;
constexpr uint32_t kLoggedFinalize = kLoggedWtime + 1;
constexpr uint32_t kLoggedAbort = kLoggedWtime + 2;
constexpr uint32_t kLoggedSystem = kLoggedWtime + 3;
constexpr uint32_t kLoggedRoutines = kLoggedSystem + kSystemFunctions;

constexpr std::string_view logged_name(uint64_t routine) {
  if (routine < kRoutines) return kRoutineTable[routine].name;
  if (routine < kLoggedWtime) return kAnsweredTable[routine - kLoggedAnswered].name;
  if (routine == kLoggedWtime) return "MPI_Wtime";
  if (routine == kLoggedFinalize) return "MPI_Finalize";
  if (routine >= kLoggedSystem && routine < kLoggedRoutines) return kSystemNames[routine - kLoggedSystem];
  return routine == kLoggedAbort ? "MPI_Abort" : "a routine that is not known";
}

// Differs where a log numbers routines otherwise.
inline uint32_t checksum_of_routines() {
  uint32_t crc = 0;
  for (uint32_t i = 0; i < kLoggedRoutines; ++i) {
    const std::string_view name = logged_name(i);
    crc = raw::crc32(name.data(), name.size(), crc);
  }
  return crc;
}

}  // namespace scalediag::pmpi
