#include "report/render/text/first/limits_table.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "core/text/bounded.h"
#include "core/text/function_name.h"
#include "core/text/join.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/render/text/terminal_options.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

// In the column of reasons, of a kernel that takes time while the data do not decide whether it scales.
constexpr const char* kNoReason = "scaling not decided";
// The row of time that ranks wait in MPI.
constexpr const char* kWaiting = "[waiting for others]";
// From this share of the run on, waiting and functions with too few samples are named.
constexpr double kTellingShare = 0.05;

// The class and its function, without the scopes around them: "A::f" of "a::b::A::f<int>(double)".
std::string own_name(const std::string& name) {
  const std::string plain = core::plain_function(name);
  const size_t own = plain.rfind("::");
  const size_t scope = own == std::string::npos || own == 0 ? std::string::npos : plain.rfind("::", own - 1);
  return scope == std::string::npos ? plain : plain.substr(scope + 2);
}

// "conj_grad.f:120"; of an MPI operation the place that calls it most: its line, else its function.
std::string source_of(const KernelFinding& kernel) {
  if (!kernel.file.empty()) return place_text(kernel.file, kernel.line);
  if (kernel.call_sites.empty()) return kernel.module;
  std::string site = kernel.call_sites.front().site;
  site.resize(std::min(site.size(), site.rfind(", through ")));
  const size_t comma = site.rfind(", ");
  if (comma == std::string::npos) return own_name(site);
  const std::string place = site.substr(comma + 2);
  // An address in a module tells nothing beside the function: "copy_faces_, bt.W.x+0xc128".
  return place.find("+0x") == std::string::npos ? place : own_name(site.substr(0, comma));
}

struct Limit {
  const Estimate* estimate;  // of the slowest rank where ranks differ
  const Estimate* mean;      // of all ranks
  std::string why, name, source;
};

// Why a kernel limits the run; empty: it does not, or too little to be named.
std::string why_of(const KernelFinding& k, const TargetFindings& target, Scaling scaling) {
  if (!k.matters || overlaps_run(k)) return "";
  if (target.is_unchecked) return "two scales do not tell";
  if (scaling == Scaling::kUnknown) return "kind of scaling not known";
  if (k.pooled > 0 && !k.exponent) return k.share >= kTellingShare ? "too few samples" : "";
  if (!k.scales && k.cause != Cause::kNone) return cause_text(k);
  if (!k.scales) return k.exponent || k.kind == fit::KernelKind::kWaiting ? kNoReason : "";
  if (*k.scales) return "";
  return k.cause == Cause::kNone ? "does not scale" : cause_text(k);
}

std::vector<Limit> limits_of(const TargetFindings& target, Scaling scaling, bool full_names) {
  std::vector<Limit> limits;
  bool has_operation = false;
  for (const KernelFinding& k : target.kernels) {
    if (const std::string why = why_of(k, target, scaling); !why.empty()) {
      limits.push_back({&of_slowest(k), &k.estimate, why, full_names ? k.name : own_name(k.name), source_of(k)});
      has_operation = has_operation || k.kind == fit::KernelKind::kMpi;
    }
  }
  // Simulated operations have no verdict of their own.
  constexpr double kMuch = 0.1;
  if (target.simulated && !has_operation && target.communication_s &&
      target.communication_s->value > kMuch * target.run_s->value) {
    limits.push_back({&*target.communication_s, &*target.communication_s, "messages", "[communication]", ""});
  }
  if (target.waiting_s && target.waiting_s->value > kTellingShare * target.run_s->value) {
    const std::string cause = target.waiting_causes.empty() ? "imbalance" : target.waiting_causes.front().cause;
    limits.push_back({&*target.waiting_s, &*target.waiting_s, cause, kWaiting, ""});
  }
  return limits;
}

// Long names lose the class where the function's own name says enough and no other row has it: modules of Fortran are
// named like their functions, and a part of a class tells nothing.
void shorten_long_names(std::vector<Limit>& limits) {
  constexpr size_t kLong = 24, kTelling = 12;
  const auto own = [](const Limit& limit) { return limit.name.substr(limit.name.rfind(':') + 1); };
  std::map<std::string, int> uses;
  for (const Limit& limit : limits) ++uses[own(limit)];
  for (Limit& limit : limits) {
    const std::string name = own(limit);
    if (limit.name.size() > kLong && limit.name.front() != '[' && name.size() >= kTelling && uses[name] == 1) {
      limit.name = name;
    }
  }
}

}  // namespace

ScreenTable limits_table(const Findings& findings, const TargetFindings& target, bool full_names, size_t most) {
  std::vector<Limit> limits = limits_of(target, findings.scaling, full_names);
  ScreenTable table;
  std::ranges::stable_sort(limits, std::greater(), [](const Limit& limit) { return limit.estimate->value; });
  // The largest one with a reason is shown in any case.
  const auto decided = std::ranges::find_if(limits, [](const Limit& limit) { return limit.why != kNoReason; });
  const bool is_open = !limits.empty() && decided == limits.end();
  if (!is_open && decided - limits.begin() >= static_cast<std::ptrdiff_t>(most)) {
    std::rotate(limits.begin() + static_cast<std::ptrdiff_t>(most) - 1, decided, decided + 1);
  }
  table.left_out = limits.size() - std::min(most, limits.size());
  limits.resize(limits.size() - table.left_out);
  table.title = (is_open ? "The largest parts at " : "What limits it at ") + report::text_of(target.at);
  if (limits.empty()) return table;
  if (!full_names) shorten_long_names(limits);
  const core::TimeFormat time(target.run_s->value);
  table.columns = {{std::string("time ") + time.unit()},
                   {"between"},
                   {"% of run"},
                   {.title = "why", .align = core::TableColumn::Align::kLeft},
                   {.title = "kernel",
                    .align = core::TableColumn::Align::kLeft,
                    .shrink_weight = 5,
                    .shorten = core::shorten_function},
                   {.title = "source",
                    .align = core::TableColumn::Align::kLeft,
                    .shrink_weight = 3,
                    .shorten = core::shorten_front}};
  const auto percent_of = [&](double seconds) {
    const double share = seconds / target.run_s->value;
    return core::fixed(100 * share, share < 0.0995 ? 1 : 0);
  };
  double rest_s = target.run_s->value;
  std::vector<std::vector<std::string>> unknown;
  bool waits = false;  // nobody knows how long
  bool of_slowest_rank = false;
  for (const Limit& limit : limits) {
    const core::Bounded number = in_units(*limit.estimate, core::units_a_second(time));
    const bool is_known = number.value != kNoNumber;
    (is_known ? table.rows : unknown)
        .push_back({number.value, number.interval(), is_known ? percent_of(limit.estimate->value) : kNoNumber,
                    limit.why, limit.name, limit.source});
    if (is_known) rest_s -= limit.mean->value;
    of_slowest_rank = of_slowest_rank || limit.estimate != limit.mean;
    waits = waits || (!is_known && limit.name == kWaiting);
  }
  constexpr double kVisible = 0.0005;
  if (rest_s > kVisible * target.run_s->value) {
    const double rest = core::units_a_second(time) * rest_s;
    // Its interval is not known; two digits are no more than the others have.
    table.rows.push_back({core::bounded(rest, 0.9 * rest, 1.1 * rest).value, "", percent_of(rest_s), "",
                          unknown.empty() ? "[all else]" : "[all else, of which:]", ""});
  }
  std::vector<std::string> remarks;
  if (!unknown.empty()) remarks.push_back(std::string(kNoNumber) + ": not known within a factor of 100");
  if (waits && !target.simulated) remarks.emplace_back("a simulation tells waiting (--network)");
  if (of_slowest_rank) {
    remarks.emplace_back("where ranks differ, a row is the slowest rank's, so that rows are more than the run");
  }
  std::ranges::move(unknown, std::back_inserter(table.rows));
  table.remark = capitalised(core::join(remarks, "; "));
  return table;
}

}  // namespace scalediag::report
