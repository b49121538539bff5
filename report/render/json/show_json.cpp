#include "report/render/json/show_json.h"

#include <algorithm>
#include <map>

#include "core/json/json_writer.h"
#include "core/profile/call_paths.h"
#include "core/profile/kernel_id.h"
#include "core/profile/metric_names.h"
#include "core/profile/run_summary.h"
#include "report/render/json/json_parts.h"

namespace scalediag::report {
namespace {

using Json = nlohmann::ordered_json;
using core::Run;

Json over_ranks(const core::OverRanks& v) {
  Json json = {{"sum", v.sum}, {"mean", v.mean}, {"min", v.min}, {"max", v.max}};
  if (v.quantiles) json["quantiles"] = *v.quantiles;
  return json;
}

Json parameters_of(const std::map<std::string, double>& parameters) {
  Json all = Json::object();
  for (const auto& [name, value] : parameters) all[name] = value;
  return all;
}

// The variation; null for a single run.
Json variation(const core::ConfigurationSummary* summary, double cv) {
  return summary == nullptr || summary->runs.size() < 2 ? Json(nullptr) : Json(cv);
}

// The variation of a run's configuration, over all its complete repeats.
class Variations {
 public:
  explicit Variations(const core::ConfigurationSummary* summary) : summary_(summary) {
    if (summary == nullptr) return;
    for (const core::KernelSummary& k : summary->kernels) kernels_[core::id_of(k)] = k.cv;
    for (const core::OperationSummary& o : summary->operations) operations_[o.operation] = o.cv;
  }
  Json of_total() const { return variation(summary_, summary_ == nullptr ? 0 : summary_->total_cv); }
  Json of(const core::Kernel& k) const { return look_up(kernels_, core::id_of(k)); }
  Json of(const core::MpiOperation& o) const { return look_up(operations_, o.operation); }

 private:
  template <class Map>
  Json look_up(const Map& map, const typename Map::key_type& key) const {
    const auto found = map.find(key);
    return found == map.end() ? Json(nullptr) : variation(summary_, found->second);
  }
  const core::ConfigurationSummary* summary_;
  std::map<core::KernelId, double> kernels_;
  std::map<std::string, double> operations_;
};

Json kernel_json(const core::Kernel& kernel, const Variations& variations) {
  Json metrics = Json::object();
  Json time_s = over_ranks({});
  for (const auto& [name, value] : kernel.metrics) {
    if (name == metric::kTime) {
      time_s = over_ranks(value);
    } else {
      metrics[name] = over_ranks(value);
    }
  }
  // The values are those of the run as a whole, without one for each rank.
  for (const auto& [name, value] : kernel.resources) metrics[name] = {{"mean", value}};
  const double error = core::sampling_error(static_cast<double>(kernel.samples));
  return {{"name", kernel.name},
          {"module", kernel.module},
          {"file", kernel.file},
          {"line", kernel.line},
          {"kind", core::name_of(kernel.kind)},
          {"time_s", time_s},
          {"samples", kernel.samples},
          {"sampling_error", error},
          {"few_samples", error > core::kUncertainSamplingError},
          {"cv", variations.of(kernel)},
          {"metrics", metrics},
          {"count_errors", kernel.count_errors},
          {"resource_notes", kernel.resource_notes}};
}

Json machine_json(const core::MachineUsed& m) {
  return {{"host", m.host},
          {"cpu", m.cpu},
          {"cores", m.cores},
          {"created", m.created},
          {"frequency_hz", m.frequency_hz},
          {"line_bytes", m.line_bytes},
          {"smallest_cpi", m.smallest_cpi},
          {"bandwidth_bytes_per_s", m.bandwidth_bytes_per_s},
          {"latency_s", m.latency_s}};
}

Json class_json(const core::MpiClass& c) {
  return {{"communicator_size", c.communicator_size},
          {"bytes_from", c.bytes_from},
          {"bytes_to", c.bytes_to},
          {"calls", c.calls.sum},
          {"bytes", c.bytes.sum},
          {"wall_s", over_ranks(c.wall_s)},
          {"blocked_s", over_ranks(c.blocked_s)},
          {"shortest_call_s", c.shortest_call_s},
          {"longest_call_s", c.longest_call_s}};
}

// The fields that sites of MPI and of files share.
template <class Site>
Json site_json(const Site& s) {
  return {{"function", s.function}, {"module", s.module},   {"file", s.file},
          {"line", s.line},         {"address", s.address}, {"through", s.through},
          {"calls", s.calls.sum},   {"bytes", s.bytes.sum}, {"time_s", over_ranks(s.time_s)}};
}

Json mpi_site_json(const core::MpiSite& s) {
  Json json = site_json(s);
  json["wall_s"] = over_ranks(s.wall_s);
  json["blocked_s"] = over_ranks(s.blocked_s);
  json["samples"] = s.samples;
  return json;
}

Json operation_json(const core::MpiOperation& o, core::Clock clock, const Variations& variations) {
  const double error = clock == core::Clock::kCpu ? core::sampling_error(static_cast<double>(o.samples)) : 0;
  Json classes = Json::array();
  for (const core::MpiClass& c : o.classes) classes.push_back(class_json(c));
  Json sites = Json::array();
  for (const core::MpiSite& s : o.sites) sites.push_back(mpi_site_json(s));
  const Json slowest = !o.slowest ? Json(nullptr)
                                  : Json{{"rank", o.slowest->rank},
                                         {"calls", o.slowest->calls},
                                         {"bytes", o.slowest->bytes},
                                         {"time_s", o.slowest->time_s}};
  return {{"operation", o.operation},
          {"calls", o.calls.sum},
          {"bytes", o.bytes.sum},
          {"time_s", over_ranks(o.time_s)},
          {"wall_s", over_ranks(o.wall_s)},
          {"cpu_s", over_ranks(o.cpu_s)},
          {"blocked_s", over_ranks(o.blocked_s)},
          {"samples", o.samples},
          {"sampling_error", error},
          {"few_samples", error > core::kUncertainSamplingError},
          {"cv", variations.of(o)},
          {"slowest", slowest},
          {"sites", sites},
          {"classes", classes}};
}

// Operations on files, of MPI-IO and of the C library, by falling time.
Json io_json(const Run& run) {
  Json list = Json::array();
  for (const core::FileOperation& o : core::file_operations(run)) {
    Json sites = Json::array();
    for (const core::FileSite& s : o.sites) sites.push_back(site_json(s));
    list.push_back({{"operation", o.operation},
                    {"calls", o.calls.sum},
                    {"bytes", o.bytes.sum},
                    {"time_s", over_ranks(o.time_s)},
                    {"sites", sites}});
  }
  return list;
}

Json region_json(const core::Region& r, core::Clock clock) {
  Json parameters = Json::object();
  for (const auto& [name, p] : r.parameters) {
    parameters[name] = {{"n", p.n}, {"mean", p.mean}, {"min", p.min}, {"max", p.max}};
  }
  Json parallel = nullptr;
  if (r.parallel) {
    parallel = {{"threads", r.parallel->most},
                {"busy_s", over_ranks(r.parallel->busy_s)},
                {"idle_s", over_ranks(r.parallel->idle_s)},
                {"slowest_s", over_ranks(r.parallel->slowest_s)},
                {"busy_cpu_s", over_ranks(r.parallel->busy_cpu_s)}};
  }
  return {{"name", r.name},
          {"parent", r.parent},
          {"source", r.source},
          {"parallel", parallel},
          {"note", r.note},
          {"of_other_threads", r.of_other_threads},
          {"count", r.count.max},
          {"count_over_ranks", over_ranks(r.count)},
          {"time_s", over_ranks(r.time_s(clock))},
          {"elapsed_s", over_ranks(r.elapsed_s)},
          {"cpu_s", over_ranks(r.cpu_s)},
          {"computation_s", over_ranks(r.computation_s)},
          {"communication_s", over_ranks(r.communication_s)},
          {"parameters", parameters}};
}

Json gpu_json(const Run& run) {
  Json all = Json::array();
  for (const core::GpuOperation& g : run.gpu) {
    all.push_back({{"operation", g.operation},
                   {"kind", g.kind},
                   {"detail", g.detail},
                   {"in_mpi", g.in_mpi},
                   {"calls", over_ranks(g.calls)},
                   {"bytes", over_ranks(g.bytes)},
                   {"time_s", over_ranks(g.time_s)},
                   {"device_s", over_ranks(g.device_s)},
                   {"timed_calls", over_ranks(g.timed_calls)}});
  }
  return all;
}

Json gpu_devices_json(const Run& run) {
  Json all = Json::array();
  for (const core::GpuDevice& d : run.gpu_devices) {
    all.push_back({{"host", d.host}, {"device", d.device}, {"ranks", d.ranks}});
  }
  return all;
}

Json openmp_json(const Run& run) {
  if (!run.openmp) return nullptr;
  return {{"inside_s", over_ranks(run.openmp->inside_s)},
          {"outside_s", over_ranks(run.openmp->outside_s)},
          {"outside_mpi_s", over_ranks(run.openmp->outside_mpi_s)}};
}

Json call_paths_json(const Run& run) {
  Json list = Json::array();
  const Run* const only = &run;
  const core::PathUnion paths = core::unite_paths({&only, 1});
  for (size_t i = 0; i < run.call_paths.size(); ++i) {
    const core::CallPath& p = run.call_paths[i];
    list.push_back({{"path", paths.nodes[static_cast<size_t>(paths.node_of[0][i])].name},
                    {"parent", p.parent},
                    {"kind", core::name_of(p.kind)},
                    {"function", p.function},
                    {"module", p.module},
                    {"file", p.file},
                    {"line", p.line},
                    {"inclusive_s", over_ranks(p.inclusive_s)},
                    {"exclusive_s", over_ranks(p.exclusive_s)},
                    {"samples", p.samples}});
  }
  return list;
}

// Both lists of a run are by falling time.
size_t shown(size_t all, size_t top) { return top == 0 ? all : std::min(all, top); }

Json run_json(const Run& run, const Variations& variations, size_t top) {
  const size_t n_kernels = shown(run.kernels.size(), top);
  const size_t n_operations = shown(run.operations.size(), top);
  Json kernels = Json::array();
  for (size_t i = 0; i < n_kernels; ++i) kernels.push_back(kernel_json(run.kernels[i], variations));
  Json operations = Json::array();
  for (size_t i = 0; i < n_operations; ++i) {
    operations.push_back(operation_json(run.operations[i], run.clock, variations));
  }
  Json regions = Json::array();
  for (const core::Region& r : run.regions) regions.push_back(region_json(r, run.clock));
  const core::RunTimes& t = run.times;
  const double imbalance = t.computation_s.mean == 0 ? 0 : t.computation_s.max / t.computation_s.mean - 1;
  return {{"id", run.id},
          {"np", run.np},
          {"parameters", parameters_of(run.parameters)},
          {"repeat", run.repeat},
          {"complete", run.complete},
          {"reason", run.reason},
          {"clock", core::name_of(run.clock)},
          {"clock_reason", run.clock_reason},
          {"emulated",
           run.emulated ? Json{{"network", run.emulated->network}, {"cpu_factor", run.emulated->cpu_factor}} : Json()},
          {"counters", run.counters},
          {"counters_reason", run.counters_reason},
          {"counter_method", run.counter_method},
          {"sampler", run.sampler},
          {"sampling_rate_hz", run.sampling_rate_hz},
          {"mpi_library", run.mpi_library},
          {"hosts", run.hosts},
          {"threads_max", run.threads_max},
          {"total_s", t.total_s.mean},
          {"computation_s", t.computation_s.mean},
          {"openmp_waiting_s", t.openmp_waiting_s.mean},
          {"gpu_s", t.gpu_s.mean},
          {"communication_s", t.communication_s.mean},
          {"others_s", t.others_s.mean},
          {"unattributed_s", t.unattributed_s.mean},
          {"wall_s", t.wall_s.mean},
          {"cpu_s", t.cpu_s.mean},
          {"collector_s", t.collector_s.mean},
          {"imbalance", imbalance},
          {"cv", variations.of_total()},
          {"samples", run.samples},
          {"lost_samples", run.lost_samples},
          {"warnings", run.warnings},
          {"kernels", kernels},
          {"kernels_left_out", run.kernels.size() - n_kernels},
          {"mpi", operations},
          {"mpi_left_out", run.operations.size() - n_operations},
          {"io", io_json(run)},
          {"memory_peak_bytes", run.memory_peak_bytes ? over_ranks(*run.memory_peak_bytes) : Json(nullptr)},
          {"memory_peak_node_bytes", run.memory_peak_node_bytes ? Json(*run.memory_peak_node_bytes) : Json(nullptr)},
          {"regions", regions},
          {"openmp", openmp_json(run)},
          {"gpu", gpu_json(run)},
          {"gpu_devices", gpu_devices_json(run)},
          {"gpu_timed_by", text_or_null(run.gpu_timed_by)},
          {"no_main_loop", text_or_null(run.no_main_loop)},
          {"call_paths", call_paths_json(run)},
          {"call_paths_from", run.call_paths_from}};
}

Json configuration_json(const core::ConfigurationSummary& s) {
  Json runs = Json::array();
  for (const Run* run : s.runs) runs.push_back(run->id);
  const core::Stability stability = core::judge_stability(s);
  Json noisy = Json::array();
  for (const core::NoisyKernel& n : stability.noisy) {
    noisy.push_back({{"name", n.name},
                     {"share", n.share},
                     {"cv", n.cv},
                     {"sampling_cv", n.sampling_cv},
                     {"few_samples", n.few_samples}});
  }
  return {{"np", s.np},
          {"parameters", parameters_of(s.parameters)},
          {"runs", runs},
          {"clock", core::name_of(s.clock)},
          {"total_s", s.total_s},
          {"computation_s", s.computation_s},
          {"openmp_waiting_s", s.openmp_waiting_s},
          {"gpu_s", s.gpu_s},
          {"communication_s", s.communication_s},
          {"others_s", s.others_s},
          {"unattributed_s", s.unattributed_s},
          {"wall_s", s.wall_s},
          {"imbalance", s.imbalance},
          {"cv", variation(&s, s.total_cv)},
          {"samples", s.samples},
          {"lost_samples", s.lost_samples},
          {"stable", stability.stable},
          {"noisy", noisy}};
}

Json unmeasured_json(const UnmeasuredRun& run) {
  return {
      {"id", run.id},         {"np", run.configuration.np}, {"parameters", parameters_of(run.configuration.parameters)},
      {"repeat", run.repeat}, {"state", run.state},         {"reason", run.reason}};
}

}  // namespace

core::Result<std::string> show_json(const ShownProfile& input, size_t top) {
  Json configurations = Json::array();
  std::map<std::pair<int, std::map<std::string, double>>, core::ConfigurationSummary> summaries;
  for (const auto& runs : core::group_by_configuration(input.profile, true)) {
    core::ConfigurationSummary summary = core::summarize(runs);
    configurations.push_back(configuration_json(summary));
    summaries.emplace(std::pair(summary.np, summary.parameters), std::move(summary));
  }

  Json runs = Json::array();
  for (const auto& group : core::group_by_configuration(input.profile, false)) {
    const auto summary = summaries.find({group.front()->np, group.front()->parameters});
    const Variations variations(summary == summaries.end() ? nullptr : &summary->second);
    for (const Run* run : group) runs.push_back(run_json(*run, variations, top));
  }

  Json unmeasured = Json::array();
  for (const UnmeasuredRun& run : input.unmeasured) unmeasured.push_back(unmeasured_json(run));

  return core::to_json_text({{"schema", "scalediag-show/1"},
                             {"application", input.profile.application},
                             {"command", input.profile.command},
                             {"stdin_file", input.stdin_file()},
                             {"machine", input.profile.machine ? machine_json(*input.profile.machine) : Json(nullptr)},
                             {"configurations", configurations},
                             {"runs", runs},
                             {"unmeasured", unmeasured}},
                            4);
}

}  // namespace scalediag::report
