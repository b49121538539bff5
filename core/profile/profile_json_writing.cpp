#include "core/atomic_file.h"
#include "core/json/json_writer.h"
#include "core/profile/profile_json.h"

namespace scalediag::core {
namespace {

using Json = nlohmann::ordered_json;

// Down to the kernels, the operations and the peers, which have a line each.
constexpr int kProfileCompactDepth = 4;

Json to_json(const OverRanks& v) {
  Json json = {{"sum", v.sum},
               {"mean", v.mean},
               {"min", v.min},
               {"max", v.max},
               {"rank_of_min", v.rank_of_min},
               {"rank_of_max", v.rank_of_max}};
  if (v.quantiles) json["quantiles"] = *v.quantiles;
  return json;
}

Json to_json(const std::map<std::string, OverRanks>& metrics) {
  Json all = Json::object();
  for (const auto& [name, value] : metrics) all[name] = to_json(value);
  return all;
}

Json to_json(const Kernel& kernel) {
  Json json = {{"name", kernel.name},
               {"module", kernel.module},
               {"file", kernel.file},
               {"line", kernel.line},
               {"kind", name_of(kernel.kind)},
               {"samples", kernel.samples},
               {"metrics", to_json(kernel.metrics)}};
  if (!kernel.count_errors.empty()) json["count_errors"] = kernel.count_errors;
  if (!kernel.resources.empty()) json["resources"] = kernel.resources;
  if (!kernel.resource_notes.empty()) json["resource_notes"] = kernel.resource_notes;
  return json;
}

Json to_json(const CounterEvent& event) {
  return {{"event", event.event},
          {"metric", event.metric},
          {"derived", event.derived},
          {"formula_or_source", event.formula_or_source}};
}

Json to_json(const SampledEvent& event) {
  return {{"event", event.event}, {"period", event.period}, {"overflows", event.overflows}, {"counted", event.counted}};
}

Json to_json(const MpiClass& c) {
  return {{"communicator_size", c.communicator_size},
          {"bytes_from", c.bytes_from},
          {"bytes_to", c.bytes_to},
          {"calls", to_json(c.calls)},
          {"bytes", to_json(c.bytes)},
          {"wall_s", to_json(c.wall_s)},
          {"blocked_s", to_json(c.blocked_s)},
          {"shortest_call_s", c.shortest_call_s},
          {"longest_call_s", c.longest_call_s}};
}

template <class T>
Json list(const std::vector<T>& values);

// The fields that sites of MPI and of files share.
template <class Site>
Json site_json(const Site& site) {
  return {{"function", site.function},
          {"module", site.module},
          {"file", site.file},
          {"line", site.line},
          {"address", site.address},
          {"through", site.through},
          {"calls", to_json(site.calls)},
          {"bytes", to_json(site.bytes)},
          {"time_s", to_json(site.time_s)}};
}

Json to_json(const FileSite& site) { return site_json(site); }

Json to_json(const MpiSite& site) {
  Json json = site_json(site);
  json["wall_s"] = to_json(site.wall_s);
  json["blocked_s"] = to_json(site.blocked_s);
  json["samples"] = site.samples;
  json["classes"] = list(site.classes);
  return json;
}

Json to_json(const FileOperation& operation);
Json to_json(const GpuOperation& operation);
Json to_json(const GpuDevice& device);
Json to_json(const MpiOperation& operation);
Json to_json(const Region& region);
Json to_json(const CallPath& path);
Json to_json(const Run& run);

template <class T>
Json list(const std::vector<T>& values) {
  Json all = Json::array();
  for (const T& value : values) all.push_back(to_json(value));
  return all;
}

Json to_json(const MpiOperation& operation) {
  Json json = {{"operation", operation.operation},          {"calls", to_json(operation.calls)},
               {"bytes", to_json(operation.bytes)},         {"time_s", to_json(operation.time_s)},
               {"wall_s", to_json(operation.wall_s)},       {"cpu_s", to_json(operation.cpu_s)},
               {"blocked_s", to_json(operation.blocked_s)}, {"samples", operation.samples},
               {"metrics", to_json(operation.metrics)},     {"classes", list(operation.classes)}};
  if (const auto& slowest = operation.slowest) {
    json["slowest"] = {
        {"rank", slowest->rank}, {"calls", slowest->calls}, {"bytes", slowest->bytes}, {"time_s", slowest->time_s}};
  }
  if (!operation.sites.empty()) json["sites"] = list(operation.sites);
  return json;
}

Json to_json(const FileOperation& operation) {
  Json json = {{"operation", operation.operation},
               {"calls", to_json(operation.calls)},
               {"bytes", to_json(operation.bytes)},
               {"time_s", to_json(operation.time_s)}};
  if (!operation.sites.empty()) json["sites"] = list(operation.sites);
  return json;
}

Json to_json(const GpuOperation& operation) {
  return {{"operation", operation.operation},
          {"kind", operation.kind},
          {"detail", operation.detail},
          {"in_mpi", operation.in_mpi},
          {"calls", to_json(operation.calls)},
          {"bytes", to_json(operation.bytes)},
          {"time_s", to_json(operation.time_s)},
          {"device_s", to_json(operation.device_s)},
          {"timed_calls", to_json(operation.timed_calls)},
          {"sites", list(operation.sites)}};
}

Json to_json(const GpuDevice& device) {
  return {{"host", device.host}, {"device", device.device}, {"ranks", device.ranks}};
}

Json to_json(const Region& region) {
  Json json = {{"name", region.name},
               {"parent", region.parent},
               {"source", region.source},
               {"note", region.note},
               {"of_other_threads", region.of_other_threads},
               {"count", to_json(region.count)},
               {"elapsed_s", to_json(region.elapsed_s)},
               {"cpu_s", to_json(region.cpu_s)},
               {"computation_s", to_json(region.computation_s)},
               {"communication_s", to_json(region.communication_s)}};
  if (!region.rounds_of.empty()) json["rounds_of"] = region.rounds_of;
  if (region.parallel) {
    json["parallel"] = {{"threads", region.parallel->most},
                        {"busy_s", to_json(region.parallel->busy_s)},
                        {"idle_s", to_json(region.parallel->idle_s)},
                        {"slowest_s", to_json(region.parallel->slowest_s)},
                        {"busy_cpu_s", to_json(region.parallel->busy_cpu_s)}};
  }
  if (region.parameters.empty()) return json;
  Json& parameters = json["parameters"] = Json::object();
  for (const auto& [name, p] : region.parameters) {
    parameters[name] = {{"n", p.n}, {"mean", p.mean}, {"min", p.min}, {"max", p.max}};
  }
  return json;
}

Json to_json(const CallPath& path) {
  return {{"parent", path.parent},
          {"function", path.function},
          {"module", path.module},
          {"file", path.file},
          {"line", path.line},
          {"kind", name_of(path.kind)},
          {"samples", path.samples},
          {"inclusive_s", to_json(path.inclusive_s)},
          {"exclusive_s", to_json(path.exclusive_s)}};
}

Json to_json(const RunTimes& times) {
  Json json = {{"total_s", to_json(times.total_s)},
               {"computation_s", to_json(times.computation_s)},
               {"openmp_waiting_s", to_json(times.openmp_waiting_s)},
               {"gpu_s", to_json(times.gpu_s)},
               {"communication_s", to_json(times.communication_s)},
               {"others_s", to_json(times.others_s)},
               {"unattributed_s", to_json(times.unattributed_s)},
               {"wall_s", to_json(times.wall_s)},
               {"cpu_s", to_json(times.cpu_s)},
               {"collector_s", to_json(times.collector_s)}};
  if (times.asleep_s) json["asleep_s"] = to_json(*times.asleep_s);
  if (times.children_s) json["children_s"] = to_json(*times.children_s);
  return json;
}

Json to_json(const std::map<std::string, double>& parameters) {
  Json all = Json::object();
  for (const auto& [name, value] : parameters) all[name] = value;
  return all;
}

Json to_json(const MachineUsed& machine) {
  return {{"host", machine.host},
          {"cpu", machine.cpu},
          {"cores", machine.cores},
          {"created", machine.created},
          {"frequency_hz", machine.frequency_hz},
          {"line_bytes", machine.line_bytes},
          {"smallest_cpi", machine.smallest_cpi},
          {"bandwidth_bytes_per_s", machine.bandwidth_bytes_per_s},
          {"latency_s", to_json(machine.latency_s)}};
}

Json peers_to_json(const Run& run) {
  Json entries = Json::array();
  for (const PeerTraffic& p : run.peers) entries.push_back(Json::array({p.from, p.to, p.messages, p.bytes}));
  return {{"ranks_per_block", run.ranks_per_block}, {"entries", entries}};
}

Json to_json(const Run& run) {
  Json json = {{"id", run.id},
               {"np", run.np},
               {"parameters", to_json(run.parameters)},
               {"repeat", run.repeat},
               {"complete", run.complete},
               {"reason", run.reason},
               {"clock", name_of(run.clock)},
               {"clock_reason", run.clock_reason},
               {"counters", run.counters},
               {"counters_reason", run.counters_reason},
               {"counter_events", list(run.counter_events)},
               {"counter_method", run.counter_method},
               {"sampled_events", list(run.sampled_events)},
               {"counted_ranks", run.counted_ranks},
               {"measured_llc_bytes", run.measured_llc_bytes},
               {"sampler", run.sampler},
               {"sampling_rate_hz", run.sampling_rate_hz},
               {"mpi_library", run.mpi_library},
               {"hosts", run.hosts},
               {"threads_max", run.threads_max},
               {"samples", run.samples},
               {"lost_samples", run.lost_samples},
               {"warnings", run.warnings},
               {"time", to_json(run.times)},
               {"kernels", list(run.kernels)},
               {"mpi", list(run.operations)},
               {"regions", list(run.regions)},
               {"peers", peers_to_json(run)},
               {"ranks",
                {{"computation_s", run.rank_computation_s},
                 {"communication_s", run.rank_communication_s},
                 {"total_s", run.rank_total_s}}}};
  if (run.emulated) {
    json["emulated"] = {{"network", run.emulated->network}, {"cpu_factor", run.emulated->cpu_factor}};
  }
  if (run.openmp) {
    json["openmp"] = {{"inside_s", to_json(run.openmp->inside_s)},
                      {"outside_s", to_json(run.openmp->outside_s)},
                      {"outside_mpi_s", to_json(run.openmp->outside_mpi_s)}};
  }
  if (!run.no_main_loop.empty()) json["no_main_loop"] = run.no_main_loop;
  if (!run.call_paths.empty()) {
    json["call_paths"] = list(run.call_paths);
    json["call_paths_from"] = run.call_paths_from;
  }
  if (!run.files.empty()) json["files"] = list(run.files);
  if (!run.gpu.empty()) {
    json["gpu"] = list(run.gpu);
    json["gpu_devices"] = list(run.gpu_devices);
    json["gpu_timed_by"] = run.gpu_timed_by;
    if (const auto& busy = run.gpu_busy) {
      json["gpu_busy"] = {{"kernels_s", to_json(busy->kernels_s)},
                          {"transfers_s", to_json(busy->transfers_s)},
                          {"busy_s", to_json(busy->busy_s)}};
    }
  }
  if (run.memory_peak_bytes) json["memory_peak_bytes"] = to_json(*run.memory_peak_bytes);
  if (run.memory_peak_node_bytes) json["memory_peak_node_bytes"] = *run.memory_peak_node_bytes;
  return json;
}

}  // namespace

Status write_profile(const Profile& profile, const std::string& path) {
  Json document = {{"schema", std::string(kProfileSchema) + "/" + std::to_string(kProfileVersion)},
                   {"application", profile.application},
                   {"command", profile.command},
                   {"parameter_names", profile.parameter_names},
                   {"scaling", profile.scaling}};
  if (profile.machine) document["machine"] = to_json(*profile.machine);
  document["runs"] = list(profile.runs);
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
