#include "collector/launch/host/doctor_report.h"

#include "collector/launch/host/installation.h"
#include "core/json/json_writer.h"
#include "core/text/printable.h"
#include "core/text/table.h"

namespace scalediag::launch {

std::string doctor_text(const Diagnosis& diagnosis) {
  constexpr size_t kSubject = 15;
  constexpr size_t kHealth = 9;
  const auto padded = [](std::string text, size_t width) {
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
  };
  std::string out = diagnosis.host.name + ": " + diagnosis.host.cpu + ", " + diagnosis.host.kernel + "\n\n";
  for (const Finding& finding : diagnosis.findings) {
    out += padded(finding.subject, kSubject) + padded(name_of(finding.health), kHealth) +
           core::printable(finding.text) + "\n";
    if (!finding.mend.empty()) out += std::string(kSubject, ' ') + "mend: " + core::printable(finding.mend) + "\n";
  }
  core::Table table({{.title = "metric", .align = core::TableColumn::Align::kLeft},
                     {.title = "papi", .align = core::TableColumn::Align::kLeft},
                     {.title = "simulated", .align = core::TableColumn::Align::kLeft}});
  for (const MetricSource& source : diagnosis.metrics) {
    table.add_row(
        {source.metric, source.papi.empty() ? "-" : source.papi, source.simulated.empty() ? "-" : source.simulated});
  }
  out += "\n" + table.text({.width = core::kUnlimited, .indent = 0});
  out += diagnosis.can_profile() ? "\nscalediag profile works here.\n" : "\nscalediag profile cannot work here yet.\n";
  return out;
}

Result<std::string> doctor_json(const Diagnosis& diagnosis) {
  using Json = nlohmann::ordered_json;
  Json findings = Json::array();
  for (const Finding& f : diagnosis.findings) {
    findings.push_back({{"subject", f.subject}, {"health", name_of(f.health)}, {"text", f.text}, {"mend", f.mend}});
  }
  Json metrics = Json::array();
  for (const MetricSource& s : diagnosis.metrics) {
    metrics.push_back({{"metric", s.metric}, {"papi", s.papi}, {"simulated", s.simulated}});
  }
  const core::Host& host = diagnosis.host;
  return core::to_json_text({{"schema", "scalediag-doctor/1"},
                             {"scalediag_version", version()},
                             {"host",
                              {{"name", host.name},
                               {"kernel", host.kernel},
                               {"cpu", host.cpu},
                               {"cores", host.cores},
                               {"memory_bytes", host.memory_bytes}}},
                             {"can_profile", diagnosis.can_profile()},
                             {"findings", findings},
                             {"metrics", metrics}},
                            2);
}

}  // namespace scalediag::launch
