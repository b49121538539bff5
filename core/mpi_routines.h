// The MPI routines: core/mpi_routines.def as a table, and what follows from a routine's row. Header only, C++17, no
// dependency but the standard library: the library inside the application uses it as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace scalediag::mpi {

// The rule for the bytes, peers and communicator size of a call by its arguments (pmpi-comm/traffic.cpp); the byte
// column is documented in pmpi-comm/README.md.
enum class Rule : uint8_t {
  kNoBytes,
  kSend,
  kReceive,
  kMatchedReceive,
  kPersistentSend,
  kPersistentReceive,
  kStart,
  kStartAll,
  kBcast,
  kReduce,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kContribution,
  kFileData,
  kReduceScatter,
  kReduceScatterBlock,
  kNeighborUniform,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
  kPut,
  kGet,
  kGetAccumulate,
  kOneElement,
  kMakesComm,
  kMakesCommLater,  // the communicator exists only when the request has completed
  kSpawns,          // makes an intercommunicator with processes that it starts
  kMakesWindow,
  // The other rules need a look before the call, because the handle is invalid afterwards.
  kFreesComm,
  kFreesWindow,
  kFreesRequest,
  kFreesType,
};

constexpr bool looks_before_call(Rule rule) { return rule == Rule::kMatchedReceive || rule >= Rule::kFreesComm; }

enum class Progress : uint8_t {
  kWaits,   // may have to wait for another rank
  kAgrees,  // the same for all ranks of the communicator: costs what a collective without data costs
  kLocal,   // never waits: a local procedure of the MPI standard, or an operation of a single rank on a file
  kPolled,  // never waits and is called again and again: pmpi-comm/call_table.h says how it is timed
};

// A collective whose algorithms are known. The numbers stand in trace files. Its bytes are those of the whole buffer
// for Bcast, Reduce, Allreduce, Reduce_scatter, Scan and Exscan; of one rank's block for Allgather, Alltoall, Gather
// and Scatter; none for Barrier.
enum class Collective : uint8_t {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kAllgather,
  kAlltoall,
  kReduceScatter,
  kGather,
  kScatter,
  kScan,
  kExscan,
};
constexpr const char* kCollectiveNames[] = {"Barrier",        "Bcast",  "Reduce",  "Allreduce", "Allgather", "Alltoall",
                                            "Reduce_scatter", "Gather", "Scatter", "Scan",      "Exscan"};
constexpr size_t kCollectives = sizeof kCollectiveNames / sizeof kCollectiveNames[0];

constexpr const char* name_of(Collective collective) { return kCollectiveNames[static_cast<size_t>(collective)]; }
constexpr bool has_root(Collective collective) {
  return collective == Collective::kBcast || collective == Collective::kReduce || collective == Collective::kGather ||
         collective == Collective::kScatter;
}

// Routines that cost the same and are the same kind of event in a trace.
enum class Group : uint8_t {
  kCollective,  // Routine::collective says which
  kNeighborhood,
  kSend,
  kReceive,
  kSendReceive,
  kPersistent,  // makes and starts persistent requests
  kCompletion,  // finds requests complete
  kProbe,
  kRequest,  // asks about a request, or ends it
  kOneSided,
  kCommunicator,       // makes or frees one
  kIntercommunicator,  // the same with processes outside of the communicator, which may be started
  kFile,
  kLocal,
};

// The roles of arguments of routines.
//   comm, win, op           as in MPI
//   count, type             of a message; of collectives those of the sending side; `count` also of requests
//   recv_count, recv_type   of the receiving side
//   send, recv              what is sent where it may be MPI_IN_PLACE; the buffer that receives
//   offsets                 where each block of the receiving side stands
//   peer, tag               of a message, or of what is sent where both are
//   source, source_tag      of what is received where both are
//   root                    of a collective
//   handle                  a communicator, window or type that is made or freed, by address in C
//   message                 of a matched probe, by address in C
//   request                 the one that the call begins
//   requests                those that the call is about, or the one, by address in C
//   group, lock             of ranks; the kind of a lock
//   flag                    whether anything was found
//   index                   the one of the requests that is complete
//   done, indices           the number of those that are complete, and which they are
//   status                  of a message, or of each request
// clang-format off
#define SCALEDIAG_ROLES(V) \
  V(comm) V(win) V(op) V(count) V(type) V(recv_count) V(recv_type) V(send) V(recv) V(offsets) V(peer) V(tag) \
  V(source) V(source_tag) V(root) V(handle) V(message) V(request) V(requests) V(flag) V(index) V(done) \
  V(indices) V(status) V(group) V(lock)
// clang-format on

// The positions of a routine's arguments, -1 for those that it does not have. An array counts as one.
struct Roles {
#define SCALEDIAG_POSITION(role) int8_t role##_at = -1;
  SCALEDIAG_ROLES(SCALEDIAG_POSITION)
#undef SCALEDIAG_POSITION
  int8_t words = 0;  // the number of arguments
};

struct Role {
  std::string_view word;
  int8_t Roles::*at;
};
inline constexpr Role kRoles[] = {
#define SCALEDIAG_WORD(role) {#role, &Roles::role##_at},
    SCALEDIAG_ROLES(SCALEDIAG_WORD)
#undef SCALEDIAG_WORD
};

// The roles of "_ count type peer tag comm". A word that there is not, or that stands twice, does not compile.
constexpr Roles roles_of(std::string_view arguments) {
  Roles roles;
  while (!arguments.empty()) {
    const std::string_view word = arguments.substr(0, arguments.find(' '));
    arguments.remove_prefix(word.size() < arguments.size() ? word.size() + 1 : word.size());
    if (word != "_") {
      // By number: the checks of the undefined-behaviour sanitizer make addresses of elements no constants.
      size_t role = 0;
      while (role < std::size(kRoles) && kRoles[role].word != word) ++role;
      if (role == std::size(kRoles) || roles.*kRoles[role].at >= 0) throw "a row of mpi_routines.def has a wrong word";
      roles.*kRoles[role].at = roles.words;
    }
    ++roles.words;
  }
  return roles;
}

struct Routine {
  std::string_view name;  // "MPI_Send", ends with a zero
  uint8_t arguments;      // of the C form; Fortran adds the error code
  Roles roles;
  Rule rule;
  Progress progress;
  Group group;
  Collective collective;  // where the group is kCollective

  constexpr Routine(std::string_view its_name, int n, std::string_view words, Rule its_rule, Progress its_progress,
                    Group its_group, Collective its_collective = {})
      : name(its_name),
        arguments(static_cast<uint8_t>(n)),
        roles(roles_of(words)),
        rule(its_rule),
        progress(its_progress),
        group(its_group),
        collective(its_collective) {}
  constexpr Routine(std::string_view its_name, int n, std::string_view words, Rule its_rule, Progress its_progress,
                    Collective its_collective)
      : Routine(its_name, n, words, its_rule, its_progress, Group::kCollective, its_collective) {}

  constexpr bool is(Collective which) const { return group == Group::kCollective && collective == which; }
  // Whether it returns before what it begins is complete.
  constexpr bool is_nonblocking() const { return roles.request_at >= 0; }
  constexpr bool can_wait() const { return progress == Progress::kWaits || progress == Progress::kAgrees; }
  // Whether all ranks of a communicator take part.
  constexpr bool is_collective() const {
    return group == Group::kCollective || group == Group::kNeighborhood || progress == Progress::kAgrees;
  }
};

// The id of a routine is its position here.
enum RoutineId : uint32_t {
#define SCALEDIAG_ROUTINE(Name, lower, n, form, arguments, rule, progress, kind) k##Name,
#include "core/mpi_routines.def"
  kRoutines,
  kCountedRoutines = kType_free,  // the first that is not
};

inline constexpr Routine kRoutineTable[] = {
#define SCALEDIAG_ROUTINE(Name, lower, n, form, arguments, rule, progress, kind) \
  Routine("MPI_" #Name, n, arguments, Rule::rule, Progress::progress, kind),
#include "core/mpi_routines.def"
};

// Whether every row has as many words as arguments.
constexpr bool arguments_are_complete() {
  for (const Routine& routine : kRoutineTable) {
    if (routine.roles.words != routine.arguments) return false;
  }
  return true;
}
static_assert(arguments_are_complete());

// The routine of that C name, "MPI_Send"; also as called from one place, "MPI_Send in
// exchange, halo.c:12" (core/profile/call_sites.h). nullptr where it is not in the table, as "[MPI other]".
constexpr const Routine* find_routine(std::string_view name) {
  name = name.substr(0, name.find(' '));
  for (const Routine& routine : kRoutineTable) {
    if (routine.name == name) return &routine;
  }
  return nullptr;
}

// Whether a call of the operation may have to wait for another rank; false for an operation that is not known.
constexpr bool can_wait(std::string_view operation) {
  const Routine* routine = find_routine(operation);
  return routine != nullptr && routine->can_wait();
}

// Whether all ranks of a communicator take part.
constexpr bool is_collective(std::string_view operation) {
  const Routine* routine = find_routine(operation);
  return routine != nullptr && routine->is_collective();
}

// Whether the operation is the collective, blocking or not, with blocks of one size or of several. In an Alltoall each
// rank sends different data to each other one: a call is then as many messages as there are other ranks. In an
// Allgather each rank receives the data of all others.
constexpr bool is(std::string_view operation, Collective collective) {
  const Routine* routine = find_routine(operation);
  return routine != nullptr && routine->is(collective);
}

constexpr bool is(std::string_view operation, Group group) {
  const Routine* routine = find_routine(operation);
  return routine != nullptr && routine->group == group;
}

}  // namespace scalediag::mpi
