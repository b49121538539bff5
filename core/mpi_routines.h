// The MPI routines: core/mpi_routines.def as a table, and what follows from a routine's row. Header only, C++17, no
// dependency but the standard library: the library inside the application uses it as well.
#pragma once

#include <cstddef>
#include <cstdint>
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

// The positions of a routine's arguments, -1 for those that it does not have. An array counts as one.
struct Roles {
  int8_t comm_at = -1, win_at = -1;
  int8_t count_at = -1, type_at = -1;            // of collectives those of the sending side; `count` also of requests
  int8_t recv_count_at = -1, recv_type_at = -1;  // of the receiving side
  int8_t send_at = -1, recv_at = -1;             // buffers that may be MPI_IN_PLACE
  int8_t peer_at = -1, tag_at = -1;              // of a message, or of what is sent where both are
  int8_t source_at = -1, source_tag_at = -1;     // of what is received where both are
  int8_t root_at = -1, op_at = -1;
  int8_t handle_at = -1;                 // a communicator, window or type that is made or freed, by address in C
  int8_t message_at = -1;                // of a matched probe, by address in C
  int8_t request_at = -1;                // the request that the call begins
  int8_t requests_at = -1;               // the request, by address in C, or the requests that the call is about
  int8_t flag_at = -1;                   // whether anything was found
  int8_t index_at = -1;                  // the one of the requests that is complete
  int8_t done_at = -1, indices_at = -1;  // the number of those that are complete, and which they are
  int8_t status_at = -1;
  int8_t words = 0;  // the number of arguments
};

struct Role {
  std::string_view word;
  int8_t Roles::*at;
};
inline constexpr Role kRoles[] = {{"comm", &Roles::comm_at},
                                  {"win", &Roles::win_at},
                                  {"count", &Roles::count_at},
                                  {"type", &Roles::type_at},
                                  {"recv_count", &Roles::recv_count_at},
                                  {"recv_type", &Roles::recv_type_at},
                                  {"send", &Roles::send_at},
                                  {"recv", &Roles::recv_at},
                                  {"peer", &Roles::peer_at},
                                  {"tag", &Roles::tag_at},
                                  {"source", &Roles::source_at},
                                  {"source_tag", &Roles::source_tag_at},
                                  {"root", &Roles::root_at},
                                  {"op", &Roles::op_at},
                                  {"handle", &Roles::handle_at},
                                  {"message", &Roles::message_at},
                                  {"request", &Roles::request_at},
                                  {"requests", &Roles::requests_at},
                                  {"flag", &Roles::flag_at},
                                  {"index", &Roles::index_at},
                                  {"done", &Roles::done_at},
                                  {"indices", &Roles::indices_at},
                                  {"status", &Roles::status_at}};

// The roles of "_ count type peer tag comm". A word that there is not, or that stands twice, does not compile.
constexpr Roles roles_of(std::string_view arguments) {
  Roles roles;
  while (!arguments.empty()) {
    const std::string_view word = arguments.substr(0, arguments.find(' '));
    arguments.remove_prefix(word.size() < arguments.size() ? word.size() + 1 : word.size());
    const Role* found = nullptr;
    for (const Role& role : kRoles) {
      if (role.word == word) found = &role;
    }
    if (word != "_") {
      if (found == nullptr || roles.*found->at >= 0) throw "a row of mpi_routines.def has a wrong word";
      roles.*found->at = roles.words;
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

// The routine of that C name, "MPI_Send"; nullptr where it is not in the table, as "[MPI other]".
constexpr const Routine* find_routine(std::string_view name) {
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
