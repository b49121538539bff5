#include "collector/inject/probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "pmpi-comm/mpi_library.h"
#include "pmpi-comm/thread_state.h"

namespace scalediag::inject {
namespace {

constexpr char kVariable[] = "SCALEDIAG_PROBE";
constexpr char kWorldVariable[] = "SCALEDIAG_PROBE_WORLD";

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

const char* name_of(pmpi::MpiFamily family) {
  switch (family) {
    case pmpi::MpiFamily::kOpenMpi: return "openmpi";
    case pmpi::MpiFamily::kMpich: return "mpich";
    case pmpi::MpiFamily::kStandardAbi: return "abi";
    default: return "unknown";
  }
}

// The variable by which a launcher tells this process how many ranks there are; empty: no launcher has started it.
std::string variable_of_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (std::getenv(name) != nullptr) return name;
  }
  return "";
}

// The words of this process's command line, each with a zero behind it.
std::string command_line() {
  std::string words;
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return words;
  char part[4096];
  for (ssize_t n = read(fd, part, sizeof part); n > 0; n = read(fd, part, sizeof part)) {
    words.append(part, static_cast<size_t>(n));
  }
  close(fd);
  return words;
}

[[noreturn]] void report() {
  const pmpi::MpiLibrary& mpi = pmpi::mpi_library();
  const std::string text = mpi.path + "\n" + name_of(mpi.constants.family) + "\n" +
                           mpi.version.substr(0, mpi.version.find('\n')) + "\n" + variable_of_launcher() + "\n" +
                           command_line();
  // Written beside the file and renamed, so that the reader never sees a part of it.
  const std::string file = std::getenv(kVariable);
  const std::string part = file + "." + std::to_string(getpid());
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd >= 0) {
    const ssize_t written = write(fd, text.data(), text.size());
    close(fd);
    if (written == static_cast<ssize_t>(text.size())) std::rename(part.c_str(), file.c_str());
  }
  // The reader ends this process and those that wait for it, which should not go on as if it had done its work.
  sleep(5);
  _exit(1);
}

// One write, so that lines of several ranks stay whole.
[[noreturn]] void report_world(int rank, int size) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  char line[320];
  const int bytes = std::snprintf(line, sizeof line, "scalediag-world %d %d %s\n", rank, size, host);
  [[maybe_unused]] const ssize_t ignored = write(STDOUT_FILENO, line, static_cast<size_t>(bytes));
  // Launchers take the end of a rank without it for a failure.
  const auto finalize = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "PMPI_Finalize"));
  _exit(finalize != nullptr ? finalize() : 0);
}

}  // namespace

bool is_a_probe() { return is_set(kVariable) || is_set(kWorldVariable); }

void report_mpi_at_init() {
  pmpi::Hooks hooks;
  if (is_set(kWorldVariable)) {
    hooks.init_end = [](int rank, int size, const char*) { report_world(rank, size); };
  } else {
    hooks.init_begin = [](const void*) { report(); };
  }
  pmpi::set_hooks(hooks);
}

}  // namespace scalediag::inject
