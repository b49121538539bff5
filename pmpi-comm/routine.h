// The properties of the routines: routines.def as a table.
#pragma once

#include <cstdint>

namespace scalediag::pmpi {

// The rule for the bytes, peers and communicator size of a call by its arguments (traffic.cpp); the byte column is
// documented in README.md.
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

// Positions of arguments, -1 where the routine has none. For collectives count and type are those of the
// sending side.
class Roles {
 public:
  constexpr Roles() = default;
#define SCALEDIAG_ROLE(name)               \
  constexpr Roles name(int at) const {     \
    Roles r = *this;                       \
    r.name##_at = static_cast<int8_t>(at); \
    return r;                              \
  }                                        \
  int8_t name##_at = -1;
  SCALEDIAG_ROLE(comm)
  SCALEDIAG_ROLE(win)
  SCALEDIAG_ROLE(send)
  SCALEDIAG_ROLE(count)
  SCALEDIAG_ROLE(type)
  SCALEDIAG_ROLE(recv)
  SCALEDIAG_ROLE(recv_count)
  SCALEDIAG_ROLE(recv_type)
  SCALEDIAG_ROLE(peer)
  SCALEDIAG_ROLE(root)
  SCALEDIAG_ROLE(op)
  SCALEDIAG_ROLE(handle)
#undef SCALEDIAG_ROLE
};

enum class Pace : uint8_t { kTimed, kPolled };

struct Routine {
  const char* name;        // "MPI_Send"
  const char* lower_name;  // "mpi_send", the stem of the Fortran symbols
  uint8_t arguments;       // of the C form; Fortran adds the error code
  Rule rule;
  Roles roles;
  Pace pace;
  bool fortran;  // false: only C is intercepted
};

// The id of a routine is its position here. The operation_count() counted routines come first.
enum RoutineId : uint32_t {
#define SCALEDIAG_ROUTINE(Name, lower, n, rule, roles, pace) k##Name,
#define SCALEDIAG_C_ROUTINE(Name, lower, n, rule, roles, pace) k##Name,
#define SCALEDIAG_UNCOUNTED(Name, lower, n, rule, roles)
#include "pmpi-comm/routines.def"
#undef SCALEDIAG_ROUTINE
#undef SCALEDIAG_C_ROUTINE
#undef SCALEDIAG_UNCOUNTED
  kCountedRoutines,
  kBeforeUncounted = kCountedRoutines - 1,
#define SCALEDIAG_ROUTINE(Name, lower, n, rule, roles, pace)
#define SCALEDIAG_C_ROUTINE(Name, lower, n, rule, roles, pace)
#define SCALEDIAG_UNCOUNTED(Name, lower, n, rule, roles) k##Name,
#include "pmpi-comm/routines.def"
#undef SCALEDIAG_ROUTINE
#undef SCALEDIAG_C_ROUTINE
#undef SCALEDIAG_UNCOUNTED
  kRoutines,
};

constexpr Routine make_routine(const char* name, const char* lower, int n, Rule rule, Roles roles, Pace pace,
                               bool fortran) {
  return Routine{name, lower, static_cast<uint8_t>(n), rule, roles, pace, fortran};
}

inline constexpr Routine kRoutineTable[] = {
#define SCALEDIAG_ROUTINE(Name, lower, n, rule, roles, pace) \
  make_routine("MPI_" #Name, "mpi_" #lower, n, Rule::rule, roles, Pace::pace, true),
#define SCALEDIAG_C_ROUTINE(Name, lower, n, rule, roles, pace) \
  make_routine("MPI_" #Name, "mpi_" #lower, n, Rule::rule, roles, Pace::pace, false),
#define SCALEDIAG_UNCOUNTED(Name, lower, n, rule, roles)
#include "pmpi-comm/routines.def"
#undef SCALEDIAG_ROUTINE
#undef SCALEDIAG_C_ROUTINE
#undef SCALEDIAG_UNCOUNTED
#define SCALEDIAG_ROUTINE(Name, lower, n, rule, roles, pace)
#define SCALEDIAG_C_ROUTINE(Name, lower, n, rule, roles, pace)
#define SCALEDIAG_UNCOUNTED(Name, lower, n, rule, roles) \
  make_routine("MPI_" #Name, "mpi_" #lower, n, Rule::rule, roles, Pace::kTimed, true),
#include "pmpi-comm/routines.def"
#undef SCALEDIAG_ROUTINE
#undef SCALEDIAG_C_ROUTINE
#undef SCALEDIAG_UNCOUNTED
};
static_assert(sizeof(kRoutineTable) / sizeof(kRoutineTable[0]) == kRoutines);

}  // namespace scalediag::pmpi
