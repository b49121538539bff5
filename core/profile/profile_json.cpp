#include "core/profile/profile_json.h"

#include "core/atomic_file.h"
#include "core/json/json_fields.h"
#include "core/json/json_split.h"
#include "core/json/json_writer.h"
#include "core/parallel.h"
#include "core/profile/profile_check.h"
#include "core/text/shell_words.h"

namespace scalediag::core {

// The fields of each record, for FieldReader and FieldWriter.

void fields(auto& f, OverRanks& v) {
  f("sum", v.sum);
  f("mean", v.mean);
  f("min", v.min);
  f("max", v.max);
  f("rank_of_min", v.rank_of_min, 0);
  f("rank_of_max", v.rank_of_max, 0);
  f.optional("quantiles", v.quantiles);
}

void fields(auto& f, Kernel& kernel) {
  constexpr KernelKind kKinds[] = {KernelKind::kFunction, KernelKind::kSystem, KernelKind::kGpu, KernelKind::kWaiting};
  f("name", kernel.name);
  f("module", kernel.module);
  f("file", kernel.file);
  f("line", kernel.line, 0);
  f.name("kind", kernel.kind, kKinds, R"("function", "system", "gpu" or "waiting")");
  f("samples", kernel.samples);
  f("metrics", kernel.metrics);
  f.optional("count_errors", kernel.count_errors);
  f.optional("resources", kernel.resources);
  f.optional("resource_notes", kernel.resource_notes);
}

void fields(auto& f, CounterEvent& event) {
  f("event", event.event);
  f("metric", event.metric);
  f("derived", event.derived);
  f("formula_or_source", event.formula_or_source);
}

void fields(auto& f, SampledEvent& event) {
  f("event", event.event);
  f("period", event.period);
  f("overflows", event.overflows);
  f("counted", event.counted);
}

void fields(auto& f, MpiClass& c) {
  f("communicator_size", c.communicator_size, 0);
  f("bytes_from", c.bytes_from);
  f("bytes_to", c.bytes_to);
  f("calls", c.calls);
  f("bytes", c.bytes);
  f("wall_s", c.wall_s);
  f("blocked_s", c.blocked_s);
  f("shortest_call_s", c.shortest_call_s);
  f("longest_call_s", c.longest_call_s);
}

// The fields that sites of MPI and of files share.
void site_fields(auto& f, auto& site) {
  f("function", site.function);
  f("module", site.module);
  f("file", site.file);
  f("line", site.line, 0);
  f("address", site.address);
  f("through", site.through);
  f("calls", site.calls);
  f("bytes", site.bytes);
  f("time_s", site.time_s);
}

void fields(auto& f, FileSite& site) { site_fields(f, site); }

void fields(auto& f, MpiSite& site) {
  site_fields(f, site);
  f("wall_s", site.wall_s);
  f("blocked_s", site.blocked_s);
  f("samples", site.samples);
  f("classes", site.classes);
}

void fields(auto& f, SlowestRank& slowest) {
  f("rank", slowest.rank, 0);
  f("calls", slowest.calls);
  f("bytes", slowest.bytes);
  f("time_s", slowest.time_s);
}

void fields(auto& f, MpiOperation& operation) {
  f("operation", operation.operation);
  f("calls", operation.calls);
  f("bytes", operation.bytes);
  f("time_s", operation.time_s);
  f("wall_s", operation.wall_s);
  f("cpu_s", operation.cpu_s);
  f("blocked_s", operation.blocked_s);
  f("samples", operation.samples);
  f.newer("metrics", operation.metrics);
  f("classes", operation.classes);
  f.optional("slowest", operation.slowest);
  f.optional("sites", operation.sites);
}

void fields(auto& f, FileOperation& operation) {
  f("operation", operation.operation);
  f("calls", operation.calls);
  f("bytes", operation.bytes);
  f("time_s", operation.time_s);
  f.optional("sites", operation.sites);
}

void fields(auto& f, GpuOperation& operation) {
  f("operation", operation.operation);
  f("kind", operation.kind);
  f("detail", operation.detail);
  f("in_mpi", operation.in_mpi);
  f("calls", operation.calls);
  f("bytes", operation.bytes);
  f("time_s", operation.time_s);
  f("device_s", operation.device_s);
  f("timed_calls", operation.timed_calls);
  f("sites", operation.sites);
}

void fields(auto& f, GpuDevice& device) {
  f("host", device.host);
  f("device", device.device);
  f("ranks", device.ranks, 0);
}

void fields(auto& f, GpuBusy& busy) {
  f("kernels_s", busy.kernels_s);
  f("transfers_s", busy.transfers_s);
  f("busy_s", busy.busy_s);
  f.optional("communication_s", busy.communication_s);
}

void fields(auto& f, ParallelThreads& parallel) {
  f("threads", parallel.most, 0);
  f("busy_s", parallel.busy_s);
  f("idle_s", parallel.idle_s);
  f("slowest_s", parallel.slowest_s);
  f("busy_cpu_s", parallel.busy_cpu_s);
}

void fields(auto& f, RegionParameter& parameter) {
  f("n", parameter.n);
  f("mean", parameter.mean);
  f("min", parameter.min);
  f("max", parameter.max);
}

void fields(auto& f, Region& region) {
  f("name", region.name);
  f("parent", region.parent);
  f("source", region.source);
  f("note", region.note);
  f("of_other_threads", region.of_other_threads);
  f("count", region.count);
  f("elapsed_s", region.elapsed_s);
  f("cpu_s", region.cpu_s);
  f("computation_s", region.computation_s);
  f("communication_s", region.communication_s);
  f.optional("rounds_of", region.rounds_of);
  f.optional("parallel", region.parallel);
  f.optional("parameters", region.parameters);
}

void fields(auto& f, CallPath& path) {
  constexpr CallPathKind kKinds[] = {CallPathKind::kFunction, CallPathKind::kMpi, CallPathKind::kOther};
  f("parent", path.parent, -1);
  f("function", path.function);
  f("module", path.module);
  f("file", path.file);
  f("line", path.line, 0);
  f.name("kind", path.kind, kKinds, R"("function", "mpi" or "other")");
  f("samples", path.samples);
  f("inclusive_s", path.inclusive_s);
  f("exclusive_s", path.exclusive_s);
}

void fields(auto& f, RunTimes& times) {
  f("total_s", times.total_s);
  f("computation_s", times.computation_s);
  f.newer("openmp_waiting_s", times.openmp_waiting_s);  // earlier it was computation
  f.newer("gpu_s", times.gpu_s);
  f("communication_s", times.communication_s);
  f("others_s", times.others_s);
  f("unattributed_s", times.unattributed_s);
  f("wall_s", times.wall_s);
  f("cpu_s", times.cpu_s);
  f("collector_s", times.collector_s);
  f.optional("asleep_s", times.asleep_s);
  f.optional("children_s", times.children_s);
}

void fields(auto& f, OpenMpTimes& times) {
  f("inside_s", times.inside_s);
  f("outside_s", times.outside_s);
  f("outside_mpi_s", times.outside_mpi_s);
}

void fields(auto& f, Emulated& emulated) {
  f("network", emulated.network);
  f("cpu_factor", emulated.cpu_factor);
}

void fields(auto& f, CutRounds& cut) {
  f("measured", cut.measured);
  f("rounds", cut.rounds);
  f("left_out_s", cut.left_out_s);
}

void fields(auto& f, PeerTraffic& peer) {
  f.numbers("expected four values: from, to, messages, bytes", peer.from, peer.to, peer.messages, peer.bytes);
}

void fields(auto& f, MachineUsed& machine) {
  f("host", machine.host);
  f("cpu", machine.cpu);
  f("cores", machine.cores, 1);
  f("created", machine.created);
  f("frequency_hz", machine.frequency_hz);
  f("line_bytes", machine.line_bytes);
  f("smallest_cpi", machine.smallest_cpi);
  f("bandwidth_bytes_per_s", machine.bandwidth_bytes_per_s);
  f("latency_s", machine.latency_s);
}

void fields(auto& f, Run& run) {
  constexpr Clock kClocks[] = {Clock::kCpu, Clock::kWall};
  f("id", run.id);
  f("np", run.np, 1);
  f("parameters", run.parameters);
  f("repeat", run.repeat, 0);
  f("complete", run.complete);
  f("reason", run.reason);
  f.name("clock", run.clock, kClocks, R"("cpu" or "wall")");
  f("clock_reason", run.clock_reason);
  f("counters", run.counters);
  f.newer("counters_reason", run.counters_reason);
  f.newer("counter_events", run.counter_events);
  f.newer("counter_method", run.counter_method);
  f.newer("sampled_events", run.sampled_events);
  f.newer("counted_ranks", run.counted_ranks, 0);
  f.newer("measured_llc_bytes", run.measured_llc_bytes);
  f("sampler", run.sampler);
  f("sampling_rate_hz", run.sampling_rate_hz);
  f("mpi_library", run.mpi_library);
  f("hosts", run.hosts);
  f("threads_max", run.threads_max, 0);
  f("samples", run.samples);
  f("lost_samples", run.lost_samples);
  f("warnings", run.warnings);
  f("time", run.times);
  f("kernels", run.kernels);
  f("mpi", run.operations);
  f.newer("regions", run.regions);
  f.object("peers", [&run](auto& peers) {
    peers("ranks_per_block", run.ranks_per_block, 1);
    peers("entries", run.peers);
  });
  f.object("ranks", [&run](auto& ranks) {
    ranks("computation_s", run.rank_computation_s);
    ranks("communication_s", run.rank_communication_s);
    ranks("total_s", run.rank_total_s);
  });
  f.optional("emulated", run.emulated);
  f.optional("cut", run.cut);
  f.optional("openmp", run.openmp);
  f.optional("no_main_loop", run.no_main_loop);
  if (f.has("call_paths", !run.call_paths.empty())) {
    f("call_paths", run.call_paths);
    f("call_paths_from", run.call_paths_from);
  }
  f.optional("files", run.files);
  if (f.has("gpu", !run.gpu.empty())) {
    f("gpu", run.gpu);
    f("gpu_devices", run.gpu_devices);
    f("gpu_timed_by", run.gpu_timed_by);
    f.optional("gpu_busy", run.gpu_busy);
  }
  f.optional("memory_peak_bytes", run.memory_peak_bytes);
  f.optional("memory_peak_node_bytes", run.memory_peak_node_bytes);
}

void fields(auto& f, Profile& profile) {
  f("application", profile.application);
  f("command", profile.command);
  f("parameter_names", profile.parameter_names);
  f.newer("scaling", profile.scaling);
  f.optional("machine", profile.machine);
  f("runs", profile.runs);
}

namespace {

// Down to the kernels, the operations and the peers, which have a line each.
constexpr int kProfileCompactDepth = 4;

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

// Smaller profiles are read faster than threads would begin.
constexpr size_t kLarge = 4'000'000;

std::optional<Run> parse_run(std::string_view text) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) return std::nullopt;
  std::optional<std::string> failure;
  auto run = record_of<Run>(JsonNode(document, failure));
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
  auto profile = record_of<Profile>(JsonNode(rest, failure));
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
  auto profile = record_of<Profile>(JsonNode(document.value(), failure));
  if (!failure) failure = find_impossible(profile);
  if (failure) return damaged(file, *failure);
  return profile;
}

Status write_profile(const Profile& profile, const std::string& path) {
  const auto document =
      json_of_record(profile, {{"schema", std::string(kProfileSchema) + "/" + std::to_string(kProfileVersion)}});
  const Result<std::string> text = to_json_text(document, kProfileCompactDepth);
  if (!text) {
    Error error = text.error();
    error.message = "cannot write " + path + ": " + error.message;
    error.where = path;
    return error;
  }
  return write_own_file_atomically(path, text.value());
}

}  // namespace scalediag::core
