#include "report/render/text/show/show_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "core/profile/run_summary.h"
#include "core/text/function_name.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "core/text/shortening.h"
#include "core/text/table.h"
#include "report/render/text/show/show_call_paths.h"
#include "report/render/text/show/show_gpu.h"
#include "report/render/text/show/show_memory_and_io.h"
#include "report/render/text/show/show_operations.h"
#include "report/render/text/show/show_rank_spread.h"
#include "report/render/text/show/show_regions.h"
#include "report/render/text/show/show_resources.h"
#include "report/render/text/terminal_options.h"

namespace scalediag::report {
namespace {

using core::ConfigurationSummary;
using core::Run;
using Align = core::TableColumn::Align;

constexpr size_t kFieldIndent = 12;

// One line of the summary table, and one section below it.
struct Entry {
  ConfigurationSummary summary;
  std::string title;  // "np=4 grid=64", with the repeat for a single run
};

class ShownReport {
 public:
  ShownReport(const ShownProfile& input, const ShowTextOptions& options)
      : input_(input), options_(options), entries_(entries_of(input, options)), time_(largest_time(entries_)) {}

  std::string text() {
    print_header();
    if (entries_.empty()) {
      out_ += "\nNo run is complete.\n";
    } else {
      print_summary();
      for (const Entry& entry : entries_) print_entry(entry);
    }
    print_legend();
    print_warnings();
    print_unmeasured();
    return std::move(out_);
  }

 private:
  static std::vector<Entry> entries_of(const ShownProfile& input, const ShowTextOptions& options) {
    std::vector<Entry> entries;
    for (const auto& runs : core::group_by_configuration(input.profile, !options.with_incomplete)) {
      std::string title = "np=" + std::to_string(runs.front()->np);
      for (const auto& [name, value] : runs.front()->parameters) title += " " + name + "=" + core::to_text(value);
      if (!options.all_repeats) {
        entries.push_back({core::summarize(runs), title});
        continue;
      }
      for (const Run* run : runs) {
        entries.push_back({core::summarize({&run, 1}), title + " repeat " + std::to_string(run->repeat)});
      }
    }
    return entries;
  }

  static double largest_time(const std::vector<Entry>& entries) {
    double largest = 0;
    for (const Entry& entry : entries) largest = std::max(largest, entry.summary.total_s);
    return largest;
  }

  core::TableStyle style() const { return {options_.width, options_.color, 2}; }
  std::string heading(const std::string& text) const { return heading_text(text, options_.color); }
  // The variation; empty for a single run.
  static std::string variation(const Entry& entry, double cv) {
    return entry.summary.runs.size() < 2 ? "-" : core::percent(cv);
  }
  std::string marked(double sampling_error, double time_s) {
    const bool uncertain = sampling_error > core::kUncertainSamplingError;
    any_uncertain_ = any_uncertain_ || uncertain;
    return (uncertain ? "~" : "") + time_(time_s);
  }

  void print_header() {
    const size_t n_configurations = core::group_by_configuration(input_.profile, false).size();
    const std::string& name = input_.profile.application;
    out_ += heading(core::printable(name.empty() ? input_.path : name)) + ": " +
            core::counted(input_.profile.runs.size(), "run") + " of " +
            core::counted(n_configurations, "configuration") + "\n";
    field("command", core::join_shell_words(input_.profile.command));
    field("stdin", input_.stdin_file());
    wrapped_field("clock", different([](const Run& r) {
                    return std::string(core::name_of(r.clock)) +
                           (r.clock_reason.empty() ? "" : " (" + r.clock_reason + ")");
                  }));
    wrapped_field("sampler", different([](const Run& r) {
                    if (!(r.sampling_rate_hz > 0) || r.sampler == "none") return r.sampler;
                    const char* const what = r.sampler == "cpus"    ? "events of CPUs, shared by the ranks of a node"
                                             : r.sampler == "timer" ? "a timer a thread"
                                                                    : "events of threads";
                    return r.sampler + " at " + core::fixed(r.sampling_rate_hz, 0) + " Hz (" + what + ")";
                  }));
    wrapped_field("counters", counter_sources());
    field("mpi", different([](const Run& r) { return r.mpi_library.substr(0, r.mpi_library.find('\n')); }));
    if (input_.profile.machine) wrapped_field("machine", machine_of(*input_.profile.machine));
    wrapped_field("times", definition());
  }

  void field(const std::string& name, const std::string& value) {
    if (value.empty()) return;
    out_ +=
        "  " + name + std::string(kFieldIndent - 2 - name.size(), ' ') +
        core::shorten_middle(core::printable(value),
                             options_.width == core::kUnlimited ? core::kUnlimited : options_.width - kFieldIndent) +
        "\n";
  }

  // Wraps a value whose middle must not be left out, as a reason or a list of values.
  void wrapped_field(const std::string& name, const std::string& value) {
    if (value.empty()) return;
    std::string text = core::printable(value);
    const size_t width = options_.width > kFieldIndent ? options_.width - kFieldIndent : 1;
    std::string indent = "  " + name + std::string(kFieldIndent - 2 - name.size(), ' ');
    while (options_.width != core::kUnlimited && text.size() > width) {
      const size_t space = text.rfind(' ', width);
      if (space == std::string::npos || space == 0) break;
      out_ += indent + text.substr(0, space) + "\n";
      text.erase(0, space + 1);
      indent.assign(kFieldIndent, ' ');
    }
    out_ += indent + text + "\n";
  }

  // The source of counts and the reason for it; with the runs where it is not the same for all.
  std::string counter_sources() const {
    std::vector<std::string> order;
    std::map<std::string, std::vector<const Run*>> runs_with;
    for (const Run& run : input_.profile.runs) {
      const std::string text = core::counting_text(run);
      std::vector<const Run*>& runs = runs_with[text];
      if (runs.empty()) order.push_back(text);
      runs.push_back(&run);
    }
    std::string all;
    for (const std::string& text : order) {
      all += (all.empty() ? "" : "; ") + text;
      if (order.size() > 1) all += " in " + names_of(runs_with.at(text));
    }
    return all;
  }

  static std::string names_of(const std::vector<const Run*>& runs) {
    constexpr size_t kNamed = 6;
    std::string all;
    for (size_t i = 0; i < std::min(kNamed, runs.size()); ++i) all += (i == 0 ? "" : ", ") + runs[i]->id;
    return runs.size() > kNamed ? all + " and " + std::to_string(runs.size() - kNamed) + " more" : all;
  }

  template <class Text>
  std::string different(Text text) const {
    std::string all;
    std::set<std::string> seen;
    for (const Run& run : input_.profile.runs) {
      const std::string value = text(run);
      if (!value.empty() && seen.insert(value).second) all += (all.empty() ? "" : "; ") + value;
    }
    return all;
  }

  static std::string machine_of(const core::MachineUsed& machine) {
    std::string text = machine.host + ", " + core::fixed(machine.frequency_hz / 1e9, 2) + " GHz; latency";
    for (const char* level : {"l1", "l2", "llc", "memory"}) {
      const auto latency = machine.latency_s.find(level);
      if (latency != machine.latency_s.end())
        text += std::string(" ") + level + " " + core::fixed(1e9 * latency->second, 1);
    }
    return text + " ns; measured " + machine.created;
  }

  std::string definition() const {
    std::set<core::Clock> clocks;
    for (const Run& run : input_.profile.runs) clocks.insert(run.clock);
    std::string text;
    if (clocks.count(core::Clock::kCpu) != 0) text += "cpu = CPU time per rank, of all threads; ";
    if (emulated()) {
      text += "emulated: not measured on the target; ";
    } else if (clocks.count(core::Clock::kWall) != 0) {
      text += "wall = elapsed time of main thread; ";
    }
    text += options_.all_repeats ? "mean over ranks" : "mean over ranks and repeats";
    return text + "; kernels exclude callees";
  }

  void print_summary() {
    std::set<std::string> parameters;
    std::set<core::Clock> clocks;
    for (const Entry& entry : entries_) {
      for (const auto& [name, value] : entry.summary.parameters) parameters.insert(name);
      clocks.insert(entry.summary.clock);
    }
    const std::string unit = time_.unit();
    std::vector<core::TableColumn> columns = {{"np"}};
    for (const std::string& name : parameters) columns.push_back({name});
    columns.push_back({options_.all_repeats ? "rep." : "runs"});
    columns.push_back({"total " + unit});
    const bool with_openmp = waits_in_openmp();  // most programs have none
    const bool with_gpu = uses_gpu();
    for (const char* part : {"comput.", "omp wait", "GPU", "commun.", "others", "unattr."}) {
      if (part == std::string("omp wait") && !with_openmp) continue;
      if (part == std::string("GPU") && !with_gpu) continue;
      columns.push_back({part});
      columns.push_back({.title = "%", .gap = 1});
    }
    columns.push_back({"imbal."});
    columns.push_back({"CV"});
    columns.push_back({"lost"});
    const bool with_clock = clocks.size() > 1;  // else the header says it for all
    if (with_clock) columns.push_back({"clock"});

    core::Table table(columns);
    for (const Entry& entry : entries_) {
      const ConfigurationSummary& s = entry.summary;
      std::vector<std::string> cells = {std::to_string(s.np)};
      for (const std::string& name : parameters) {
        const auto value = s.parameters.find(name);
        cells.push_back(value == s.parameters.end() ? "-" : core::to_text(value->second));
      }
      cells.push_back(std::to_string(options_.all_repeats ? s.runs.front()->repeat : static_cast<int>(s.runs.size())));
      cells.push_back(time_(s.total_s));
      std::vector<double> parts = {s.computation_s, s.communication_s, s.others_s, s.unattributed_s};
      if (with_gpu) parts.insert(parts.begin() + 1, s.gpu_s);
      if (with_openmp) parts.insert(parts.begin() + 1, s.openmp_waiting_s);
      for (const double part : parts) {
        cells.push_back(time_(part));
        cells.push_back(s.total_s == 0 ? "-" : core::percent_digits(part / s.total_s));
      }
      cells.push_back(core::percent(s.imbalance));
      cells.push_back(variation(entry, s.total_cv));
      cells.push_back(core::count_text(static_cast<double>(s.lost_samples)));
      if (with_clock) cells.push_back(core::name_of(s.clock));
      table.add_row(std::move(cells));
    }
    out_ += "\n" + table.text(style());
  }

  void print_entry(const Entry& entry) {
    const ConfigurationSummary& s = entry.summary;
    std::string runs;
    if (!options_.all_repeats && s.runs.size() > 1) runs = ", mean of " + std::to_string(s.runs.size()) + " runs";
    const bool complete = std::all_of(s.runs.begin(), s.runs.end(), [](const Run* run) { return run->complete; });
    out_ += "\n" + heading(core::printable(entry.title)) + ": " + time_(s.total_s) + " " + time_.unit() +
            (s.clock == core::Clock::kCpu ? " of CPU time per rank" : "") + runs + (complete ? "" : ", INCOMPLETE") +
            "\n";
    if (options_.call_paths) {
      out_ += call_paths_table(s, options_.paths, time_, style(), any_uncertain_);
      return;
    }
    print_kernels(entry);
    const std::string resources = resources_table(s, shown(s.kernels.size()), style());
    any_resources_ = any_resources_ || !resources.empty();
    out_ += resources;
    out_ += operations_table(s, options_.top, time_, style(), any_uncertain_);
    out_ += gpu_table(s, options_.top, time_, style());
    out_ += io_table(s, options_.top, time_, style()) + memory_line(s);
    const std::string regions = regions_table(s, time_, style());
    any_regions_ = any_regions_ || !regions.empty();
    out_ += regions + no_main_loop_line(s);
    const std::string parallel = parallel_regions_table(s, time_, style());
    any_parallel_ = any_parallel_ || !parallel.empty();
    out_ += parallel;
    const std::string spread = rank_spread_table(s, options_.top, time_, style());
    any_spread_ = any_spread_ || !spread.empty();
    out_ += spread;
  }

  bool waits_in_openmp() const {
    return std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.summary.openmp_waiting_s > 0; });
  }

  bool uses_gpu() const {
    return std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.summary.gpu_s > 0; });
  }

  bool emulated() const {
    return std::any_of(input_.profile.runs.begin(), input_.profile.runs.end(),
                       [](const Run& run) { return run.emulated.has_value(); });
  }
  bool any_sites() const {
    return std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) {
      const auto& operations = e.summary.operations;
      return std::any_of(operations.begin(), operations.end(), [](const auto& o) { return !o.sites.empty(); });
    });
  }

  size_t shown(size_t all) const { return options_.top == 0 ? all : std::min(all, options_.top); }

  static std::string source_of(const core::KernelSummary& kernel, bool full) {
    if (!full || kernel.file.empty()) return place_text(kernel.file, kernel.line);
    return kernel.line > 0 ? kernel.file + ":" + std::to_string(kernel.line) : kernel.file;
  }

  void print_kernels(const Entry& entry) {
    const auto& kernels = entry.summary.kernels;
    if (kernels.empty()) {
      out_ += "  no kernel was sampled\n";
      return;
    }
    core::Table table(
        {{std::string("time ") + time_.unit()},
         {"share"},
         {"max/mean"},
         {"CV"},
         {"samples"},
         {.title = "kernel", .align = Align::kLeft, .shrink_weight = 5, .shorten = core::shorten_function},
         {.title = "module", .align = Align::kLeft, .shrink_weight = 2},
         {.title = "source", .align = Align::kLeft, .shrink_weight = 3, .shorten = core::shorten_front}});
    const size_t n = shown(kernels.size());
    for (size_t i = 0; i < n; ++i) {
      const core::KernelSummary& k = kernels[i];
      const bool wide = options_.width == core::kUnlimited;
      table.add_row({marked(k.sampling_error, k.time_s), core::percent(k.share), core::fixed(k.max_over_mean, 2),
                     variation(entry, k.cv), core::count_text(static_cast<double>(k.samples)),
                     wide ? k.name : core::without_anonymous_namespaces(k.name), k.module, source_of(k, wide)});
    }
    if (n < kernels.size()) {
      double time_s = 0, share = 0, samples = 0;
      for (size_t i = n; i < kernels.size(); ++i) {
        time_s += kernels[i].time_s;
        share += kernels[i].share;
        samples += static_cast<double>(kernels[i].samples);
      }
      table.add_row({time_(time_s), core::percent(share), "", "", core::count_text(samples),
                     "(" + std::to_string(kernels.size() - n) + " more)", "", ""});
    }
    out_ += table.text(style());
  }

  void print_legend() {
    out_ += "\n";
    if (any_uncertain_) out_ += "~ fewer than 100 samples: sampling alone makes the value uncertain by more than 10%\n";
    if (options_.call_paths) {
      out_ += kCallPathsLegend;
      return;
    }
    if (any_resources_) out_ += kResourcesLegend;
    if (any_regions_) out_ += kRegionsLegend;
    if (any_parallel_) out_ += kParallelRegionsLegend;
    if (any_spread_) out_ += kRankSpreadLegend;
    if (waits_in_openmp()) {
      out_ += "omp wait = [OpenMP waiting]: threads that wait for others of their rank, no part of computation\n";
    }
    if (uses_gpu()) {
      out_ +=
          "GPU = elapsed time in calls of GPUs' libraries, no part of computation: [GPU wait] FUNCTION waited for its\n"
          "device, [GPU calls] FUNCTION launched, copied or allocated\n";
    }
    if (!entries_.empty()) {
      out_ +=
          "imbal. = max/mean - 1 of computation over ranks; CV = standard deviation / mean over repeats;\n"
          "calls and bytes are sums over ranks; wall and blocked are elapsed; blocked is what calls took beyond\n"
          "the shortest one of their size in that run: where every call waits, more was waited (- never waits)\n";
      if (std::ranges::any_of(input_.profile.runs, [](const core::Run& run) { return run.cut.has_value(); })) {
        out_ += "~ calls and bytes are extended from some iterations to all (profile --iterations)\n";
      }
    }
    if (any_sites()) {
      out_ += "below the first MPI operations the places that call them; --top 0 and --json have all\n";
      if (emulated()) out_ += "times of places are not told apart: calls of one class of sizes share their mean\n";
    }
  }

  void print_warnings() {
    for (const core::RunWarning& warning : core::group_warnings(input_.profile.runs)) {
      const auto& runs = warning.runs;
      const std::string who = runs.size() == 1 ? runs.front()
                              : runs.size() == input_.profile.runs.size()
                                  ? "all runs"
                                  : std::to_string(runs.size()) + " runs, first " + runs.front();
      out_ += label("warning", "1;33") + core::printable(who + ": " + warning.text) + "\n";
    }
  }

  void print_unmeasured() {
    for (const UnmeasuredRun& run : input_.unmeasured) {
      out_ += label(run.state, "1;31") + core::printable(run.id + ": " + run.reason) + "\n";
    }
  }

  std::string label(const std::string& text, const std::string& color) const {
    return label_text(text, color, options_.color);
  }

  const ShownProfile& input_;
  const ShowTextOptions& options_;
  const std::vector<Entry> entries_;
  const core::TimeFormat time_;
  bool any_uncertain_ = false;
  bool any_resources_ = false;
  bool any_regions_ = false;
  bool any_parallel_ = false;
  bool any_spread_ = false;
  std::string out_;
};

}  // namespace

std::string show_text(const ShownProfile& input, const ShowTextOptions& options) {
  return ShownReport(input, options).text();
}

}  // namespace scalediag::report
