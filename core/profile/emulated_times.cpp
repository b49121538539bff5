#include "core/profile/emulated_times.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/atomic_file.h"
#include "core/json/json_fields.h"
#include "core/json/json_writer.h"
#include "core/profile/metric_names.h"
#include "core/profile/off_cpu.h"
#include "core/text/formatted.h"
#include "core/text/numbers.h"

namespace scalediag::core {
// The fields of each record, for FieldReader and FieldWriter.

void fields(auto& f, EmulatedCalls& calls) {
  f("operation", calls.operation);
  f("communicator_size", calls.communicator_size, 0);
  f("bytes", calls.bytes);
  f("wall_s", calls.wall_s);
  f("blocked_s", calls.blocked_s);
  f("longest_s", calls.longest_s);
}

void fields(auto& f, EmulatedRegion& region) {
  f("parent", region.parent);
  f("name", region.name);
  f("count", region.count);
  f("elapsed_s", region.elapsed_s);
  f("communication_s", region.communication_s);
}

void fields(auto& f, EmulatedTimes& times) {
  f("network", times.on.network);
  f("cpu_factor", times.on.cpu_factor);
  if (!(times.on.cpu_factor > 0)) f.fail("cpu_factor", "expected a number above 0");
  f("computation_s", times.computation_s);
  f("slept_s", times.slept_s);
  f("calls", times.calls);
  f("regions", times.regions);
}

namespace {

constexpr char kEmulatedSchema[] = "scalediag-emulated";
constexpr int kEmulatedVersion = 2;

std::string file_in(const std::string& run_folder) { return run_folder + "/emulated.json"; }

OverRanks over(const std::vector<double>& by_rank) {
  OverRanksBuilder builder;
  for (size_t r = 0; r < by_rank.size(); ++r) builder.add(static_cast<int>(r), by_rank[r]);
  return builder.finish(static_cast<int>(by_rank.size()));
}

OverRanks scaled(OverRanks value, double factor) {
  for (double* part : {&value.sum, &value.mean, &value.min, &value.max}) *part *= factor;
  if (value.quantiles) {
    for (double& quantile : *value.quantiles) quantile *= factor;
  }
  return value;
}

// The least and the greatest value are bounds: those of the parts may be on different ranks.
void add(OverRanks& to, const OverRanks& more) {
  to.sum += more.sum;
  to.mean += more.mean;
  to.min += more.min;
  to.max += more.max;
  to.quantiles.reset();
}

void add(std::vector<double>& to, const std::vector<double>& more, double factor = 1) {
  to.resize(std::max(to.size(), more.size()));
  for (size_t i = 0; i < more.size(); ++i) to[i] += factor * more[i];
}

// The means of blocks of ranks.
std::vector<double> block_means(const std::vector<double>& by_rank, int per_block) {
  std::vector<double> means;
  const auto size = static_cast<size_t>(per_block);
  for (size_t first = 0; first < by_rank.size(); first += size) {
    const size_t end = std::min(first + size, by_rank.size());
    double sum = 0;
    for (size_t r = first; r < end; ++r) sum += by_rank[r];
    means.push_back(sum / static_cast<double>(end - first));
  }
  return means;
}

// What calls took, by class of an operation.
struct ClassTimes {
  std::vector<double> wall_s, blocked_s;
  double longest_s = 0;
};

// Calls that the profile has in another class, as it counts a collective's bytes otherwise, are shared by the classes
// of their communicator, or else by all, as these are called.
std::vector<double> shares(const std::vector<MpiClass>& classes, const EmulatedCalls& calls) {
  const auto take = [&](auto&& takes) {
    std::vector<double> shares;
    double sum = 0;
    for (const MpiClass& c : classes) sum += shares.emplace_back(takes(c) ? c.calls.sum : 0);
    for (double& share : shares) share = sum > 0 ? share / sum : 0;
    return sum > 0 ? shares : std::vector<double>{};
  };
  const auto same_size = [&](const MpiClass& c) { return c.communicator_size == calls.communicator_size; };
  auto found =
      take([&](const MpiClass& c) { return same_size(c) && c.bytes_from <= calls.bytes && calls.bytes <= c.bytes_to; });
  if (found.empty()) found = take(same_size);
  if (found.empty()) found = take([](const MpiClass&) { return true; });
  return found;
}

void set_class(MpiClass& c, const ClassTimes& times) {
  c.wall_s = over(times.wall_s);
  c.blocked_s = over(times.blocked_s);
  const double calls = std::max(1.0, c.calls.sum);
  c.shortest_call_s = std::max(0.0, c.wall_s.sum - c.blocked_s.sum) / calls;
  c.longest_call_s = std::max({times.longest_s, c.shortest_call_s, c.wall_s.sum / calls});
}

// The calls of a site took as long as all calls of their class.
void set_site(MpiSite& site, const std::vector<MpiClass>& classes) {
  site.time_s = site.wall_s = site.blocked_s = {};
  for (MpiClass& c : site.classes) {
    const auto same = [&](const MpiClass& all) {
      return all.communicator_size == c.communicator_size && all.bytes_from == c.bytes_from;
    };
    const auto all = std::ranges::find_if(classes, same);
    const double n = all == classes.end() ? 0 : all->calls.sum;
    c.wall_s = n > 0 ? scaled(c.calls, all->wall_s.sum / n) : OverRanks{};
    c.blocked_s = n > 0 ? scaled(c.calls, all->blocked_s.sum / n) : OverRanks{};
    c.shortest_call_s = n > 0 ? all->shortest_call_s : 0;
    c.longest_call_s = n > 0 ? all->longest_call_s : 0;
    add(site.wall_s, c.wall_s);
    add(site.blocked_s, c.blocked_s);
  }
  const auto longest = std::ranges::max_element(
      site.classes, [](const MpiClass& a, const MpiClass& b) { return a.wall_s.max < b.wall_s.max; });
  if (longest != site.classes.end()) site.wall_s.rank_of_max = longest->wall_s.rank_of_max;
  site.time_s = site.wall_s;
}

void set_operation(MpiOperation& operation, const std::vector<const EmulatedCalls*>& calls, int np) {
  std::vector<double> wall_s(static_cast<size_t>(np)), blocked_s(wall_s);
  std::vector<ClassTimes> of(operation.classes.size(), {wall_s, wall_s});
  for (const EmulatedCalls* one : calls) {
    add(wall_s, one->wall_s);
    add(blocked_s, one->blocked_s);
    const auto parts = shares(operation.classes, *one);
    for (size_t c = 0; c < parts.size(); ++c) {
      if (parts[c] == 0) continue;
      add(of[c].wall_s, one->wall_s, parts[c]);
      add(of[c].blocked_s, one->blocked_s, parts[c]);
      of[c].longest_s = std::max(of[c].longest_s, one->longest_s);
    }
  }
  operation.time_s = operation.wall_s = over(wall_s);
  operation.blocked_s = over(blocked_s);
  if (operation.slowest) {
    // Calls and bytes of that rank are not known; those of the mean rank stand for them.
    operation.slowest =
        SlowestRank{operation.time_s.rank_of_max, operation.calls.mean, operation.bytes.mean, operation.time_s.max};
  }
  for (size_t c = 0; c < of.size(); ++c) set_class(operation.classes[c], of[c]);
  for (MpiSite& site : operation.sites) set_site(site, operation.classes);
  std::ranges::stable_sort(operation.sites,
                           [](const MpiSite& a, const MpiSite& b) { return a.time_s.mean > b.time_s.mean; });
}

// Returns the time of all calls, by rank.
std::vector<double> set_operations(const EmulatedTimes& times, Run& run) {
  std::vector<double> all(static_cast<size_t>(run.np));
  for (const EmulatedCalls& calls : times.calls) {
    const auto same = [&](const MpiOperation& o) { return o.operation == calls.operation; };
    if (std::ranges::none_of(run.operations, same)) {
      run.operations.emplace_back().operation = calls.operation;
    }
    add(all, calls.wall_s);
  }
  for (MpiOperation& operation : run.operations) {
    std::vector<const EmulatedCalls*> its;
    for (const EmulatedCalls& calls : times.calls) {
      if (calls.operation == operation.operation) its.push_back(&calls);
    }
    set_operation(operation, its, run.np);
  }
  std::ranges::stable_sort(run.operations, [](const MpiOperation& a, const MpiOperation& b) {
    return a.time_s.mean != b.time_s.mean ? a.time_s.mean > b.time_s.mean : a.operation < b.operation;
  });
  return all;
}

// What the emulated computation without sleep is of the CPU time that was sampled; 0 without samples.
double scale_of_kernels(const EmulatedTimes& times, const Run& run) {
  const double sampled_s = run.times.computation_s.sum + run.times.openmp_waiting_s.sum;
  const double awake_s = over(times.computation_s).sum - over(times.slept_s).sum;
  return sampled_s > 0 ? std::max(0.0, awake_s) / sampled_s : 0;
}

// Samples of one rank differ by their square root, and of all threads are more than the emulated one's.
void warn_of_scale(double scale, double factor, Run& run) {
  constexpr double kTolerable = 0.1, kDeviations = 3;
  const double off = scale / factor - 1;
  const double by_chance = kDeviations / std::sqrt(std::max(1.0, static_cast<double>(run.samples)));
  if (scale == 0 || std::abs(off) <= kTolerable + by_chance) return;
  run.warnings.push_back(
      formatted("the CPU time that was sampled in functions is %.3g times the emulated computation: all functions are "
                "shown with their shares of the latter",
                factor / scale));
}

void set_kernels(const EmulatedTimes& times, double scale, Run& run) {
  for (Kernel& kernel : run.kernels) {
    if (const auto time = kernel.metrics.find(metric::kTime); time != kernel.metrics.end()) {
      time->second = scaled(time->second, scale);
    }
  }
  const OverRanks slept = over(times.slept_s);
  if (slept.sum > 0) {
    Kernel& off = run.kernels.emplace_back();
    off.name = kOffCpu;
    off.kind = KernelKind::kSystem;
    off.metrics[metric::kTime] = slept;
  }
  const auto time_of = [](const Kernel& kernel) {
    const auto time = kernel.metrics.find(metric::kTime);
    return time == kernel.metrics.end() ? 0 : time->second.mean;
  };
  std::ranges::stable_sort(run.kernels, [&](const Kernel& a, const Kernel& b) {
    const double of_a = time_of(a), of_b = time_of(b);
    return of_a != of_b ? of_a > of_b : a.name < b.name;
  });
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> rest;
  for (size_t i = 0; i < a.size(); ++i) rest.push_back(std::max(0.0, a[i] - b[i]));
  return rest;
}

// Two interfaces may name regions alike: they share the marks, so that the first one has the time.
void set_regions(const EmulatedTimes& times, Run& run) {
  std::vector<bool> taken(times.regions.size());
  const auto emulated = [&](const Region& region) -> const EmulatedRegion* {
    if (region.of_other_threads || region.parallel || region.name == kMainLoop) return nullptr;
    for (size_t i = 0; i < times.regions.size(); ++i) {
      const EmulatedRegion& e = times.regions[i];
      if (taken[i] || e.name != region.name || e.parent != region.parent) continue;
      taken[i] = true;
      return &e;
    }
    return nullptr;
  };
  std::vector<Region> regions;
  for (Region& region : run.regions) {
    const EmulatedRegion* e = emulated(region);
    if (e == nullptr) continue;
    const auto computation_s = difference(e->elapsed_s, e->communication_s);
    region.count = over(e->count);
    region.elapsed_s = over(e->elapsed_s);
    region.communication_s = over(e->communication_s);
    region.cpu_s = region.computation_s = over(computation_s);
    regions.push_back(std::move(region));
  }
  run.regions = std::move(regions);
}

// Checks that each list has a time of every rank.
void check_times(const EmulatedTimes& times, int np, const JsonNode& root) {
  const auto check = [&](const std::string& key, const std::vector<double>& values) {
    const auto is_time = [](double value) { return value >= 0; };
    if (values.size() != static_cast<size_t>(np) || !std::ranges::all_of(values, is_time)) {
      root.fail(key.c_str(), "expected " + std::to_string(np) + " times");
    }
  };
  check("computation_s", times.computation_s);
  check("slept_s", times.slept_s);
  for (size_t i = 0; i < times.calls.size(); ++i) {
    const std::string at = "calls[" + std::to_string(i) + "].";
    check(at + "wall_s", times.calls[i].wall_s);
    check(at + "blocked_s", times.calls[i].blocked_s);
  }
  for (size_t i = 0; i < times.regions.size(); ++i) {
    const std::string at = "regions[" + std::to_string(i) + "].";
    check(at + "count", times.regions[i].count);
    check(at + "elapsed_s", times.regions[i].elapsed_s);
    check(at + "communication_s", times.regions[i].communication_s);
  }
}

}  // namespace

Status write_emulated_times(const EmulatedTimes& times, const std::string& run_folder) {
  const auto document =
      json_of_record(times, {{"schema", std::string(kEmulatedSchema) + "/" + std::to_string(kEmulatedVersion)}});
  const auto text = TRY(to_json_text(document, 2));
  return write_own_file_atomically(file_in(run_folder), text);
}

Result<std::optional<EmulatedTimes>> read_emulated_times(const std::string& run_folder, int np) {
  const std::string file = file_in(run_folder);
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) return std::optional<EmulatedTimes>();
  const auto text = TRY(read_file(file));
  auto document = TRY(parse_json(text, file));
  TRY(check_schema(document, kEmulatedSchema, kEmulatedVersion, file, "emulate the run again"));
  std::optional<std::string> wrong;
  const JsonNode root(document, wrong);
  auto times = record_of<EmulatedTimes>(root);
  check_times(times, np, root);
  if (!wrong) return std::optional(std::move(times));
  return Error{ErrorCode::kInput, file + ": " + *wrong, "emulate the run again", file};
}

void put_emulated_times(const EmulatedTimes& times, Run& run) {
  RunTimes& t = run.times;
  const bool has_blocks = !run.rank_total_s.empty();
  const double scale = scale_of_kernels(times, run);
  const double sampled_s = t.computation_s.sum + t.openmp_waiting_s.sum;
  const double waiting_share = sampled_s > 0 ? t.openmp_waiting_s.sum / sampled_s : 0;
  const std::vector<double> communication_s = set_operations(times, run);
  warn_of_scale(scale, times.on.cpu_factor, run);
  set_kernels(times, scale, run);
  set_regions(times, run);

  // What ranks do awake is computation, the waiting of OpenMP's threads or, without samples, of nobody.
  const std::vector<double> none(times.slept_s.size());
  std::vector<double> computation_s = times.slept_s, waiting_s = none, unattributed_s = none, total_s = communication_s;
  const std::vector<double> awake_s = difference(times.computation_s, times.slept_s);
  add(total_s, times.slept_s);
  add(total_s, awake_s);
  add(waiting_s, awake_s, waiting_share);
  add(sampled_s > 0 ? computation_s : unattributed_s, awake_s, 1 - waiting_share);
  t.total_s = over(total_s);
  t.computation_s = over(computation_s);
  t.openmp_waiting_s = over(waiting_s);
  t.communication_s = over(communication_s);
  t.unattributed_s = over(unattributed_s);
  t.others_s = over(none);
  if (has_blocks) {
    run.rank_total_s = block_means(total_s, run.ranks_per_block);
    run.rank_computation_s = block_means(computation_s, run.ranks_per_block);
    run.rank_communication_s = block_means(communication_s, run.ranks_per_block);
  }
  t.asleep_s.reset();
  run.files.clear();
  run.openmp.reset();
  run.no_main_loop = "it is not looked for in emulated runs, which are to cost little";
  run.clock = Clock::kWall;
  run.clock_reason = description(times.on);
  run.emulated = times.on;
}

std::string description(const Emulated& on) {
  return "emulated on the network " + on.network + ": communication is what calls take there, computation CPU time" +
         (on.cpu_factor == 1 ? "" : " x " + to_text(on.cpu_factor));
}

}  // namespace scalediag::core
