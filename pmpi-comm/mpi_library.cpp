#include "pmpi-comm/mpi_library.h"

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <vector>

namespace scalediag::pmpi {

namespace {

// The object that this code was linked into.
const void* our_base() {
  static const void* const base = [] {
    Dl_info info;
    return dladdr(reinterpret_cast<void*>(&mpi_library), &info) != 0 ? info.dli_fbase : nullptr;
  }();
  return base;
}

bool is_ours(const void* symbol) {
  Dl_info info;
  return dladdr(symbol, &info) != 0 && info.dli_fbase == our_base();
}

// dlsym in every loaded library but this one. Names are collected first: dlopen inside dl_iterate_phdr would wait for
// its lock.
void* search_loaded_libraries(const char* name) {
  std::vector<std::string> libraries;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* list) {
        if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') {
          static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
        }
        return 0;
      },
      &libraries);
  for (const std::string& library : libraries) {
    void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    void* found = dlsym(handle, name);
    // The handle stays open after a success, so that the library stays loaded.
    if (found != nullptr && !is_ours(found)) return found;
    dlclose(handle);
  }
  return nullptr;
}

template <class Function>
void assign(Function& to, const char* name) {
  to = reinterpret_cast<Function>(find_symbol(name));
}

uintptr_t address_of(const char* name) { return reinterpret_cast<uintptr_t>(find_symbol(name)); }

void find_functions(MpiFunctions& f) {
  assign(f.type_size_x, "PMPI_Type_size_x");
  assign(f.comm_size, "PMPI_Comm_size");
  assign(f.comm_rank, "PMPI_Comm_rank");
  assign(f.comm_test_inter, "PMPI_Comm_test_inter");
  assign(f.comm_remote_size, "PMPI_Comm_remote_size");
  assign(f.comm_group, "PMPI_Comm_group");
  assign(f.comm_remote_group, "PMPI_Comm_remote_group");
  assign(f.group_size, "PMPI_Group_size");
  assign(f.group_translate_ranks, "PMPI_Group_translate_ranks");
  assign(f.group_free, "PMPI_Group_free");
  assign(f.win_get_group, "PMPI_Win_get_group");
  assign(f.topo_test, "PMPI_Topo_test");
  assign(f.cartdim_get, "PMPI_Cartdim_get");
  assign(f.cart_shift, "PMPI_Cart_shift");
  assign(f.graph_neighbors_count, "PMPI_Graph_neighbors_count");
  assign(f.dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count");
  assign(f.get_library_version, "PMPI_Get_library_version");
}

// MPI's names of C variables for the constants that Fortran passes.
void find_ignored_statuses(MpiConstants& c) {
  const char* const names[] = {"MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE", "MPI_F08_STATUS_IGNORE",
                               "MPI_F08_STATUSES_IGNORE"};
  for (size_t i = 0; i < 4; ++i) {
    c.status_ignore_fortran_indirect[i] = static_cast<const uintptr_t*>(find_symbol(names[i]));
  }
}

// The constants of Open MPI, from its mpi.h: handles are addresses of objects.
MpiConstants open_mpi_constants(MpiFunctions& f) {
  assign(f.comm_f2c, "PMPI_Comm_f2c");
  assign(f.type_f2c, "PMPI_Type_f2c");
  assign(f.request_f2c, "PMPI_Request_f2c");
  assign(f.message_f2c, "PMPI_Message_f2c");
  assign(f.win_f2c, "PMPI_Win_f2c");
  assign(f.op_f2c, "PMPI_Op_f2c");
  MpiConstants c;
  c.found = true;
  c.handle_bytes = sizeof(void*);
  c.comm_world = address_of("ompi_mpi_comm_world");
  c.comm_null = address_of("ompi_mpi_comm_null");
  c.type_null = address_of("ompi_mpi_datatype_null");
  c.win_null = address_of("ompi_mpi_win_null");
  c.request_null = address_of("ompi_request_null");
  c.message_no_proc = address_of("ompi_message_no_proc");
  c.no_op = address_of("ompi_mpi_op_no_op");
  c.proc_null = -2;
  c.root = -4;
  c.cart = 1;
  c.graph = 2;
  c.dist_graph = 3;
  c.in_place_c = 1;
  // One object with the names that Fortran compilers give it.
  c.in_place_fortran[0] = address_of("mpi_fortran_in_place_");
  c.in_place_fortran[1] = address_of("mpi_fortran_in_place__");
  c.in_place_fortran[2] = address_of("mpi_fortran_in_place");
  c.in_place_fortran[3] = address_of("MPI_FORTRAN_IN_PLACE");
  c.any_source = -1;
  c.any_tag = -1;
  c.status_ints = 6;  // source, tag, error, cancelled, size_t count
  c.status_source_at = 0;
  c.status_tag_at = 1;
  c.status_cancelled_at = 3;
  c.status_cancelled_mask = ~0U;
  c.status_ignore_c = 0;
  c.status_ignore_fortran[0] = address_of("mpi_fortran_status_ignore_");
  c.status_ignore_fortran[1] = address_of("mpi_fortran_statuses_ignore_");
  c.status_ignore_fortran[2] = address_of("mpi_fortran_status_ignore__");
  c.status_ignore_fortran[3] = address_of("mpi_fortran_statuses_ignore__");
  find_ignored_statuses(c);
  return c;
}

// The constants of MPICH and the libraries with its binary interface (Intel MPI, MVAPICH, Cray): handles are ints.
MpiConstants mpich_constants() {
  MpiConstants c;
  c.found = true;
  c.handle_bytes = sizeof(int);
  c.comm_world = 0x44000000;
  c.comm_null = 0x04000000;
  c.type_null = 0x0c000000;
  c.win_null = 0x20000000;
  c.request_null = 0x2c000000;
  c.message_no_proc = 0x6c000000;
  c.no_op = 0x5800000e;
  c.proc_null = -1;
  c.root = -3;
  c.graph = 1;
  c.cart = 2;
  c.dist_graph = 3;
  c.in_place_c = ~uintptr_t{0};
  c.in_place_fortran[0] = address_of("MPIR_F08_MPI_IN_PLACE");
  // Set by the Fortran part when it starts, which may be later than this.
  c.in_place_fortran_indirect = static_cast<const uintptr_t*>(find_symbol("MPIR_F_MPI_IN_PLACE"));
  c.any_source = -2;
  c.any_tag = -1;
  c.status_ints = 5;  // count's low half, its high half and cancelled, source, tag, error
  c.status_source_at = 2;
  c.status_tag_at = 3;
  c.status_cancelled_at = 1;
  c.status_cancelled_mask = 1;
  c.status_ignore_c = 1;
  c.status_ignore_fortran[0] = address_of("MPIR_F08_MPI_STATUS_IGNORE_OBJ");
  c.status_ignore_fortran[1] = address_of("MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
  find_ignored_statuses(c);
  return c;
}

MpiLibrary find_library() {
  MpiLibrary library;
  find_functions(library.functions);
  if (library.functions.comm_size == nullptr) return library;
  library.constants =
      find_symbol("ompi_mpi_comm_world") != nullptr ? open_mpi_constants(library.functions) : mpich_constants();
  return library;
}

}  // namespace

void* next_symbol(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  return found != nullptr && !is_ours(found) ? found : search_loaded_libraries(name);
}

void* find_symbol(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : search_loaded_libraries(name);
}

const MpiLibrary& mpi_library() {
  static const MpiLibrary library = find_library();
  return library;
}

}  // namespace scalediag::pmpi
