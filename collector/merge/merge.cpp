#include "collector/merge/merge.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "collector/merge/raw/raw_streams.h"
#include "collector/merge/run_merger.h"
#include "collector/merge/run_scan.h"
#include "collector/merge/samples/rank_samples.h"
#include "collector/merge/symbols/mpi_modules.h"
#include "collector/merge/symbols/symbolizer.h"
#include "core/experiment/started_program.h"
#include "core/profile/emulated_times.h"

namespace scalediag::merge {
namespace {

// Records a problem of the second reading, which can only be worse than the first: the file is read more closely, or
// has changed since.
void note_problem(core::Run& run, const std::string& path, const RawFile& file) {
  if (file.state == FileState::kFinished || !run.complete) return;
  run.complete = false;
  run.reason = std::string(file_name(path)) + ": " + file.problem;
}

void note_cut(const raw::Rounds& rounds, double left_out_s, core::Run& run) {
  run.cut = core::CutRounds{static_cast<double>(rounds.measured), static_cast<double>(rounds.to_follow), left_out_s};
  run.warnings.push_back("times, calls and bytes are extended from " + std::to_string(rounds.measured) +
                         " rounds of the main loop to " + std::to_string(rounds.to_follow) +
                         "; what the program does after them is missing");
}

core::Run merge_scanned(const core::RunEntry& entry, const RunScan& scan, const MergeOptions& options,
                        SymbolCache& symbols) {
  core::Run run;
  run.np = entry.configuration.np;
  run.parameters = entry.configuration.parameters;
  run.repeat = entry.repeat;
  run.id = core::run_id(entry.configuration, entry.repeat);
  run.clock = options.clock;
  run.clock_reason = options.clock_reason;
  run.complete = scan.complete;
  run.reason = scan.reason;
  run.warnings = scan.warnings;

  std::vector<StreamId> used;
  for (const StreamId& id : scan.stream_of_rank) {
    if (id.file >= 0) used.push_back(id);
  }
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::unique_ptr<RunMerger> merger;
  core::OverRanksBuilder left_out_s;
  const auto take = [&](const RawStream& stream) {
    note_problem(run, scan.files[static_cast<size_t>(stream.id.file)], stream.content);
    for (const RankRecord& record : stream.content.records) {
      if (record.rank >= scan.stream_of_rank.size() || scan.stream_of_rank[record.rank] != stream.id) continue;
      if (!record.identity || !has_clock_points(record)) continue;
      if (merger == nullptr) merger = std::make_unique<RunMerger>(run.np, scan, options, symbols, record);
      merger->add(record);
      left_out_s.add(static_cast<int>(record.rank), record.left_out_s);
    }
    return true;
  };
  read_streams(scan.files, ReadScope::kEverything, take, &used);
  if (merger != nullptr) merger->finish(run);
  if (scan.rounds) note_cut(*scan.rounds, left_out_s.finish(run.np).mean, run);
  return run;
}

std::vector<core::Kernel> kernels_of_record(const RankRecord& record, const MergeOptions& options,
                                            SymbolCache& symbols) {
  const RunCounts no_counts(std::vector<std::string>{});
  KernelTable table(no_counts);
  SampleAttributor attributor(record, options.resolve_inlined, symbols);
  RankSamples samples(options.clock);
  samples.add(record, attributor, table);
  for (const auto& [index, totals] : samples.kernels()) table.add(0, index, totals);
  return table.finish(1);
}

// Compares with the complete runs before entries[i].
ModuleComparison compare_with_earlier(const std::vector<const core::RunEntry*>& entries,
                                      const std::vector<RunScan>& scans, size_t i) {
  ModuleComparison comparison;
  for (size_t k = 0; k < i && scans[i].complete && comparison.refused.empty(); ++k) {
    if (!scans[k].complete) continue;
    const std::string id = core::run_id(entries[k]->configuration, entries[k]->repeat);
    const bool repeats = entries[k]->configuration == entries[i]->configuration;
    const ModuleComparison other = compare_modules(scans[i].modules, scans[k].modules, id, repeats);
    comparison.refused = other.refused;
    if (comparison.told.empty()) comparison.told = other.told;
  }
  return comparison;
}

CoreUse use_of(const RunScan& scan) {
  return {scan.host, scan.online_cpus, scan.ranks_on_a_host, scan.threads, scan.too_few_cpus};
}

// Of an emulated run only CPU time is measured.
Result<core::Run> merge_with_emulated_times(const core::ExperimentFolder& folder, const core::RunEntry& entry,
                                            const RunScan& scan, const MergeOptions& options, SymbolCache& symbols) {
  const std::string run_folder = folder.run_folder(core::run_id(entry.configuration, entry.repeat));
  const auto emulated = TRY(core::read_emulated_times(run_folder, entry.configuration.np));
  if (!emulated) return merge_scanned(entry, scan, options, symbols);
  MergeOptions of_cpu_time = options;
  of_cpu_time.clock = core::Clock::kCpu;
  core::Run run = merge_scanned(entry, scan, of_cpu_time, symbols);
  if (run.complete) core::put_emulated_times(*emulated, run);
  return run;
}

}  // namespace

Result<RunEnd> look_at_end(const core::ExperimentFolder& folder, const core::RunEntry& entry) {
  const auto scan = TRY(scan_run(folder, entry));
  return RunEnd{scan.left_without_finalize, scan.ended_unseen, scan.each_alone, scan.rounds && scan.complete};
}

Result<LoopSite> main_loop_site_of(const core::ExperimentFolder& folder, const core::RunEntry& entry) {
  return TRY(scan_run(folder, entry)).main_loop.site;
}

Result<core::Run> merge_run(const core::ExperimentFolder& folder, const core::RunEntry& entry,
                            const MergeOptions& options, SymbolCache& symbols, CoreUse* use, RunModules* modules) {
  auto scan = TRY(scan_run(folder, entry));
  if (use != nullptr) *use = use_of(scan);
  if (modules != nullptr) *modules = scan.modules;
  return merge_with_emulated_times(folder, entry, scan, options, symbols);
}

Result<std::vector<std::vector<core::Kernel>>> kernels_of_ranks(const core::ExperimentFolder& folder,
                                                                const core::RunEntry& entry,
                                                                const std::vector<int>& ranks,
                                                                const MergeOptions& options, SymbolCache& symbols) {
  const auto scan = TRY(scan_run(folder, entry));
  const std::vector<StreamId>& stream_of_rank = scan.stream_of_rank;
  std::vector<std::vector<core::Kernel>> kernels(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i) {
    const auto rank = static_cast<size_t>(ranks[i]);
    if (rank >= stream_of_rank.size() || stream_of_rank[rank].file < 0) continue;
    const RawFile file = read_stream(scan.files, stream_of_rank[rank]);
    for (const RankRecord& record : file.records) {
      if (record.rank == rank && record.identity) kernels[i] = kernels_of_record(record, options, symbols);
    }
  }
  return kernels;
}

Result<core::Profile> merge_experiment(const core::ExperimentFolder& folder, const core::Experiment& experiment,
                                       bool resolve_inlined) {
  std::vector<const core::RunEntry*> entries;
  for (const core::RunEntry& e : experiment.runs) {
    if (e.state == core::RunState::kComplete) entries.push_back(&e);
  }
  std::ranges::stable_sort(entries, [](const core::RunEntry* a, const core::RunEntry* b) {
    return std::tie(a->configuration.np, a->configuration.parameters, a->repeat) <
           std::tie(b->configuration.np, b->configuration.parameters, b->repeat);
  });

  std::vector<RunScan> scans;
  std::vector<CoreUse> uses;
  for (const core::RunEntry* e : entries) {
    auto scan = TRY(scan_run(folder, *e));
    uses.push_back(use_of(scan));
    scans.push_back(std::move(scan));
  }
  const ClockChoice clock = choose_clock(experiment, uses);
  const MergeOptions options{clock.clock, clock.reason, resolve_inlined};

  core::Profile profile;
  std::vector<const RunModules*> modules;
  for (const RunScan& scan : scans) {
    if (scan.complete) modules.push_back(&scan.modules);
  }
  const std::string program = core::program_behind(experiment.executable, common_program(modules));
  profile.application = core::program_name(experiment.executable, program);
  profile.command = experiment.command;
  profile.parameter_names = experiment.parameter_names;
  profile.scaling = experiment.scaling;
  SymbolCache symbols;
  for (size_t i = 0; i < entries.size(); ++i) {
    const ModuleComparison builds = compare_with_earlier(entries, scans, i);
    profile.runs.push_back(TRY(merge_with_emulated_times(folder, *entries[i], scans[i], options, symbols)));
    core::Run& run = profile.runs.back();
    if (!builds.refused.empty()) {
      return Error{ErrorCode::kInput, run.id + " does not belong to the other runs: " + builds.refused,
                   "measure all of them with one build: begin again with `scalediag profile --fresh`", folder.path()};
    }
    if (!builds.told.empty()) run.warnings.push_back(builds.told);
  }
  return profile;
}

}  // namespace scalediag::merge
