#include "report/render/text/show/show_resources.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "core/profile/memory_contention.h"
#include "core/profile/metric_names.h"
#include "core/profile/resource_notes.h"
#include "core/text/quantities.h"

namespace scalediag::report {
namespace {

// The resources of one kernel in the repeats of a configuration, scaled to the time beside them, the mean over all
// repeats:
//   time = t_comp_s + t_stall_s = t_comp_s + bf_mem x t_mem_s
struct Resources {
  std::map<std::string, double> values;
  std::set<std::string> notes;
  bool contention = false;
  bool by_time = false;             // counts of ranks that were not counted were extended by time
  bool parts_of_some_runs = false;  // some repeats have time and no parts of it

  std::optional<double> find(const char* name) const {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
};

// Sums over a kernel's repeats. A repeat that did not see the kernel spent no time in it, and made no accesses; a value
// that other repeats lack was not counted there.
class RepeatsOfKernel {
 public:
  RepeatsOfKernel(const core::ConfigurationSummary& summary, const core::KernelSummary& of) : time_s_(of.time_s) {
    for (const core::Run* run : summary.runs) {
      const core::Kernel* kernel = find(*run, of);
      if (kernel != nullptr) {
        add(*kernel);
      } else {
        ++without_;
      }
    }
  }

  Resources resources() const {
    Resources r;
    r.notes = notes_;
    r.by_time = by_time_;
    for (const auto& [name, sum] : sums_) r.values[name] = sum / (counted_.at(name) + (is_amount(name) ? without_ : 0));
    if (parts_time_s_ > 0) {
      // Repeats without parts are assumed to have the same shares.
      for (const char* part : {"t_comp_s", "t_stall_s", "t_stall_high_s"}) {
        if (sums_.count(part) != 0) r.values[part] = time_s_ * sums_.at(part) / parts_time_s_;
      }
      r.parts_of_some_runs = parts_time_s_ < (1 - 1e-9) * all_time_s_;
      const auto t_mem_s = r.find(metric::kMemory);
      for (const auto& [factor, part] :
           {std::pair("bf_mem", "t_stall_s"), std::pair("bf_mem_high", "t_stall_high_s")}) {
        if (t_mem_s && r.values.count(factor) != 0) r.values[factor] = *t_mem_s > 0 ? r.values[part] / *t_mem_s : 0;
      }
    }
    if (instructions_ > 0) r.values["cpi"] = cycles_ / instructions_;
    r.contention = r.notes.count("cache_size_guessed") == 0 &&
                   core::shows_contention(
                       {r.find("llc_miss_ratio").value_or(0), memory_accesses_, r.find("t_mem_memory_s"), time_s_});
    return r;
  }

 private:
  static const core::Kernel* find(const core::Run& run, const core::KernelSummary& of) {
    for (const core::Kernel& k : run.kernels) {
      if (k.name == of.name && k.module == of.module && k.file == of.file && k.line == of.line) return &k;
    }
    return nullptr;
  }

  static bool is_amount(const std::string& name) { return name.starts_with("t_mem_") || name == "memory_bytes"; }

  void add(const core::Kernel& k) {
    const auto time = k.metrics.find(metric::kTime);
    const double time_s = time == k.metrics.end() ? 0 : time->second.mean;
    all_time_s_ += time_s;
    for (const auto& [name, value] : k.resources) {
      sums_[name] += value;
      ++counted_[name];
    }
    notes_.insert(k.resource_notes.begin(), k.resource_notes.end());
    by_time_ = by_time_ || (k.metrics.count("counted_time_s") != 0 && !k.resources.empty());
    if (const auto misses = k.metrics.find("memory_accesses"); misses != k.metrics.end()) {
      memory_accesses_ = std::max(memory_accesses_, misses->second.mean);
    }
    const auto t_comp_s = k.resources.find(metric::kComputing);
    if (t_comp_s == k.resources.end() || k.resources.count("t_stall_s") == 0) return;
    parts_time_s_ += time_s;
    const auto cpi = k.resources.find("cpi"), hz = k.resources.find("hz");
    if (cpi == k.resources.end() || hz == k.resources.end() || !(cpi->second > 0)) return;
    cycles_ += t_comp_s->second * hz->second;
    instructions_ += t_comp_s->second * hz->second / cpi->second;
  }

  const double time_s_;
  int without_ = 0;  // repeats
  double all_time_s_ = 0, parts_time_s_ = 0;
  double cycles_ = 0, instructions_ = 0, memory_accesses_ = 0;
  std::map<std::string, double> sums_;
  std::map<std::string, int> counted_;
  std::set<std::string> notes_;
  bool by_time_ = false;
};

template <class Format>
std::string cell(const std::optional<double>& value, Format format) {
  return value ? format(*value) : "-";
}

std::string ratio_cell(const Resources& r, const char* name) { return cell(r.find(name), core::percent_digits); }

// A number as "0.120", or where only bounds are known as "0.120-0.480", "<=0.480".
std::string blocking_cell(const Resources& r) {
  const auto value = r.find(metric::kMemoryBlocking);
  if (!value) return "-";
  if (r.notes.count("stalls_total") != 0) return "<=" + core::fixed(*value, 3);
  const auto high = r.find("bf_mem_high");
  return high ? core::fixed(*value, 3) + "-" + core::fixed(std::max(*value, *high), 3) : core::fixed(*value, 3);
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

// Notes below the table, in lines of at most 100 columns.
std::string indented(const std::string& sentence) {
  constexpr size_t kColumns = 100;
  const std::string indent = "    ";
  std::string text, line = indent;
  std::istringstream words(sentence);
  for (std::string word; words >> word;) {
    if (line.size() > indent.size() && line.size() + 1 + word.size() > kColumns) {
      text += line + "\n";
      line = indent + "  ";
    } else if (line != indent) {
      line += " ";
    }
    line += word;
  }
  return text + line + "\n";
}

// The remarks that hold for some of the kernels shown, with their number; empty for none.
template <class Holds>
std::string sentence_where(const std::vector<Resources>& all, Holds holds, const std::string& text) {
  const auto n = std::count_if(all.begin(), all.end(), holds);
  if (n == 0) return "";
  const std::string who = n == static_cast<long>(all.size()) ? "all" : std::to_string(n) + " of them";
  return indented(who + ": " + text);
}

std::string sentence(const std::vector<Resources>& all, const char* note) {
  return sentence_where(
      all, [note](const Resources& r) { return r.notes.count(note) != 0; }, core::resource_note_text(note));
}

}  // namespace

const char* const kResourcesLegend =
    "time = t.comp + t.stall, t.stall = BF_mem x t.mem, BF_mem a-b: between a and b; CPI without\n"
    "stalls; L1, L2, LLC: hits of what reaches the level; from mem. = bytes of a rank; E = misses of\n"
    "the last level / all accesses, ! above 1e-4, by 1000 misses or more that take at least 1% of the\n"
    "time: contention\n";

std::string resources_table(const core::ConfigurationSummary& summary, size_t n, const core::TableStyle& style) {
  std::vector<Resources> all;
  std::vector<const core::KernelSummary*> kernels;
  double longest_s = 0;
  for (size_t i = 0; i < std::min(n, summary.kernels.size()); ++i) {
    Resources r = RepeatsOfKernel(summary, summary.kernels[i]).resources();
    if (r.values.empty()) continue;
    longest_s = std::max({longest_s, r.find(metric::kComputing).value_or(0), r.find(metric::kMemory).value_or(0)});
    all.push_back(std::move(r));
    kernels.push_back(&summary.kernels[i]);
  }
  if (all.empty()) return "";
  const bool with_l2 = std::any_of(all.begin(), all.end(), [](const Resources& r) { return r.find("l2_hit_ratio"); });
  const core::TimeFormat time(longest_s);
  const std::string unit = time.unit();

  std::vector<core::TableColumn> columns = {{"t.comp " + unit}, {"t.stall"}, {"t.mem"}, {"BF_mem"}, {"CPI"}, {"L1 %"}};
  if (with_l2) columns.push_back({"L2 %"});
  columns.insert(columns.end(), {{"LLC %"}, {"from mem."}, {"E"}});
  columns.push_back({.title = "why: kernel",
                     .align = core::TableColumn::Align::kLeft,
                     .shrink_weight = 1,
                     .shorten = core::shorten_function});
  core::Table table(columns);
  for (size_t i = 0; i < all.size(); ++i) {
    const Resources& r = all[i];
    const bool uncertain = r.notes.count("few_samples") != 0;
    const auto e = r.find("llc_miss_ratio");
    std::vector<std::string> cells = {(uncertain ? "~" : "") + cell(r.find(metric::kComputing), time),
                                      cell(r.find(metric::kStalled), time),
                                      cell(r.find(metric::kMemory), time),
                                      blocking_cell(r),
                                      cell(r.find("cpi"), [](double v) { return core::fixed(v, 2); }),
                                      ratio_cell(r, "l1_hit_ratio")};
    if (with_l2) cells.push_back(ratio_cell(r, "l2_hit_ratio"));
    cells.push_back(ratio_cell(r, "llc_hit_ratio"));
    cells.push_back(cell(r.find("memory_bytes"), core::bytes_text));
    cells.push_back((r.contention ? "!" : "") + cell(e, scientific));
    cells.push_back(kernels[i]->name);
    table.add_row(std::move(cells));
  }
  std::string text = "\n" + table.text(style);
  for (const char* note :
       {"stalls_derived", "stalls_total", "single_configuration", "stalls_exceed_memory", "stalls_not_memory",
        "few_overflows", "counts_in_part", "counts_of_repeats", "cache_size_guessed"}) {
    text += sentence(all, note);
  }
  text += sentence_where(
      all, [](const Resources& r) { return r.by_time; },
      "ranks that were not simulated took other times: counts are extended by time (--simulate-ranks all)");
  text += sentence_where(
      all, [](const Resources& r) { return r.parts_of_some_runs; },
      "not counted in all repeats: the time is shared out as in those that were");
  text += sentence(all, "cpi_below_machine");
  return text;
}

}  // namespace scalediag::report
