#include "report/render/text/machine_text.h"

#include "core/text/quantities.h"

namespace scalediag::report {
namespace {

std::string gigahertz(double hz) { return core::fixed(hz / 1e9, 2) + " GHz"; }

// A cache's size in powers of 1024, which are usual for caches.
std::string cache_size(double bytes) {
  if (bytes <= 0) return "-";
  return bytes < 1048576 ? core::fixed(bytes / 1024, 1) + " KiB" : core::fixed(bytes / 1048576, 1) + " MiB";
}

std::string latencies(const core::Machine& machine, const core::TableStyle& style) {
  core::Table table({{.title = "level", .align = core::TableColumn::Align::kLeft},
                     {"size"},
                     {"shared by"},
                     {"step at"},
                     {"latency ns"},
                     {"cycles"},
                     {"spread"},
                     {"measured over"}});
  const auto row = [&](const std::string& name, const std::string& size, const std::string& shared,
                       const std::string& step, const core::MachineValue& latency, double working_set) {
    table.add_row({name, size, shared, step, core::fixed(1e9 * latency.value, 2),
                   core::fixed(latency.value * machine.sustained_hz.value, 1), core::percent(latency.spread),
                   cache_size(working_set)});
  };
  for (const core::MachineCache& c : machine.caches) {
    row(c.name, cache_size(c.size_bytes.value), std::to_string(c.shared_by), cache_size(c.step_bytes), c.latency_s,
        c.working_set_bytes);
  }
  row("memory", "-", "-", "-", machine.memory_latency_s, machine.memory_working_set_bytes);
  return table.text(style);
}

std::string bandwidths(const core::Machine& machine, const core::TableStyle& style) {
  core::Table table({{"cores"}, {"GB/s"}, {"best"}, {"spread"}});
  for (const core::MachineBandwidth& b : machine.bandwidth) {
    table.add_row({std::to_string(b.cores), core::fixed(b.bytes_per_s.value / 1e9, 2),
                   core::fixed(b.best_bytes_per_s / 1e9, 2), core::percent(b.bytes_per_s.spread)});
  }
  return table.text(style);
}

}  // namespace

std::string machine_text(const core::Machine& m, const core::TableStyle& style) {
  std::string text = m.host.name + ": " + m.host.cpu + ", " + std::to_string(m.host.cores) +
                     (m.host.cores == 1 ? " core" : " cores") + ", measured " + m.created + " in " +
                     core::fixed(m.elapsed_s, 1) + " s, " + m.pages + " pages\n";
  text += "  frequency     " + gigahertz(m.sustained_hz.value) + " one core at work, " +
          gigahertz(m.sustained_all_cores_hz.value) + " all";
  if (m.nominal_hz.value > 0) {
    text += "; nominal " + gigahertz(m.nominal_hz.value) + " (" + m.nominal_hz.source + ")";
  }
  text += "\n  smallest CPI  " + core::fixed(m.smallest_cpi.value, 3) + " (" + m.smallest_cpi.source + ")\n\n";
  text += latencies(m, style) + "\n" + bandwidths(m, style);
  text +=
      "\neach value is the best of several rounds, its spread the distance of quartiles or to the second best round;\n"
      "bandwidth as STREAM's triad counts it\n";
  for (const std::string& warning : m.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace scalediag::report
