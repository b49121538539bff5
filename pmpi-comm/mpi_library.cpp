#include "pmpi-comm/mpi_library.h"

#include <dlfcn.h>
#include <link.h>

#include <string>
#include <vector>

#include "pmpi-comm/loaded_module.h"

namespace scalediag::pmpi {

namespace {

// True of what lies in the object that this code was linked into.
bool is_ours(const void* symbol) {
  static const LoadedModule ours = loaded_module_of(reinterpret_cast<uintptr_t>(&mpi_library));
  return ours.holds(reinterpret_cast<uintptr_t>(symbol));
}

// Every loaded library but this one. Opening them takes a millisecond where a program has many.
class LoadedLibraries {
 public:
  // Names are collected first: dlopen inside dl_iterate_phdr would wait for its lock.
  LoadedLibraries() {
    std::vector<std::string> names;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* list) {
          if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') {
            static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
          }
          return 0;
        },
        &names);
    for (const std::string& name : names) {
      if (void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD)) opened_.push_back({handle, false});
    }
  }
  LoadedLibraries(const LoadedLibraries&) = delete;
  LoadedLibraries& operator=(const LoadedLibraries&) = delete;
  ~LoadedLibraries() {
    for (const Opened& library : opened_) {
      if (!library.has_been_of_use) dlclose(library.handle);
    }
  }

  // The handle stays open after a success, so that the library stays loaded.
  void* search(const char* name) {
    for (Opened& library : opened_) {
      void* const found = dlsym(library.handle, name);
      if (found == nullptr || is_ours(found)) continue;
      library.has_been_of_use = true;
      return found;
    }
    return nullptr;
  }

 private:
  struct Opened {
    void* handle;
    bool has_been_of_use;
  };
  std::vector<Opened> opened_;
};

// While this thread searches for several names: those that were loaded before.
__thread LoadedLibraries* loaded_libraries = nullptr;

void* search_loaded_libraries(const char* name) {
  if (loaded_libraries != nullptr) return loaded_libraries->search(name);
  return LoadedLibraries().search(name);
}

// The library that was found. Functions are looked up in it alone: another library of MPI may stand behind it.
void* found_library = nullptr;
// Our library of replays where it stands before that: it answers MPI's functions in its place.
void* answering_library = nullptr;

void* library_symbol(const char* name) {
  for (void* const library : {answering_library, found_library}) {
    void* const found = library != nullptr ? dlsym(library, name) : nullptr;
    if (found != nullptr && !is_ours(found)) return found;
  }
  return nullptr;
}

template <class Function> void assign(Function& to, const char* name) {
  to = reinterpret_cast<Function>(library_symbol(name));
}

// As the program sees it: variables of MPI may have been copied into the program, and the library's own are then not
// used. Fortran's constants may be in a library beside C's.
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
  assign(f.graph_neighbors, "PMPI_Graph_neighbors");
  assign(f.dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count");
  assign(f.dist_graph_neighbors, "PMPI_Dist_graph_neighbors");
  assign(f.get_library_version, "PMPI_Get_library_version");
  assign(f.test_cancelled, "PMPI_Test_cancelled");
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
  assign(f.group_f2c, "PMPI_Group_f2c");
  MpiConstants c;
  c.family = MpiFamily::kOpenMpi;
  c.handle_bytes = sizeof(void*);
  c.comm_world = address_of("ompi_mpi_comm_world");
  c.comm_self = address_of("ompi_mpi_comm_self");
  c.byte = address_of("ompi_mpi_byte");
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
  c.lock_shared = 2;
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
  c.family = MpiFamily::kMpich;
  c.handle_bytes = sizeof(int);
  c.comm_world = 0x44000000;
  c.comm_self = 0x44000001;
  c.byte = 0x4c00010d;
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
  c.lock_shared = 235;
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

// The constants of the MPI 5.0 standard's binary interface (its appendix A): handles are pointers, those of predefined
// objects small numbers.
MpiConstants standard_abi_constants(MpiFunctions& f) {
  const auto assign_either = [](auto& to, const char* name, const char* from_int) {
    assign(to, from_int);
    if (to == nullptr) assign(to, name);
  };
  assign_either(f.comm_f2c, "PMPI_Comm_f2c", "PMPI_Comm_fromint");
  assign_either(f.type_f2c, "PMPI_Type_f2c", "PMPI_Type_fromint");
  assign_either(f.request_f2c, "PMPI_Request_f2c", "PMPI_Request_fromint");
  assign_either(f.message_f2c, "PMPI_Message_f2c", "PMPI_Message_fromint");
  assign_either(f.win_f2c, "PMPI_Win_f2c", "PMPI_Win_fromint");
  assign_either(f.op_f2c, "PMPI_Op_f2c", "PMPI_Op_fromint");
  assign_either(f.group_f2c, "PMPI_Group_f2c", "PMPI_Group_fromint");
  MpiConstants c;
  c.family = MpiFamily::kStandardAbi;
  c.handle_bytes = sizeof(void*);
  c.no_op = 0x3d;
  c.comm_null = 0x100;
  c.comm_world = 0x101;
  c.comm_self = 0x102;
  c.win_null = 0x110;
  c.message_no_proc = 0x129;
  c.request_null = 0x180;
  c.type_null = 0x200;
  c.byte = 0x247;
  c.any_source = -1;
  c.any_tag = -2;
  c.proc_null = -3;
  c.root = -4;
  c.cart = 211;
  c.graph = 212;
  c.dist_graph = 213;
  c.lock_shared = 302;
  c.in_place_c = 1;
  c.status_ints = 8;  // source, tag, error, five of the implementation's own
  c.status_source_at = 0;
  c.status_tag_at = 1;
  c.status_cancelled_at = -1;
  c.status_ignore_c = 0;
  find_ignored_statuses(c);
  return c;
}

std::string version_of(const MpiFunctions& f) {
  // The size of MPICH's MPI_MAX_LIBRARY_VERSION_STRING, which is the longest one. Not on the stack, since MPI's first
  // call is made on a thread of the application.
  static char text[8192 + 1];
  int length = 0;
  const bool known = f.get_library_version != nullptr && f.get_library_version(text, &length) == 0;
  return known ? text : "";
}

int abi_major_of_library() {
  int (*get)(int*, int*) = nullptr;
  assign(get, "PMPI_Abi_get_version");
  int major = -1, minor = -1;
  return get != nullptr && get(&major, &minor) == 0 ? major : -1;
}

bool library_has(const char* name) { return library_symbol(name) != nullptr; }

MpiLibrary find_library() {
  MpiLibrary library;
  void* const any = next_symbol("PMPI_Comm_size");
  if (any == nullptr) return library;
  Dl_info info;
  if (dladdr(any, &info) != 0 && info.dli_fname != nullptr) library.path = info.dli_fname;
  void* const first = dlopen(library.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (void* const behind = first != nullptr ? dlsym(first, kAnsweredLibrary) : nullptr;
      behind != nullptr && !is_ours(behind)) {
    answering_library = first;
    library.path = reinterpret_cast<const char* (*)()>(behind)();
  }
  found_library = dlopen(library.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  // A program with MPI in itself is no library that could be opened by its name.
  if (found_library == nullptr) found_library = dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
  find_functions(library.functions);
  library.version = version_of(library.functions);
  LoadedLibraries loaded;
  loaded_libraries = &loaded;
  switch (family_of(library.path, library.version, library_has, abi_major_of_library())) {
    case MpiFamily::kOpenMpi: library.constants = open_mpi_constants(library.functions); break;
    case MpiFamily::kMpich: library.constants = mpich_constants(); break;
    case MpiFamily::kStandardAbi: library.constants = standard_abi_constants(library.functions); break;
    default: library.constants.family = MpiFamily::kUnknown;
  }
  loaded_libraries = nullptr;
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

// The standard's library has symbols of its implementation behind it, so that its own name comes first.
MpiFamily family_of(std::string_view path, std::string_view version, bool (*has_symbol)(const char*), int abi_major) {
  const size_t slash = path.rfind('/');
  const std::string_view file = path.substr(slash == path.npos ? 0 : slash + 1);
  if (file.substr(0, 10) == "libmpi_abi") return MpiFamily::kStandardAbi;
  if (has_symbol("ompi_mpi_comm_world")) return MpiFamily::kOpenMpi;
  for (const std::string_view name : {"MPICH", "Intel(R) MPI", "MVAPICH", "ParaStation MPI"}) {
    if (version.find(name) != version.npos) return MpiFamily::kMpich;
  }
  return abi_major == 1 ? MpiFamily::kStandardAbi : MpiFamily::kUnknown;
}

bool MpiLibrary::is_cancelled(const int* status) const {
  const MpiConstants& c = constants;
  if (c.status_cancelled_at >= 0) {
    return (static_cast<unsigned>(status[c.status_cancelled_at]) & c.status_cancelled_mask) != 0;
  }
  int flag = 0;
  return functions.test_cancelled != nullptr && functions.test_cancelled(status, &flag) == 0 && flag != 0;
}

const MpiLibrary& mpi_library() {
  // Never destroyed: MPI may be called from destructors that run after ours.
  static const MpiLibrary* const library = new MpiLibrary(find_library());
  return *library;
}

}  // namespace scalediag::pmpi
