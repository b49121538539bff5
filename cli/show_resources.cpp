#include "cli/show_resources.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "cli/quantities.h"
#include "collector/counters/resource_metrics.h"

namespace scalediag::cli {
namespace {

// Means over the repeats that have a value.
struct Resources {
  std::map<std::string, double> values;
  std::set<std::string> notes;

  std::optional<double> find(const char* name) const {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
};

Resources resources_of(const core::ConfigurationSummary& summary, const core::KernelSummary& of) {
  Resources result;
  std::map<std::string, int> repeats;
  for (const core::Run* run : summary.runs) {
    for (const core::Kernel& k : run->kernels) {
      if (k.name != of.name || k.module != of.module || k.file != of.file || k.line != of.line) continue;
      for (const auto& [name, value] : k.resources) {
        result.values[name] += value;
        ++repeats[name];
      }
      result.notes.insert(k.resource_notes.begin(), k.resource_notes.end());
    }
  }
  for (auto& [name, value] : result.values) value /= repeats[name];
  return result;
}

template <class Format>
std::string cell(const std::optional<double>& value, Format format) {
  return value ? format(*value) : "-";
}

std::string ratio_cell(const Resources& r, const char* name) { return cell(r.find(name), percent_digits); }

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

// How often a note occurs among the kernels shown, as a sentence; empty for never.
std::string sentence(const std::vector<Resources>& all, const char* note, const std::string& text) {
  const auto n = std::count_if(all.begin(), all.end(), [note](const Resources& r) { return r.notes.count(note) != 0; });
  if (n == 0) return "";
  const std::string who = n == static_cast<long>(all.size()) ? "all" : std::to_string(n) + " of them";
  return "    " + who + ": " + text + "\n";
}

}  // namespace

const char* const kResourcesLegend =
    "time = t.comp + t.stall, t.stall = BF_mem x t.mem; CPI without stalls; L1, L2, LLC: hits of what\n"
    "reaches the level; from mem. = bytes of a rank; E = misses of the last level / all accesses,\n"
    "! above 1e-4: contention\n";

std::string resources_table(const core::ConfigurationSummary& summary, size_t n, const TableStyle& style) {
  std::vector<Resources> all;
  std::vector<const core::KernelSummary*> kernels;
  double longest_s = 0;
  for (size_t i = 0; i < std::min(n, summary.kernels.size()); ++i) {
    Resources r = resources_of(summary, summary.kernels[i]);
    if (r.values.empty()) continue;
    longest_s = std::max({longest_s, r.find("t_comp_s").value_or(0), r.find("t_mem_s").value_or(0)});
    all.push_back(std::move(r));
    kernels.push_back(&summary.kernels[i]);
  }
  if (all.empty()) return "";
  const bool with_l2 = std::any_of(all.begin(), all.end(), [](const Resources& r) { return r.find("l2_hit_ratio"); });
  const TimeFormat time(longest_s);
  const std::string unit = time.unit();

  std::vector<TableColumn> columns = {{"t.comp " + unit}, {"t.stall"}, {"t.mem"}, {"BF_mem"}, {"CPI"}, {"L1 %"}};
  if (with_l2) columns.push_back({"L2 %"});
  columns.insert(columns.end(), {{"LLC %"}, {"from mem."}, {"E"}});
  columns.push_back(
      {.title = "why: kernel", .align = TableColumn::Align::kLeft, .shrink_weight = 1, .shorten = shorten_function});
  Table table(columns);
  for (size_t i = 0; i < all.size(); ++i) {
    const Resources& r = all[i];
    const bool uncertain = r.notes.count("few_samples") != 0;
    const auto e = r.find("llc_miss_ratio");
    std::vector<std::string> cells = {(uncertain ? "~" : "") + cell(r.find("t_comp_s"), time),
                                      cell(r.find("t_stall_s"), time),
                                      cell(r.find("t_mem_s"), time),
                                      cell(r.find("bf_mem"), [](double v) { return fixed(v, 3); }),
                                      cell(r.find("cpi"), [](double v) { return fixed(v, 2); }),
                                      ratio_cell(r, "l1_hit_ratio")};
    if (with_l2) cells.push_back(ratio_cell(r, "l2_hit_ratio"));
    cells.push_back(ratio_cell(r, "llc_hit_ratio"));
    cells.push_back(cell(r.find("memory_bytes"), bytes_text));
    cells.push_back((e && *e > counters::kMemoryContention ? "!" : "") + cell(e, scientific));
    cells.push_back(kernels[i]->name);
    table.add_row(std::move(cells));
  }
  std::string text = "\n" + table.text(style);
  text += sentence(all, "stalls_derived",
                   "stalls are derived, not counted: time beyond instructions x the kernel's smallest CPI");
  text += sentence(all, "single_configuration", "only one configuration was counted, so derived stalls are 0");
  text += sentence(all, "stalls_exceed_memory",
                   "stalled longer than all accesses one after the other take on an idle machine");
  text += sentence(all, "stalls_not_memory", "stalled without any counted access to memory: part of t.comp");
  text += sentence(all, "counts_of_repeats", "some counts come from other repeats");
  text += sentence(all, "cpi_below_machine", "CPI below what the machine can do: counts and time do not fit");
  return text;
}

}  // namespace scalediag::cli
