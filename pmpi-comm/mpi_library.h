// The MPI library that the application was linked with, found at run time: the few functions that the wrappers need,
// and its constants. There is no mpi.h here: a handle is a uintptr_t, which can hold both Open MPI's pointers and
// MPICH's ints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace scalediag::pmpi {

// Tests fill this with functions of their own. All are PMPI_ functions and return 0 on success.
struct MpiFunctions {
  int (*type_size_x)(uintptr_t type, int64_t* bytes) = nullptr;
  int (*comm_size)(uintptr_t comm, int* size) = nullptr;
  int (*comm_rank)(uintptr_t comm, int* rank) = nullptr;
  int (*comm_test_inter)(uintptr_t comm, int* flag) = nullptr;
  int (*comm_remote_size)(uintptr_t comm, int* size) = nullptr;
  int (*comm_group)(uintptr_t comm, uintptr_t* group) = nullptr;
  int (*comm_remote_group)(uintptr_t comm, uintptr_t* group) = nullptr;
  int (*group_size)(uintptr_t group, int* size) = nullptr;
  int (*group_translate_ranks)(uintptr_t from, int n, const int* ranks, uintptr_t to, int* translated) = nullptr;
  int (*group_free)(uintptr_t* group) = nullptr;
  int (*win_get_group)(uintptr_t win, uintptr_t* group) = nullptr;
  int (*topo_test)(uintptr_t comm, int* kind) = nullptr;
  int (*cartdim_get)(uintptr_t comm, int* dimensions) = nullptr;
  int (*cart_shift)(uintptr_t comm, int dimension, int by, int* source, int* dest) = nullptr;
  int (*graph_neighbors_count)(uintptr_t comm, int rank, int* count) = nullptr;
  int (*graph_neighbors)(uintptr_t comm, int rank, int most, int* neighbors) = nullptr;
  int (*dist_graph_neighbors_count)(uintptr_t comm, int* in, int* out, int* weighted) = nullptr;
  int (*dist_graph_neighbors)(uintptr_t comm, int most_in, int* sources, int* source_weights, int most_out,
                              int* destinations, int* destination_weights) = nullptr;
  int (*get_library_version)(char* version, int* length) = nullptr;
  int (*test_cancelled)(const int* status, int* flag) = nullptr;
  // From Fortran handles to C handles; nullptr where both are the same int.
  uintptr_t (*comm_f2c)(int comm) = nullptr;
  uintptr_t (*type_f2c)(int type) = nullptr;
  uintptr_t (*request_f2c)(int request) = nullptr;
  uintptr_t (*message_f2c)(int message) = nullptr;
  uintptr_t (*win_f2c)(int win) = nullptr;
  uintptr_t (*op_f2c)(int op) = nullptr;
  uintptr_t (*group_f2c)(int group) = nullptr;
};

// The kind of a library's handles, constants and statuses.
enum class MpiFamily : uint8_t {
  kNone,         // no MPI library is loaded
  kUnknown,      // one is loaded whose handles and constants are not known: nothing is asked of it
  kOpenMpi,      // also Spectrum MPI and others made from it
  kMpich,        // and the libraries with its binary interface: Intel MPI, MVAPICH, Cray, ParaStation
  kStandardAbi,  // libmpi_abi, the binary interface of the MPI 5 standard, of whatever implementation
};

struct MpiConstants {
  MpiFamily family = MpiFamily::kNone;
  size_t handle_bytes = 0;  // of a C handle: 4 with MPICH, else 8
  uintptr_t comm_world = 0, comm_self = 0, byte = 0, comm_null = 0, type_null = 0, win_null = 0, request_null = 0;
  uintptr_t message_no_proc = 0, no_op = 0;
  int proc_null = 0, root = 0, any_source = 0, any_tag = 0;
  int cart = 0, graph = 0, dist_graph = 0;  // the answers of MPI_Topo_test
  int lock_shared = 0;                      // MPI_LOCK_SHARED
  uintptr_t in_place_c = 0;
  // Addresses that mean MPI_IN_PLACE in Fortran; 0 where unused. The indirect one holds the address.
  uintptr_t in_place_fortran[5] = {};
  const uintptr_t* in_place_fortran_indirect = nullptr;
  // A status as ints, which is the same in C and Fortran. Where a status says that its message was cancelled is not
  // known of the standard's: status_cancelled_at is -1, and MPI is asked.
  int status_ints = 0, status_source_at = 0, status_tag_at = 0, status_cancelled_at = 0;
  unsigned status_cancelled_mask = 0;
  // MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE: their value in C; in Fortran the addresses of either, 0 where unused,
  // and the variables that hold such addresses.
  uintptr_t status_ignore_c = 0;
  uintptr_t status_ignore_fortran[6] = {};
  const uintptr_t* status_ignore_fortran_indirect[4] = {};
};

struct MpiLibrary {
  MpiFunctions functions;
  MpiConstants constants;
  std::string path;     // of the library that defines MPI's functions
  std::string version;  // what MPI_Get_library_version says; empty where there is no such function

  bool is_cancelled(const int* status) const;
};

// The family of the library at `path`. `version` as in MpiLibrary; `has_symbol` tells whether the library or one that
// it needs defines a name; `abi_major` is what MPI_Abi_get_version says, -1 without that function.
MpiFamily family_of(std::string_view path, std::string_view version, bool (*has_symbol)(const char*), int abi_major);

// The function by which our library of replays says which MPI library it stands before: const char* f(), its path.
inline constexpr char kAnsweredLibrary[] = "scalediag_answered_mpi_library";

// The library in use, looked up at the first call. Thread safe.
const MpiLibrary& mpi_library();

// The definition of a symbol that the application would have got without this library, nullptr when there is none: the
// next one in the order of the libraries. An MPI library that was loaded with RTLD_LOCAL, as Python does, is not in
// that order: then every loaded library is asked.
void* next_symbol(const char* name);

// A symbol of the MPI library, as found from the application; nullptr when there is none.
void* find_symbol(const char* name);

}  // namespace scalediag::pmpi
