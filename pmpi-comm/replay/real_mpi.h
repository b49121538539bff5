// The functions of the real MPI that record and replay call themselves. This library stands in front of both MPI_X and
// PMPI_X, so that these are looked up behind it.
#pragma once

#include <cstdint>

#include "pmpi-comm/mpi_library.h"

namespace scalediag::pmpi {

// All return 0 on success. Handles as in MpiLibrary.
struct RealMpi {
  const MpiLibrary* library = nullptr;  // for its constants alone: its functions may be ours
  uintptr_t comm_self = 0, byte = 0;

  int (*comm_rank)(uintptr_t comm, int* rank) = nullptr;
  int (*comm_size)(uintptr_t comm, int* size) = nullptr;
  int (*comm_split)(uintptr_t comm, int color, int key, uintptr_t* made) = nullptr;
  int (*comm_group)(uintptr_t comm, uintptr_t* group) = nullptr;
  int (*comm_test_inter)(uintptr_t comm, int* flag) = nullptr;
  int (*comm_remote_size)(uintptr_t comm, int* size) = nullptr;
  int (*group_incl)(uintptr_t group, int n, const int* ranks, uintptr_t* made) = nullptr;
  int (*group_size)(uintptr_t group, int* size) = nullptr;
  int (*group_translate_ranks)(uintptr_t from, int n, const int* ranks, uintptr_t to, int* translated) = nullptr;
  int (*group_free)(uintptr_t* group) = nullptr;
  int (*topo_test)(uintptr_t comm, int* kind) = nullptr;
  int (*cartdim_get)(uintptr_t comm, int* dimensions) = nullptr;
  int (*graph_neighbors_count)(uintptr_t comm, int rank, int* count) = nullptr;
  int (*dist_graph_neighbors_count)(uintptr_t comm, int* in, int* out, int* weighted) = nullptr;
  int (*type_size_x)(uintptr_t type, int64_t* bytes) = nullptr;
  int (*type_get_extent)(uintptr_t type, intptr_t* lower, intptr_t* extent) = nullptr;
  int (*type_get_true_extent)(uintptr_t type, intptr_t* lower, intptr_t* extent) = nullptr;
  int (*type_get_envelope)(uintptr_t type, int* numbers, int* addresses, int* types, int* how) = nullptr;
  int (*type_dup)(uintptr_t type, uintptr_t* made) = nullptr;
  int (*type_free)(uintptr_t* type) = nullptr;
  int (*pack)(const void* in, int n, uintptr_t type, void* out, int bytes, int* position, uintptr_t comm) = nullptr;
  int (*unpack)(const void* in, int bytes, int* position, void* out, int n, uintptr_t type, uintptr_t comm) = nullptr;
  int (*get_count)(const int* status, uintptr_t type, int* count) = nullptr;
  int (*request_get_status)(uintptr_t request, int* flag, int* status) = nullptr;
  int (*recv_init)(void* at, int n, uintptr_t type, int from, int tag, uintptr_t comm, uintptr_t* request) = nullptr;
  int (*isend)(const void* at, int n, uintptr_t type, int to, int tag, uintptr_t comm, uintptr_t* request) = nullptr;
  int (*request_free)(uintptr_t* request) = nullptr;
  int (*mprobe)(int from, int tag, uintptr_t comm, uintptr_t* message, uintptr_t status) = nullptr;
  int (*mrecv)(void* at, int n, uintptr_t type, void* message, uintptr_t status) = nullptr;
  int (*finalize)() = nullptr;

  const MpiConstants& constants() const { return library->constants; }
};

// Looked up at the first call, which has to come after the application has loaded MPI.
const RealMpi& real_mpi();

}  // namespace scalediag::pmpi
