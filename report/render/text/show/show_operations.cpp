#include "report/render/text/show/show_operations.h"

#include <algorithm>
#include <cstdint>

#include "core/mpi_routines.h"
#include "core/profile/call_sites.h"
#include "core/text/numbers.h"

namespace scalediag::report {
namespace {

using Align = core::TableColumn::Align;

constexpr size_t kOperationsWithSites = 3;
constexpr size_t kSitesShown = 5;

class OperationsTable {
 public:
  OperationsTable(const core::ConfigurationSummary& summary, size_t top, const core::TimeFormat& time)
      : summary_(summary), top_(top), time_(time) {}

  std::string text(const core::TableStyle& style) {
    const auto& operations = summary_.operations;
    const bool with_sites =
        std::any_of(operations.begin(), operations.end(), [](const auto& o) { return !o.sites.empty(); });
    const std::string unit = time_.unit();
    core::Table table({{"time " + unit},
                       {"share"},
                       {"wall " + unit},
                       {"blocked " + unit},
                       {"CV"},
                       {"calls"},
                       {"bytes"},
                       {.title = "MPI operation",
                        .align = Align::kLeft,
                        .shrink_weight = 1,
                        .shorten = core::shorten_function},
                       {.title = with_sites ? "source" : "", .align = Align::kLeft, .shrink_weight = 1}});
    const size_t n = top_ == 0 ? operations.size() : std::min(operations.size(), top_);
    for (size_t i = 0; i < n; ++i) {
      const core::OperationSummary& o = operations[i];
      const std::string cv = summary_.runs.size() < 2 ? "-" : core::percent(o.cv);
      add_row(table, o, mpi::can_wait(o.operation), cv, o.operation, "");
      if (top_ == 0 || i < kOperationsWithSites) add_sites(table, o);
    }
    if (n < operations.size()) {
      core::OperationSummary rest;
      for (size_t i = n; i < operations.size(); ++i) add(operations[i], mpi::can_wait(operations[i].operation), rest);
      add_row(table, rest, true, "", "(" + std::to_string(operations.size() - n) + " more)", "");
    }
    return "\n" + table.text(style);
  }
  bool any_uncertain() const { return any_uncertain_; }

 private:
  // `Values`: an operation or a site of one.
  template <class Values>
  void add_row(core::Table& table, const Values& v, bool waits, const std::string& cv, const std::string& name,
               const std::string& source) {
    const bool uncertain = v.sampling_error > core::kUncertainSamplingError;
    any_uncertain_ = any_uncertain_ || uncertain;
    const bool is_extended = std::ranges::any_of(summary_.runs, [](const core::Run* run) { return run->cut.has_value(); });
    const std::string about = is_extended ? "~" : "";
    table.add_row({(uncertain ? "~" : "") + time_(v.time_s), core::percent(v.share), time_(v.wall_s),
                   waits ? time_(v.blocked_s) : "-", cv, about + core::count_text(v.calls),
                   about + core::bytes_text(v.bytes), name, source});
  }

  template <class Values>
  static void add(const Values& v, bool waits, Values& sum) {
    sum.time_s += v.time_s;
    sum.share += v.share;
    sum.wall_s += v.wall_s;
    if (waits) sum.blocked_s += v.blocked_s;
    sum.calls += v.calls;
    sum.bytes += v.bytes;
  }

  void add_sites(core::Table& table, const core::OperationSummary& o) {
    const bool waits = mpi::can_wait(o.operation);
    const size_t n = top_ == 0 ? o.sites.size() : std::min(o.sites.size(), kSitesShown);
    for (size_t i = 0; i < n; ++i) {
      const core::SiteSummary& s = o.sites[i];
      add_row(table, s, waits, "", "  " + core::function_of(s.site), core::source_of(s.site));
    }
    if (n == o.sites.size()) return;
    core::SiteSummary rest;
    for (size_t i = n; i < o.sites.size(); ++i) add(o.sites[i], waits, rest);
    add_row(table, rest, waits, "", "  (" + std::to_string(o.sites.size() - n) + " more places)", "");
  }

  const core::ConfigurationSummary& summary_;
  const size_t top_;
  const core::TimeFormat& time_;
  bool any_uncertain_ = false;
};

}  // namespace

std::string operations_table(const core::ConfigurationSummary& summary, size_t top, const core::TimeFormat& time,
                             const core::TableStyle& style, bool& any_uncertain) {
  if (summary.operations.empty()) return "  no MPI operation was counted\n";
  OperationsTable table(summary, top, time);
  std::string text = table.text(style);
  any_uncertain = any_uncertain || table.any_uncertain();
  return text;
}

}  // namespace scalediag::report
