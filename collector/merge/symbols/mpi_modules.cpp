#include "collector/merge/symbols/mpi_modules.h"

#include <algorithm>
#include <array>

namespace scalediag::merge {
namespace {

// A library matches when its file name is one of these, followed by a character that cannot continue a name.
constexpr std::array<std::string_view, 46> kLibraries = {
    // MPI itself: Open MPI, MPICH and its descendants (Intel MPI, MVAPICH, Cray), Spectrum MPI
    "libmpi", "libmpi_cxx", "libmpi++", "libmpi_mpifh", "libmpi_usempi", "libmpi_usempif08", "libmpi_usempi_ignore_tkr",
    "libmpi_ibm", "libmpi_java", "liboshmem", "libmpi_cray", "libmpi_gnu", "libmpi_intel", "libmpi_amd", "libmpi_aocc",
    "libmpi_nvidia", "libmpich", "libmpichcxx", "libmpichfort", "libmpichf90", "libmpicxx", "libmpifort", "libmpl",
    "libopa", "libfmpich",
    // run time
    "libopen-rte", "libopen-pal", "libprrte", "libpmix", "libpmi", "libpmi2", "libevent", "libevent_core",
    "libevent_pthreads", "libmca_common_sm", "libxpmem",
    // transports
    "libpsm_infinipath", "libpsm2", "libpsm3", "libucp", "libucs", "libuct", "libucm", "libfabric", "libibverbs",
    "librdmacm"};

// Families whose further names cannot be listed.
constexpr std::array<std::string_view, 8> kPrefixes = {"mca_",    "libmca_", "libmpi_gnu_", "libmpi_cray_",
                                                       "libuct_", "libucx_", "libmlx",      "libpmix_"};

}  // namespace

bool is_library(std::string_view name, std::string_view library) {
  if (name.substr(0, library.size()) != library) return false;
  const std::string_view rest = name.substr(library.size());
  if (rest.empty() || rest.front() == '.') return true;
  // The rest is a version ("libevent-2.1.so"), or the compiler of Debian's Fortran bindings.
  return rest.front() == '-' && rest.size() > 1 &&
         ((rest[1] >= '0' && rest[1] <= '9') || rest.substr(1, 9) == "gfortran.");
}

std::string_view file_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string without_deleted_mark(std::string path) {
  static constexpr std::string_view kMark = " (deleted)";
  if (path.size() > kMark.size() && std::string_view(path).substr(path.size() - kMark.size()) == kMark) {
    path.resize(path.size() - kMark.size());
  }
  return path;
}

bool is_mpi_module(std::string_view path) {
  const std::string_view name = file_name(path);
  if (name.find(".so") == std::string_view::npos) return false;
  return std::ranges::any_of(kLibraries, [&](std::string_view l) { return is_library(name, l); }) ||
         std::ranges::any_of(kPrefixes, [&](std::string_view p) { return name.substr(0, p.size()) == p; });
}

bool is_collector_module(std::string_view path) { return is_library(file_name(path), "libscalediag"); }

bool is_papi_module(std::string_view path) {
  const std::string_view name = file_name(path);
  return is_library(name, "libpapi") || is_library(name, "libpfm");
}

bool is_vdso(std::string_view path) {
  return path == "[vdso]" || path == "linux-vdso.so.1" || path == "linux-vdso64.so.1" || path == "linux-gate.so.1";
}

}  // namespace scalediag::merge
