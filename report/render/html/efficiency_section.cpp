#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"

namespace scalediag::report::html {
namespace {

// A table cell in one of nine shades: the best from 90 % on, the worst below 20 %, one for each 10 % between.
std::string heat(const std::optional<double>& value) {
  if (!value) return cell("-");
  const int shade = std::clamp(static_cast<int>(std::floor((*value - 0.1) * 10)), 0, 8);
  return cell(core::percent(*value), true, "h" + std::to_string(shade));
}

bool uses_gpu(const Findings& findings) {
  return !findings.efficiencies.empty() && findings.efficiencies.front().offload_efficiency.has_value();
}

std::string efficiencies(const Findings& findings) {
  const bool threads = !findings.efficiencies.empty() && findings.efficiencies.front().thread_efficiency.has_value();
  std::vector<Column> columns = {{"scale", false}, {"parallel efficiency"}, {"load balance"}};
  if (threads) columns.push_back({"threads"});
  const bool gpu = uses_gpu(findings);
  if (gpu) columns.push_back({"offload"});
  for (const char* title : {"communication", "computation scalability", "instruction scalability", "IPC scalability"}) {
    columns.push_back({title});
  }
  const bool network = findings.blocking.of_network.has_value();
  if (!findings.totals_modelled) columns.push_back({"BF_comm"});
  if (network) columns.push_back({"BF_comm of the network"});
  const auto factor = [](const std::optional<double>& value) { return cell(value ? core::fixed(*value, 3) : "-"); };
  std::string out = table_begin("* predicted", columns, "heat");
  for (const Efficiencies& e : findings.efficiencies) {
    out += "<tr>" + row_title(text_of(e.at) + (e.predicted ? " *" : "")) + heat(e.parallel_efficiency) +
           heat(e.load_balance) + (threads ? heat(e.thread_efficiency) : "") + (gpu ? heat(e.offload_efficiency) : "") +
           heat(e.communication_efficiency) + heat(e.computation_scalability) + heat(e.instruction_scalability) +
           heat(e.ipc_scalability) + (findings.totals_modelled ? "" : factor(e.blocking.of_source)) +
           (network ? factor(e.blocking.of_network) : "") + "</tr>\n";
  }
  return out + table_end();
}

std::string of_devices(const Findings& findings) {
  if (std::ranges::none_of(findings.efficiencies, [](const Efficiencies& e) { return e.devices.has_value(); }))
    return "";
  std::string out = table_begin(
      "Devices, as TALP defines it: efficiency = load balance x communication x orchestration, the time of kernels "
      "over the run; * predicted",
      {{"scale", false}, {"efficiency"}, {"load balance"}, {"communication"}, {"orchestration"}}, "heat");
  for (const Efficiencies& e : findings.efficiencies) {
    if (!e.devices) continue;
    out += "<tr>" + row_title(text_of(e.at) + (e.predicted ? " *" : "")) + heat(e.devices->efficiency) +
           heat(e.devices->load_balance) + heat(e.devices->communication) + heat(e.devices->orchestration) + "</tr>\n";
  }
  return out + table_end();
}

struct Spread {
  double least = 0, mean = 0, most = 0;
  size_t slowest = 0;
};

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  spread.least = *least;
  spread.most = *most;
  spread.slowest = static_cast<size_t>(most - values.begin());
  spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  return spread;
}

std::string load(const TrafficFindings& traffic) {
  const RankLoad& load = traffic.load;
  if (load.computation_s.empty()) return "";
  const Spread spread = spread_of(load.computation_s);
  const core::TimeFormat time(spread.most);
  const auto rank_of = [&](size_t block) { return std::to_string(block * static_cast<size_t>(load.ranks_per_block)); };
  std::string out = "<h3>Computation by rank at " + escaped(text_of(traffic.at)) + "</h3>\n<p>" + time(spread.least) +
                    " to " + time(spread.most) + " " + time.unit() + ", " + time(spread.mean) +
                    " in the mean, the chance of sampling included; the slowest is rank " + rank_of(spread.slowest) +
                    (load.ranks_per_block > 1
                         ? " and those after it (" + std::to_string(load.ranks_per_block) + " ranks are put together)"
                         : "") +
                    ".</p>\n";
  constexpr double kLoadWidth = 720, kLoadHeight = 150, kBase = 130;
  const double step = kLoadWidth / static_cast<double>(load.computation_s.size());
  const double bar = step > 4 ? std::min(step - 2, 48.0) : step;
  out += "<svg class=\"load\" viewBox=\"0 0 720 " + core::fixed(kLoadHeight, 0) +
         "\" role=\"img\" aria-label=\"Computation by rank\">";
  const auto height = [&](double seconds) { return spread.most > 0 ? (kBase - 8) * seconds / spread.most : 0; };
  for (size_t i = 0; i < load.computation_s.size(); ++i) {
    const double h = height(load.computation_s[i]);
    const double left = (static_cast<double>(i) + 0.5) * step - bar / 2;
    out += "<rect x=\"" + core::fixed(left, 1) + "\" y=\"" + core::fixed(kBase - h, 1) + "\" width=\"" +
           core::fixed(bar, 1) + "\" height=\"" + core::fixed(h, 1) + "\"><title>rank " + rank_of(i) + ": " +
           time(load.computation_s[i]) + " " + time.unit() + "</title></rect>";
  }
  const double mean = kBase - height(spread.mean);
  out += "<path class=\"bound\" d=\"M0," + core::fixed(mean, 1) + "L720," + core::fixed(mean, 1) + "\"/>";
  const size_t every = std::max<size_t>(1, load.computation_s.size() / 16);
  for (size_t i = 0; i < load.computation_s.size(); i += every) {
    out += "<text x=\"" + core::fixed((static_cast<double>(i) + 0.5) * step, 1) +
           "\" y=\"146\" text-anchor=\"middle\">" + rank_of(i) + "</text>";
  }
  return out + "</svg>\n<p class=\"quiet\">The line is the mean.</p>\n";
}

}  // namespace

std::string efficiency_section(const Findings& findings) {
  if (findings.efficiencies.empty()) return "";
  std::string out = section_begin(
      "efficiencies", "Parallel efficiencies",
      "As the POP project defines them, of " +
          (findings.region.empty() ? "the run between the end of MPI_Init and the start of MPI_Finalize"
                                   : "the region " + findings.region) +
          ": parallel "
          "efficiency = load balance x communication efficiency; computation "
          "scalability = instruction scalability x IPC scalability, against " +
          text_of(findings.base) + ". Load balance does not count imbalance that sampling alone makes." +
          (uses_gpu(findings) ? " Offload: what hosts compute over that and their time in calls of GPUs." : ""));
  out += efficiencies(findings) + of_devices(findings);
  if (findings.traffic) out += load(*findings.traffic);
  return out + section_end();
}

}  // namespace scalediag::report::html
