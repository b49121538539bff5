// A run's folder with raw files that were written by hand.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "collector/merge/merge.h"
#include "collector/merge/symbols/symbolizer.h"
#include "core/experiment/experiment.h"
#include "tests/collector/merge/raw/raw_file_builder.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::merge {

// Nanoseconds.
constexpr uint64_t kMillisecond = 1000000;
constexpr uint64_t kSecond = 1000 * kMillisecond;

class RunFolder {
 public:
  explicit RunFolder(int np) {
    entry_.configuration.np = np;
    entry_.state = core::RunState::kComplete;
    std::filesystem::create_directories(path());
  }
  std::string path() const { return folder().run_folder(core::run_id(entry_.configuration, entry_.repeat)); }
  core::ExperimentFolder folder() const { return core::ExperimentFolder(temporary_.path()); }
  core::RunEntry& entry() { return entry_; }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path() + "/" + name, std::ios::binary | std::ios::trunc) << bytes;
  }
  core::Result<core::Run> merge(core::Clock clock = core::Clock::kCpu) const {
    SymbolCache symbols;
    return merge_run(folder(), entry_, {clock, "because", false}, symbols);
  }

 private:
  core::TemporaryFolder temporary_;
  core::RunEntry entry_;
};

// A rank's life: loaded at 0 s, MPI_Init ended at 1 s, MPI_Finalize began at 11 s, exit at 12 s. One tick is a
// nanosecond. CPU time of process and main thread: 0.5 s at the end of MPI_Init, `cpu` when MPI_Finalize began, 0.25 s
// more at exit.
struct RankLife {
  uint32_t rank = 0;
  uint32_t size = 1;
  uint64_t cpu = 10 * kSecond;
  std::string sampler = "perf";
  std::string sampler_reason = {};
  std::string host = "node1";
  std::vector<ModuleSpan> modules = {};
  std::vector<SampleRow> samples = {};
  std::vector<OperationName> names = {};
  std::vector<raw::CallSite> sites = {};
  std::vector<OperationRow> operations = {};
  std::vector<PeerRow> peers = {};
  Losses losses = {0, 0, 0, 0, 1};
  std::string stamp = {};
  uint64_t spawned = 0;
  std::string executable = {};
  bool finalised = true;
};

inline RawFileBuilder unfinished_file(const RankLife& r) {
  RankIdentity i;
  i.rank = r.rank;
  i.size = r.size;
  i.host = r.host;
  i.executable = r.executable;
  i.mpi_library_version = "Open MPI v4.1.4, package: somebody's";
  i.sampler = r.sampler;
  i.sampler_reason = r.sampler_reason;
  i.period_ns = 4 * kMillisecond;
  i.online_cpus = 2;
  RawFileBuilder b(r.rank);
  b.identity(i).run(r.stamp).spawned(r.spawned);
  b.clock({raw::Phase::kLoad, 0, 0, 0, 0, 0, 0});
  b.clock({raw::Phase::kInitEnd, kSecond, kSecond, 0, kSecond / 2, kSecond / 2, 0});
  if (!r.modules.empty()) b.modules(0, r.modules);
  b.samples(r.samples).operation_names(r.names);
  if (!r.sites.empty()) b.call_sites(r.sites);
  b.operations(r.operations).peers(r.peers).losses(r.losses);
  if (r.finalised) b.clock({raw::Phase::kFinalizeBegin, 11 * kSecond, 11 * kSecond, 0, r.cpu, r.cpu, 0});
  return b;
}

inline std::string finished_file(const RankLife& r) {
  RawFileBuilder b = unfinished_file(r);
  const uint64_t cpu = r.cpu + kSecond / 4;
  b.clock({raw::Phase::kExit, 12 * kSecond, 12 * kSecond, 0, cpu, cpu, 125 * kMillisecond});
  uint64_t samples = 0;
  for (const SampleRow& s : r.samples) samples += s.totals.samples;
  return b.footer(samples).bytes();
}

}  // namespace scalediag::merge
