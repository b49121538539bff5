#include "collector/merge/gpu/gpu_call_table.h"

#include <algorithm>

#include "collector/merge/symbols/mpi_modules.h"
#include "collector/merge/symbols/symbol_names.h"
#include "core/raw/gpu_functions.h"
#include "core/text/join.h"
#include "core/text/quantities.h"

namespace scalediag::merge {
namespace {

// The part of the total from which the imbalance of devices is said to be missing.
constexpr double kTellingGpuShare = 0.1;

raw::GpuCallKind kind_of(const raw::GpuPlace& place) { return static_cast<raw::GpuCallKind>(place.kind); }

bool copies(raw::GpuCallKind kind) { return kind == raw::GpuCallKind::kCopy || kind == raw::GpuCallKind::kCopyWait; }

// The kernel's readable name, for a launch.
std::string detail_of(const raw::GpuPlace& place) {
  return kind_of(place) == raw::GpuCallKind::kLaunch ? readable_name(place.detail) : place.detail;
}

// A number says which device it is among the visible ones only.
std::string device_of(const raw::GpuUse& use) {
  const bool is_address = use.device.find(':') != std::string::npos;
  return is_address || use.visible.empty() ? use.device : use.device + " of " + use.visible;
}

}  // namespace

void GpuCallTable::Totals::add(const Totals& other) {
  calls += other.calls;
  bytes += other.bytes;
  time_s += other.time_s;
  device_s += other.device_s;
  timed_calls += other.timed_calls;
}

void GpuCallTable::Row::add(int rank, const Totals& totals) {
  calls.add(rank, totals.calls);
  bytes.add(rank, totals.bytes);
  time_s.add(rank, totals.time_s);
  device_s.add(rank, totals.device_s);
  timed_calls.add(rank, totals.timed_calls);
}

GpuTime GpuCallTable::add(const RankRecord& record, core::Clock clock, SiteResolver& resolver, KernelTable& kernels) {
  const int rank = static_cast<int>(record.rank);
  const double tick = seconds_per_tick(record);
  GpuTime time;
  // Several recorded places may be one in the source, and a rank is added once to a row.
  std::map<Id, Totals> totals;
  std::map<Id, std::map<core::CallSite, Totals>> sites;
  std::map<size_t, KernelTotals> of_kernels;
  double kernels_s = 0, transfers_s = 0, communication_s = 0;
  struct Asked {
    double launches = 0, bytes = 0;
    std::set<size_t> kernels;
  };
  std::map<std::pair<std::string, std::string>, Asked> asked;  // by function and module
  for (const auto& [number, p] : record.gpu_places) {
    const double main_s = static_cast<double>(p.totals.main_ticks) * tick;
    const double all_s = main_s + static_cast<double>(p.totals.other_ticks) * tick;
    const Totals part{static_cast<double>(p.totals.calls), static_cast<double>(p.totals.bytes), all_s,
                      1e-9 * static_cast<double>(p.totals.device_ns), static_cast<double>(p.totals.timed_calls)};
    const Id id{p.place.function, detail_of(p.place), p.place.in_mpi != 0};
    rows_[id].kind = raw::kGpuCallKindNames[p.place.kind];
    totals[id].add(part);
    (kind_of(p.place) == raw::GpuCallKind::kLaunch       ? kernels_s
     : kind_of(p.place) == raw::GpuCallKind::kCollective ? communication_s
                                                         : transfers_s) += part.device_s;
    if (p.totals.calls == 0) continue;  // the device's time alone, which nobody called for
    const core::CallSite site = resolver.site_of_gpu_call(p.place, std::get<1>(id));
    sites[id][site].add(part);
    if (p.place.in_mpi != 0) continue;
    time.main += main_s;
    time.all += all_s;
    const size_t kernel =
        kernels.index_of_gpu_calls(raw::waits_for_device(kind_of(p.place)), site.function, site.module);
    of_kernels[kernel].time_s += clock == core::Clock::kCpu ? all_s : main_s;
    Asked& by_function = asked[{site.function, site.module}];
    by_function.kernels.insert(kernel);
    if (kind_of(p.place) == raw::GpuCallKind::kLaunch) by_function.launches += part.calls;
    if (copies(kind_of(p.place))) by_function.bytes += part.bytes;
  }
  for (const auto& [id, of_id] : totals) rows_[id].add(rank, of_id);
  for (const auto& [id, of_id] : sites) {
    for (const auto& [site, part] : of_id) {
      SiteRow& row = sites_[id][site];
      row.calls.add(rank, part.calls);
      row.bytes.add(rank, part.bytes);
      row.time_s.add(rank, part.time_s);
    }
  }
  for (const auto& [function, by_function] : asked) {
    for (const size_t kernel : by_function.kernels) {
      of_kernels[kernel].gpu_launches = by_function.launches;
      of_kernels[kernel].gpu_bytes = by_function.bytes;
    }
  }
  for (const auto& [kernel, of_kernel] : of_kernels) kernels.add(rank, kernel, of_kernel);

  busy_.kernels_s.add(rank, kernels_s);
  busy_.transfers_s.add(rank, transfers_s);
  busy_.busy_s.add(rank, kernels_s + transfers_s);
  busy_.communication_s.add(rank, communication_s);
  busy_.communicates = busy_.communicates || communication_s > 0;
  if (record.gpu_use) {
    if (!record.gpu_use->device.empty()) ++devices_[{record.identity->host, device_of(*record.gpu_use)}];
    if (timed_by_.empty()) timed_by_ = record.gpu_use->timed_by;
    if (problem_.empty()) problem_ = record.gpu_use->problem;
  }
  if (record.gpu_places.empty()) {
    bool has_driver = false;
    for (const auto& [epoch, modules] : record.modules) {
      for (const ModuleSpan& m : modules) {
        if (!raw::is_gpu_driver(m.path)) continue;
        unseen_drivers_.emplace(file_name(m.path));
        has_driver = true;
      }
    }
    if (has_driver) ++ranks_unseen_;
  }
  return time;
}

// A program whose calls are not seen looks as if it computed while it waits for the device.
void GpuCallTable::warn_of_unseen(core::Run& run) const {
  if (ranks_unseen_ == 0) return;
  run.warnings.push_back(
      core::counted(ranks_unseen_, "rank") + " loaded a library for GPUs (" + core::join(unseen_drivers_) +
      ") without a call that was seen: if the program uses a GPU, what it does there and the waiting "
      "for it count as computation (docs/gpu.md)");
}

void GpuCallTable::warn_of_shared_devices(core::Run& run) const {
  int most = 0, shared = 0;
  for (const core::GpuDevice& d : run.gpu_devices) {
    most = std::max(most, d.ranks);
    shared += d.ranks > 1 ? 1 : 0;
  }
  if (shared == 0) return;
  run.warnings.push_back(core::counted(shared, "GPU") + (shared == 1 ? " is" : " are") + " shared by up to " +
                         std::to_string(most) +
                         " ranks: they wait for each other's kernels, which is no property of the program");
}

void GpuCallTable::finish(int n_ranks, core::Run& run) const {
  for (const auto& [id, row] : rows_) {
    core::GpuOperation& o = run.gpu.emplace_back();
    std::tie(o.operation, o.detail, o.in_mpi) = id;
    o.kind = row.kind;
    o.calls = row.calls.finish(n_ranks);
    o.bytes = row.bytes.finish(n_ranks);
    o.time_s = row.time_s.finish(n_ranks);
    o.device_s = row.device_s.finish(n_ranks);
    o.timed_calls = row.timed_calls.finish(n_ranks);
    const auto sites = sites_.find(id);
    if (sites == sites_.end()) continue;
    for (const auto& [site, s] : sites->second) {
      o.sites.push_back({site, s.calls.finish(n_ranks), s.bytes.finish(n_ranks), s.time_s.finish(n_ranks)});
    }
    std::ranges::stable_sort(o.sites, [](const auto& a, const auto& b) { return a.time_s.mean > b.time_s.mean; });
  }
  // The sort is stable: rows are by name and detail.
  std::ranges::stable_sort(run.gpu, [](const auto& a, const auto& b) { return a.time_s.mean > b.time_s.mean; });
  for (const auto& [device, ranks] : devices_) run.gpu_devices.push_back({device.first, device.second, ranks});
  run.gpu_timed_by = run.gpu.empty() ? "" : timed_by_;
  if (!run.gpu_timed_by.empty()) {
    run.gpu_busy = {
        busy_.kernels_s.finish(n_ranks), busy_.transfers_s.finish(n_ranks), busy_.busy_s.finish(n_ranks), {}};
    if (busy_.communicates) run.gpu_busy->communication_s = busy_.communication_s.finish(n_ranks);
  }
  warn_of_unseen(run);
  warn_of_shared_devices(run);
  if (!problem_.empty()) run.warnings.push_back("the device's time is not known: " + problem_);
  if (run.clock == core::Clock::kCpu && run.times.gpu_s.mean > kTellingGpuShare * run.times.total_s.mean) {
    run.warnings.push_back(
        "ranks shared cores while they used GPUs: calls of GPUs count with their elapsed time, and no waiting in MPI "
        "for ranks with a busier GPU is known; give each rank a core");
  }
}

}  // namespace scalediag::merge
