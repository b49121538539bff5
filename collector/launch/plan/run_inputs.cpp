#include "collector/launch/plan/run_inputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "collector/launch/program/executable_file.h"
#include "core/raw/raw_format.h"
#include "core/text/formatted.h"

namespace scalediag::launch {
namespace {

namespace fs = std::filesystem;

// Prefixes of whole families: number and placement of threads, and the transport of messages.
constexpr std::array kPrefixes = {
    "OMP_",      "GOMP_",      "KMP_",                                      // OpenMP: the standard, GNU, LLVM and Intel
    "OMPI_MCA_", "PMIX_MCA_",  "PRTE_MCA_",                                 // Open MPI
    "MPICH_",    "MPIR_CVAR_", "HYDRA_",    "I_MPI_", "MV2_",   "MVP_",     // MPICH and its descendants
    "FI_",       "UCX_",       "PSM2_",     "PSM3_",  "NCCL_",              // networks
    "OPENBLAS_", "GOTO_",      "MKL_",      "BLIS_",  "ARMPL_", "VECLIB_",  // mathematical libraries
    "KOKKOS_",   "ACC_",
};

constexpr std::array kNames = {
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LD_BIND_NOW",
    "GLIBC_TUNABLES",
    "MALLOC_ARENA_MAX",
    "MALLOC_CONF",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_TRIM_THRESHOLD_",
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    // Slurm's, which srun takes in place of options: they bind ranks and spread them over nodes.
    "SLURM_DISTRIBUTION",
    "SLURM_HINT",
    "SLURM_THREADS_PER_CORE",
    "SLURM_CPUS_PER_TASK",
    "SRUN_CPUS_PER_TASK",
};

int64_t nanoseconds(const timespec& t) { return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; }

// The fingerprint of the first and the last MiB, which do not overlap in a file larger than kWholeFileBytes.
std::string fingerprint_of_ends(const std::string& path, const struct stat& info) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  uint32_t crc = 0;
  for (const std::streamoff at :
       {std::streamoff{0}, static_cast<std::streamoff>(info.st_size) - static_cast<std::streamoff>(buffer.size())}) {
    file.seekg(std::max<std::streamoff>(0, at));
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    crc = raw::crc32(buffer.data(), static_cast<size_t>(file.gcount()), crc);
    file.clear();
  }
  return core::formatted("%lld-%08x-%lld", static_cast<long long>(info.st_size), crc,
                         static_cast<long long>(nanoseconds(info.st_mtim)));
}

std::string absolute_path(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

}  // namespace

std::string fingerprint_of_input(const std::string& path, uint64_t whole_bytes) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  if (static_cast<uint64_t>(info.st_size) <= whole_bytes) return fingerprint_of(path);
  return access(path.c_str(), R_OK) == 0 ? fingerprint_of_ends(path, info) : "";
}

bool is_relevant_variable(const std::string& name) {
  const auto begins = [&name](std::string_view prefix) { return name.compare(0, prefix.size(), prefix) == 0; };
  return std::ranges::any_of(kPrefixes, begins) || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::map<std::string, std::string> relevant_environment(const char* const* environment) {
  std::map<std::string, std::string> found;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const char* equals = std::strchr(*environment, '=');
    if (equals == nullptr) continue;
    const std::string name(*environment, equals);
    if (is_relevant_variable(name)) found[name] = equals + 1;
  }
  return found;
}

std::vector<std::string> paths_in_arguments(const std::vector<PlannedConfiguration>& plan) {
  std::set<std::string> paths;
  const auto add = [&paths](const std::string& text) {
    std::error_code ignored;
    // Longer names cannot be looked up, and "x/" is no file.
    if (text.empty() || text.size() > 4096 || text.back() == '/') return;
    const fs::path path = absolute_path(text);
    if (fs::is_directory(path.parent_path(), ignored)) paths.insert(path.string());
  };
  for (const PlannedConfiguration& configuration : plan) {
    for (size_t i = 1; i < configuration.command.size(); ++i) {
      const std::string& argument = configuration.command[i];
      add(argument);
      if (const size_t equals = argument.find('='); equals != argument.npos) add(argument.substr(equals + 1));
    }
  }
  return {paths.begin(), paths.end()};
}

std::map<std::string, std::string> fingerprint_inputs(const std::vector<std::string>& paths, const StdinSource& input) {
  std::map<std::string, std::string> found;
  const auto add = [&found](const std::string& path) {
    if (std::string fingerprint = fingerprint_of_input(path); !fingerprint.empty())
      found[path] = std::move(fingerprint);
  };
  for (const std::string& path : paths) add(path);
  if (!input.file.empty()) add(input.file);
  return found;
}

OutputWatch::Stamp OutputWatch::stamp_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  return {true, info.st_size, nanoseconds(info.st_mtim), info.st_ino};
}

OutputWatch::OutputWatch(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) stamps_[path] = stamp_of(path);
}

OutputWatch::Changes OutputWatch::look() {
  Changes changes;
  for (auto& [path, before] : stamps_) {
    const Stamp now = stamp_of(path);
    if (now == before) continue;
    if (now.exists) (before.exists ? changes.changed : changes.created).push_back(path);
    before = now;
  }
  return changes;
}

}  // namespace scalediag::launch
