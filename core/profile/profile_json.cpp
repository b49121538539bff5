#include "core/profile/profile_json.h"

#include <algorithm>

#include "core/atomic_file.h"
#include "core/json/json_reader.h"
#include "core/json/json_split.h"
#include "core/parallel.h"
#include "core/profile/profile_check.h"
#include "core/text/shell_words.h"

namespace scalediag::core {
namespace {

void read_quantiles(const JsonNode& node, RankQuantiles& quantiles) {
  std::vector<double> values;
  node.read("quantiles", values);
  if (values.size() == quantiles.size()) {
    std::copy(values.begin(), values.end(), quantiles.begin());
  } else {
    node.fail("quantiles", "has " + std::to_string(values.size()) + " values instead of 5");
  }
}

void read(const JsonNode& node, const char* key, OverRanks& v) {
  node.object(key, [&v](const JsonNode& n) {
    n.read("sum", v.sum);
    n.read("mean", v.mean);
    n.read("min", v.min);
    n.read("max", v.max);
    n.read("rank_of_min", v.rank_of_min, 0);
    n.read("rank_of_max", v.rank_of_max, 0);
    if (n.has("quantiles")) read_quantiles(n, v.quantiles.emplace());
  });
}

void read_metrics(const JsonNode& node, std::map<std::string, OverRanks>& metrics) {
  node.object("metrics", [&](const JsonNode& values) {
    node.each_field("metrics",
                    [&](const std::string& name, const JsonNode&) { read(values, name.c_str(), metrics[name]); });
  });
}

template <class Kind, size_t N>
void read_kind(const JsonNode& node, const Kind (&kinds)[N], const char* expected, Kind& to) {
  std::string kind;
  node.read("kind", kind);
  const auto known = std::ranges::find_if(kinds, [&](Kind k) { return kind == name_of(k); });
  if (known != std::end(kinds)) {
    to = *known;
  } else {
    node.fail("kind", "expected " + std::string(expected) + ", found \"" + kind + "\"");
  }
}

Kernel read_kernel(const JsonNode& node) {
  Kernel kernel;
  node.read("name", kernel.name);
  node.read("module", kernel.module);
  node.read("file", kernel.file);
  node.read("line", kernel.line, 0);
  constexpr KernelKind kKinds[] = {KernelKind::kFunction, KernelKind::kSystem, KernelKind::kGpu, KernelKind::kWaiting};
  read_kind(node, kKinds, R"("function", "system", "gpu" or "waiting")", kernel.kind);
  node.read("samples", kernel.samples);
  read_metrics(node, kernel.metrics);
  if (node.has("count_errors")) node.read("count_errors", kernel.count_errors);
  if (node.has("resources")) node.read("resources", kernel.resources);
  if (node.has("resource_notes")) node.read("resource_notes", kernel.resource_notes);
  return kernel;
}

MpiClass read_class(const JsonNode& node) {
  MpiClass c;
  node.read("communicator_size", c.communicator_size, 0);
  node.read("bytes_from", c.bytes_from);
  node.read("bytes_to", c.bytes_to);
  read(node, "calls", c.calls);
  read(node, "bytes", c.bytes);
  read(node, "wall_s", c.wall_s);
  read(node, "blocked_s", c.blocked_s);
  node.read("shortest_call_s", c.shortest_call_s);
  node.read("longest_call_s", c.longest_call_s);
  return c;
}

// The fields that sites of MPI and of files share.
template <class Site>
Site read_site(const JsonNode& node) {
  Site site;
  node.read("function", site.function);
  node.read("module", site.module);
  node.read("file", site.file);
  node.read("line", site.line, 0);
  node.read("address", site.address);
  node.read("through", site.through);
  read(node, "calls", site.calls);
  read(node, "bytes", site.bytes);
  read(node, "time_s", site.time_s);
  return site;
}

MpiSite read_mpi_site(const JsonNode& node) {
  auto site = read_site<MpiSite>(node);
  read(node, "wall_s", site.wall_s);
  read(node, "blocked_s", site.blocked_s);
  node.read("samples", site.samples);
  node.each("classes", [&](const JsonNode& c) { site.classes.push_back(read_class(c)); });
  return site;
}

SlowestRank read_slowest(const JsonNode& node) {
  SlowestRank slowest;
  node.read("rank", slowest.rank, 0);
  node.read("calls", slowest.calls);
  node.read("bytes", slowest.bytes);
  node.read("time_s", slowest.time_s);
  return slowest;
}

MpiOperation read_operation(const JsonNode& node) {
  MpiOperation operation;
  node.read("operation", operation.operation);
  read(node, "calls", operation.calls);
  read(node, "bytes", operation.bytes);
  read(node, "time_s", operation.time_s);
  read(node, "wall_s", operation.wall_s);
  read(node, "cpu_s", operation.cpu_s);
  read(node, "blocked_s", operation.blocked_s);
  node.read("samples", operation.samples);
  if (node.has("metrics")) read_metrics(node, operation.metrics);
  node.each("classes", [&](const JsonNode& c) { operation.classes.push_back(read_class(c)); });
  if (node.has("slowest")) node.object("slowest", [&](const JsonNode& s) { operation.slowest = read_slowest(s); });
  if (node.has("sites")) {
    node.each("sites", [&](const JsonNode& site) { operation.sites.push_back(read_mpi_site(site)); });
  }
  return operation;
}

FileOperation read_file_operation(const JsonNode& node) {
  FileOperation operation;
  node.read("operation", operation.operation);
  read(node, "calls", operation.calls);
  read(node, "bytes", operation.bytes);
  read(node, "time_s", operation.time_s);
  if (node.has("sites")) {
    node.each("sites", [&](const JsonNode& site) { operation.sites.push_back(read_site<FileSite>(site)); });
  }
  return operation;
}

GpuOperation read_gpu_operation(const JsonNode& node) {
  GpuOperation operation;
  node.read("operation", operation.operation);
  node.read("kind", operation.kind);
  node.read("detail", operation.detail);
  node.read("in_mpi", operation.in_mpi);
  read(node, "calls", operation.calls);
  read(node, "bytes", operation.bytes);
  read(node, "time_s", operation.time_s);
  read(node, "device_s", operation.device_s);
  read(node, "timed_calls", operation.timed_calls);
  node.each("sites", [&](const JsonNode& site) { operation.sites.push_back(read_site<FileSite>(site)); });
  return operation;
}

GpuDevice read_gpu_device(const JsonNode& node) {
  GpuDevice device;
  node.read("host", device.host);
  node.read("device", device.device);
  node.read("ranks", device.ranks, 0);
  return device;
}

Region read_region(const JsonNode& node) {
  Region region;
  node.read("name", region.name);
  node.read("parent", region.parent);
  node.read("source", region.source);
  node.read("note", region.note);
  node.read("of_other_threads", region.of_other_threads);
  read(node, "count", region.count);
  if (node.has("rounds_of")) node.read("rounds_of", region.rounds_of);
  read(node, "elapsed_s", region.elapsed_s);
  read(node, "cpu_s", region.cpu_s);
  read(node, "computation_s", region.computation_s);
  read(node, "communication_s", region.communication_s);
  if (node.has("parallel")) {
    node.object("parallel", [&](const JsonNode& threads) {
      ParallelThreads& parallel = region.parallel.emplace();
      threads.read("threads", parallel.most, 0);
      read(threads, "busy_s", parallel.busy_s);
      read(threads, "idle_s", parallel.idle_s);
      read(threads, "slowest_s", parallel.slowest_s);
      read(threads, "busy_cpu_s", parallel.busy_cpu_s);
    });
  }
  if (!node.has("parameters")) return region;
  node.each_field("parameters", [&](const std::string& name, const JsonNode& value) {
    RegionParameter& p = region.parameters[name];
    value.read("n", p.n);
    value.read("mean", p.mean);
    value.read("min", p.min);
    value.read("max", p.max);
  });
  return region;
}

CallPath read_call_path(const JsonNode& node) {
  CallPath path;
  node.read("parent", path.parent, -1);
  node.read("function", path.function);
  node.read("module", path.module);
  node.read("file", path.file);
  node.read("line", path.line, 0);
  constexpr CallPathKind kKinds[] = {CallPathKind::kFunction, CallPathKind::kMpi, CallPathKind::kOther};
  read_kind(node, kKinds, R"("function", "mpi" or "other")", path.kind);
  node.read("samples", path.samples);
  read(node, "inclusive_s", path.inclusive_s);
  read(node, "exclusive_s", path.exclusive_s);
  return path;
}

void read_times(const JsonNode& node, RunTimes& times) {
  read(node, "total_s", times.total_s);
  read(node, "computation_s", times.computation_s);
  // Profiles of versions that counted it as computation do not have it.
  if (node.has("openmp_waiting_s")) read(node, "openmp_waiting_s", times.openmp_waiting_s);
  if (node.has("gpu_s")) read(node, "gpu_s", times.gpu_s);
  read(node, "communication_s", times.communication_s);
  read(node, "others_s", times.others_s);
  read(node, "unattributed_s", times.unattributed_s);
  read(node, "wall_s", times.wall_s);
  read(node, "cpu_s", times.cpu_s);
  read(node, "collector_s", times.collector_s);
  if (node.has("asleep_s")) read(node, "asleep_s", times.asleep_s.emplace());
  if (node.has("children_s")) read(node, "children_s", times.children_s.emplace());
}

PeerTraffic read_peer(const JsonNode& node) {
  PeerTraffic peer;
  size_t column = 0;
  node.each_element([&](const JsonNode& value) {
    switch (column++) {
      case 0:
        return value.get(peer.from, 0);
      case 1:
        return value.get(peer.to, 0);
      case 2:
        return value.get(peer.messages);
      case 3:
        return value.get(peer.bytes);
      default:
        return value.fail("expected four values: from, to, messages, bytes");
    }
  });
  if (column < 4) node.fail("expected four values: from, to, messages, bytes");
  return peer;
}

CounterEvent read_counter_event(const JsonNode& node) {
  CounterEvent event;
  node.read("event", event.event);
  node.read("metric", event.metric);
  node.read("derived", event.derived);
  node.read("formula_or_source", event.formula_or_source);
  return event;
}

SampledEvent read_sampled_event(const JsonNode& node) {
  SampledEvent event;
  node.read("event", event.event);
  node.read("period", event.period);
  node.read("overflows", event.overflows);
  node.read("counted", event.counted);
  return event;
}

Clock read_clock(const JsonNode& node) {
  std::string clock;
  node.read("clock", clock);
  if (clock == name_of(Clock::kWall)) return Clock::kWall;
  if (clock != name_of(Clock::kCpu)) node.fail("clock", "expected \"cpu\" or \"wall\", found \"" + clock + "\"");
  return Clock::kCpu;
}

Run read_profile_run(const JsonNode& node) {
  Run run;
  node.read("id", run.id);
  node.read("np", run.np, 1);
  node.read("parameters", run.parameters);
  node.read("repeat", run.repeat, 0);
  node.read("complete", run.complete);
  node.read("reason", run.reason);
  run.clock = read_clock(node);
  node.read("clock_reason", run.clock_reason);
  if (node.has("emulated")) {
    node.object("emulated", [&](const JsonNode& on) {
      run.emulated.emplace();
      on.read("network", run.emulated->network);
      on.read("cpu_factor", run.emulated->cpu_factor);
    });
  }
  node.read("counters", run.counters);
  if (node.has("counters_reason")) node.read("counters_reason", run.counters_reason);
  if (node.has("counter_events")) {
    node.each("counter_events", [&](const JsonNode& e) { run.counter_events.push_back(read_counter_event(e)); });
  }
  if (node.has("counter_method")) node.read("counter_method", run.counter_method);
  if (node.has("sampled_events")) {
    node.each("sampled_events", [&](const JsonNode& e) { run.sampled_events.push_back(read_sampled_event(e)); });
  }
  if (node.has("counted_ranks")) node.read("counted_ranks", run.counted_ranks, 0);
  if (node.has("measured_llc_bytes")) node.read("measured_llc_bytes", run.measured_llc_bytes);
  node.read("sampler", run.sampler);
  node.read("sampling_rate_hz", run.sampling_rate_hz);
  node.read("mpi_library", run.mpi_library);
  node.read("hosts", run.hosts);
  node.read("threads_max", run.threads_max, 0);
  node.read("samples", run.samples);
  node.read("lost_samples", run.lost_samples);
  node.read("warnings", run.warnings);
  node.object("time", [&](const JsonNode& time) { read_times(time, run.times); });
  node.each("kernels", [&](const JsonNode& kernel) { run.kernels.push_back(read_kernel(kernel)); });
  node.each("mpi", [&](const JsonNode& operation) { run.operations.push_back(read_operation(operation)); });
  if (node.has("files")) {
    node.each("files", [&](const JsonNode& f) { run.files.push_back(read_file_operation(f)); });
  }
  if (node.has("gpu")) {
    node.each("gpu", [&](const JsonNode& g) { run.gpu.push_back(read_gpu_operation(g)); });
    node.each("gpu_devices", [&](const JsonNode& d) { run.gpu_devices.push_back(read_gpu_device(d)); });
    node.read("gpu_timed_by", run.gpu_timed_by);
    if (node.has("gpu_busy")) {
      node.object("gpu_busy", [&](const JsonNode& busy) {
        GpuBusy& to = run.gpu_busy.emplace();
        read(busy, "kernels_s", to.kernels_s);
        read(busy, "transfers_s", to.transfers_s);
        read(busy, "busy_s", to.busy_s);
      });
    }
  }
  if (node.has("memory_peak_bytes")) read(node, "memory_peak_bytes", run.memory_peak_bytes.emplace());
  if (node.has("memory_peak_node_bytes")) node.read("memory_peak_node_bytes", run.memory_peak_node_bytes.emplace());
  if (node.has("call_paths")) {
    node.each("call_paths", [&](const JsonNode& path) { run.call_paths.push_back(read_call_path(path)); });
    node.read("call_paths_from", run.call_paths_from);
  }
  if (node.has("regions")) {
    node.each("regions", [&](const JsonNode& region) { run.regions.push_back(read_region(region)); });
  }
  if (node.has("openmp")) {
    node.object("openmp", [&](const JsonNode& times) {
      OpenMpTimes& openmp = run.openmp.emplace();
      read(times, "inside_s", openmp.inside_s);
      read(times, "outside_s", openmp.outside_s);
      read(times, "outside_mpi_s", openmp.outside_mpi_s);
    });
  }
  if (node.has("no_main_loop")) node.read("no_main_loop", run.no_main_loop);
  node.object("peers", [&](const JsonNode& peers) {
    peers.read("ranks_per_block", run.ranks_per_block, 1);
    peers.each("entries", [&](const JsonNode& peer) { run.peers.push_back(read_peer(peer)); });
  });
  node.object("ranks", [&](const JsonNode& ranks) {
    ranks.read("computation_s", run.rank_computation_s);
    ranks.read("communication_s", run.rank_communication_s);
    ranks.read("total_s", run.rank_total_s);
  });
  return run;
}

// The raw files beside a profile are its source. A file of another name may be anything.
Error damaged(const std::string& file, const std::string& what) {
  const size_t slash = file.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
  const bool is_of_experiment = file.substr(slash == std::string::npos ? 0 : slash + 1) == "profile.json";
  return {ErrorCode::kInput, file + " is damaged: " + what,
          is_of_experiment ? "`scalediag merge " + quote_shell_word(folder) + "` makes it anew from the raw files"
                           : "if it is no profile: name the folder that `scalediag profile` wrote, or its profile.json",
          file};
}

MachineUsed read_machine_used(const JsonNode& node) {
  MachineUsed machine;
  node.read("host", machine.host);
  node.read("cpu", machine.cpu);
  node.read("cores", machine.cores, 1);
  node.read("created", machine.created);
  node.read("frequency_hz", machine.frequency_hz);
  node.read("line_bytes", machine.line_bytes);
  node.read("smallest_cpi", machine.smallest_cpi);
  node.read("bandwidth_bytes_per_s", machine.bandwidth_bytes_per_s);
  node.read("latency_s", machine.latency_s);
  return machine;
}

Profile read_document(const JsonNode& root) {
  Profile profile;
  root.read("application", profile.application);
  root.read("command", profile.command);
  root.read("parameter_names", profile.parameter_names);
  if (root.has("scaling")) root.read("scaling", profile.scaling);
  root.each("runs", [&](const JsonNode& run) { profile.runs.push_back(read_profile_run(run)); });
  if (root.has("machine")) {
    root.object("machine", [&](const JsonNode& machine) { profile.machine = read_machine_used(machine); });
  }
  return profile;
}

// Smaller profiles are read faster than threads would begin.
constexpr size_t kLarge = 4'000'000;

std::optional<Run> parse_run(std::string_view text) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) return std::nullopt;
  std::optional<std::string> failure;
  Run run = read_profile_run(JsonNode(document, failure));
  return failure ? std::nullopt : std::optional(std::move(run));
}

// A large profile, its runs read at the same time. Empty where it has an error, for which reading it as a whole gives
// the message.
std::optional<Profile> read_runs_apart(const std::string& text, const std::string& file) {
  const std::optional<SplitJson> split = split_json_array(text, "runs");
  if (!split) return std::nullopt;
  const nlohmann::json rest = nlohmann::json::parse(split->rest, nullptr, false);
  if (rest.is_discarded() || !check_schema(rest, kProfileSchema, kProfileVersion, file, "")) return std::nullopt;
  std::optional<std::string> failure;
  Profile profile = read_document(JsonNode(rest, failure));
  if (failure) return std::nullopt;

  std::vector<std::optional<Run>> runs(split->elements.size());
  const auto read = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) runs[i] = parse_run(split->elements[i]);
  };
  in_parallel(runs.size(), 0, read, 1);
  for (std::optional<Run>& run : runs) {
    if (!run) return std::nullopt;
    profile.runs.push_back(std::move(*run));
  }
  return find_impossible(profile) ? std::nullopt : std::optional(std::move(profile));
}

}  // namespace

Result<Profile> read_profile(const std::string& path) {
  const Result<std::string> text = read_file(path);
  return text ? parse_profile(text.value(), path) : text.error();
}

Result<Profile> parse_profile(const std::string& text, const std::string& file) {
  if (text.size() >= kLarge) {
    if (std::optional<Profile> profile = read_runs_apart(text, file)) return std::move(*profile);
  }
  const Result<nlohmann::json> document = parse_json(text, file);
  if (!document) {
    Error error = document.error();
    error.hint = damaged(file, "").hint;
    return error;
  }
  const Status schema = check_schema(document.value(), kProfileSchema, kProfileVersion, file, damaged(file, "").hint);
  if (!schema) {
    Error error = schema.error();
    if (error.hint.empty()) error.hint = damaged(file, "").hint;
    return error;
  }

  std::optional<std::string> failure;
  Profile profile = read_document(JsonNode(document.value(), failure));
  if (!failure) failure = find_impossible(profile);
  if (failure) return damaged(file, *failure);
  return profile;
}

}  // namespace scalediag::core
