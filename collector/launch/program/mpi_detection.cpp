#include "collector/launch/program/mpi_detection.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "collector/launch/process/command_output.h"
#include "collector/merge/samples/openmp_waiting.h"
#include "core/atomic_file.h"

namespace scalediag::launch {
namespace {

bool is_standard_abi(const std::string& name) { return name.starts_with("libmpi_abi.so"); }

Error not_installed(const ExecutableFile& program, const LoadedLibrary& library, MpiFlavour flavour) {
  return {ErrorCode::kEnvironment,
          program.path + " is built for " + title_of(flavour) + ", which is not installed: " + library.name +
              " is not found",
          flavour == MpiFlavour::kUnknown ? "load its module, or add its folder to LD_LIBRARY_PATH"
                                          : std::string("apt-get install ") + package_of(flavour) +
                                                ", or load its module, or add its folder to LD_LIBRARY_PATH",
          program.path};
}

Error unknown_mpi(const ExecutableFile& program, const LoadedLibrary& library) {
  return {ErrorCode::kInput,
          program.path + " uses the MPI library " + library.path +
              ", which is not known: it has neither Open MPI's symbol ompi_mpi_comm_world nor the version of MPICH or "
              "of a library with its binary interface",
          "known are Open MPI, MPICH and what shares its binary interface, and libmpi_abi of the MPI 5 standard",
          library.path};
}

// The loader's --list never runs the program, whatever the C library, but glibc's stops at the first missing library.
// The method of ldd lists them all; it is used for glibc only, since another loader might run the program.
Result<CommandOutput> run_loader(const ExecutableFile& program) {
  auto listed = run_and_capture({program.interpreter, "--list", program.path});
  const size_t slash = program.interpreter.rfind('/');
  const std::string loader = program.interpreter.substr(slash == std::string::npos ? 0 : slash + 1);
  const bool is_glibc = loader.starts_with("ld-linux") || loader.starts_with("ld64.so");
  if (!listed || listed.value().exit_status == 0 || !is_glibc) return listed;
  auto traced = run_and_capture({"env", "LD_TRACE_LOADED_OBJECTS=1", program.interpreter, program.path});
  return traced && traced.value().exit_status == 0 ? traced : listed;
}

std::string first_line_of(const std::string& text) { return text.substr(0, text.find('\n')); }

Result<std::shared_ptr<const CommandOutput>> list_libraries(const ExecutableFile& program) {
  if (program.listed == nullptr) {
    auto listed = TRY(run_loader(program));
    program.listed = std::make_shared<const CommandOutput>(std::move(listed));
  }
  return program.listed;
}

}  // namespace

const char* name_of(MpiFlavour flavour) {
  switch (flavour) {
    case MpiFlavour::kOpenMpi: return "openmpi";
    case MpiFlavour::kMpich: return "mpich";
    case MpiFlavour::kUnknown: break;
  }
  return "unknown";
}

const char* title_of(MpiFlavour flavour) {
  switch (flavour) {
    case MpiFlavour::kOpenMpi: return "Open MPI";
    case MpiFlavour::kMpich: return "MPICH";
    case MpiFlavour::kUnknown: break;
  }
  return "unknown MPI";
}

const char* package_of(MpiFlavour flavour) { return flavour == MpiFlavour::kMpich ? "mpich" : "openmpi-bin"; }

Result<MpiFlavour> parse_flavour(const std::string& text) {
  for (const MpiFlavour flavour : {MpiFlavour::kOpenMpi, MpiFlavour::kMpich}) {
    if (text == name_of(flavour)) return flavour;
  }
  return Error{ErrorCode::kUsage, "--mpi: '" + text + "' is not an MPI that is known", "use openmpi or mpich", "--mpi"};
}

std::vector<LoadedLibrary> parse_loader_list(const std::string& text) {
  std::vector<LoadedLibrary> libraries;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t arrow = line.find(" => ");
    const size_t begin = line.find_first_not_of(" \t");
    if (arrow == line.npos || begin >= arrow) continue;
    LoadedLibrary library{line.substr(begin, arrow - begin), line.substr(arrow + 4)};
    if (library.path.starts_with("not found")) {
      library.path.clear();
    } else if (const size_t address = library.path.rfind(" (0x"); address != library.path.npos) {
      library.path.resize(address);
    }
    libraries.push_back(library);
  }
  return libraries;
}

bool uses_openmp(const ExecutableFile& file) {
  if (file.is_script) return false;
  const auto listed = list_libraries(file);
  return listed && std::ranges::any_of(parse_loader_list(listed.value()->text), [](const LoadedLibrary& library) {
           return merge::is_openmp_module(library.name);
         });
}

MpiFlavour flavour_of_version(std::string_view version) {
  const auto says = [&](std::string_view name) { return version.find(name) != version.npos; };
  if (says("Open MPI v") || says("IBM Spectrum MPI")) return MpiFlavour::kOpenMpi;
  if (says("MPICH Version") || says("MPICH version") || says("Intel(R) MPI") || says("MVAPICH") ||
      says("ParaStation MPI")) {
    return MpiFlavour::kMpich;
  }
  return MpiFlavour::kUnknown;
}

bool is_mpi_library(const std::string& name) {
  return is_standard_abi(name) || name.starts_with("libmpi.so") ||
         flavour_of_library({name, ""}) != MpiFlavour::kUnknown;
}

MpiFlavour flavour_of_library(const LoadedLibrary& library) {
  const std::string& name = library.name;
  if (name.starts_with("libmpich.so") || name.starts_with("libmpich_") || name.starts_with("libmpi_cray.so") ||
      name.starts_with("libmpi_gnu") || name.starts_with("libmpichfort.so") || name.starts_with("libmpifort.so")) {
    return MpiFlavour::kMpich;
  }
  if (name.starts_with("libmpi_mpifh.so") || name.starts_with("libmpi_usempi") || name.starts_with("libmpi_cxx.so")) {
    return MpiFlavour::kOpenMpi;
  }
  if (!name.starts_with("libmpi.so") && !is_standard_abi(name)) return MpiFlavour::kUnknown;
  if (library.path.empty()) {
    if (is_standard_abi(name)) return MpiFlavour::kUnknown;
    return name == "libmpi.so.12" ? MpiFlavour::kMpich : MpiFlavour::kOpenMpi;
  }
  const auto content = core::read_file(library.path);
  if (!content) return MpiFlavour::kUnknown;
  if (content.value().find("ompi_mpi_comm_world") != std::string::npos) return MpiFlavour::kOpenMpi;
  return flavour_of_version(content.value());
}

Result<MpiUse> detect_mpi(const ExecutableFile& program) {
  const auto listed = list_libraries(program);
  if (!listed) {
    return Error{ErrorCode::kEnvironment,
                 "the dynamic loader of " + program.path + " cannot be run: " + listed.error().message,
                 "build the application for this machine", program.path};
  }
  const auto libraries = parse_loader_list(listed.value()->text);
  MpiUse use;
  const LoadedLibrary* unknown = nullptr;
  MpiFlavour behind = MpiFlavour::kUnknown;  // of the libraries that are not the standard's
  for (const LoadedLibrary& library : libraries) {
    if (!is_mpi_library(library.name)) continue;
    const MpiFlavour flavour = flavour_of_library(library);
    if (library.path.empty()) return not_installed(program, library, flavour);
    if (is_standard_abi(library.name)) {
      use = {flavour, library.path, true};
      continue;
    }
    if (behind == MpiFlavour::kUnknown) behind = flavour;
    if (flavour == MpiFlavour::kUnknown) unknown = &library;
    // Only the C library counts, since ranks share it; Fortran's is loaded beside it.
    const bool is_c_library = library.name.starts_with("libmpi.so") || library.name.starts_with("libmpich.so");
    if (!use.is_standard_abi && (use.library.empty() || is_c_library)) use = {flavour, library.path};
  }
  // The standard's library may be a layer above its implementation's own.
  if (use.is_standard_abi && use.flavour == MpiFlavour::kUnknown) use.flavour = behind;
  if (listed.value()->exit_status != 0) {
    return Error{ErrorCode::kEnvironment,
                 "the dynamic loader cannot load " + program.path + ": " + first_line_of(listed.value()->text),
                 "build it on this machine, or load the modules it was built with", program.path};
  }
  const auto missing = std::ranges::find_if(libraries, [](const LoadedLibrary& l) { return l.path.empty(); });
  if (missing != libraries.end()) {
    return Error{ErrorCode::kEnvironment,
                 "the library " + missing->name + " that " + program.path + " needs is not found",
                 "install it, or add its folder to LD_LIBRARY_PATH", program.path};
  }
  if (unknown != nullptr && use.flavour == MpiFlavour::kUnknown) return unknown_mpi(program, *unknown);
  return use;
}

Status check_sanitizer(const ExecutableFile& program) {
  const char* const options = std::getenv("ASAN_OPTIONS");
  const std::string setting = "verify_asan_link_order=0";
  if (options != nullptr && std::string_view(options).find(setting) != std::string_view::npos) return Done{};
  const auto listed = list_libraries(program);
  if (!listed) return Done{};  // detect_mpi() has the error
  for (const LoadedLibrary& library : parse_loader_list(listed.value()->text)) {
    if (!library.name.starts_with("libasan.so") && !library.name.starts_with("libclang_rt.asan")) continue;
    const std::string others = options != nullptr && *options != '\0' ? std::string(options) + ":" : "";
    return Error{ErrorCode::kEnvironment,
                 program.path + " is built with -fsanitize=address, and " + library.name +
                     " ends a program into which another library was loaded before it",
                 "allow it: ASAN_OPTIONS=" + others + setting +
                     " (and detect_leaks=0 where leaks end it with an error); "
                     "times will be those of the checked program",
                 program.path};
  }
  return Done{};
}

bool has_sessions_only(const std::string& program) {
  const auto content = core::read_file(program);
  const auto names = [&](const char* function) {
    return content && content.value().find(std::string("\0", 1) + function + std::string("\0", 1)) != std::string::npos;
  };
  return (names("MPI_Session_init") || names("mpi_session_init_")) && !names("MPI_Init") && !names("MPI_Init_thread") &&
         !names("mpi_init_") && !names("mpi_init_thread_");
}

}  // namespace scalediag::launch
