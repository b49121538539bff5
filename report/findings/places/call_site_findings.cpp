#include "report/findings/places/call_site_findings.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/profile/call_sites.h"
#include "core/profile/run_summary.h"
#include "core/text/quantities.h"

namespace scalediag::report {
namespace {

constexpr size_t kNamed = 3;
// Places below this share are only counted.
constexpr double kWorthNaming = 0.05;

}  // namespace

void add_call_sites(const core::Profile& profile, Findings& findings) {
  const auto configurations = core::group_by_configuration(profile, true);
  if (configurations.empty()) return;
  std::map<std::string, std::vector<CallSiteShare>> sites;
  for (const core::OperationSummary& o : core::summarize(configurations.back()).operations) {
    for (const core::SiteSummary& s : o.sites) {
      sites[o.operation].push_back({core::site_text(s.site), o.wall_s > 0 ? s.wall_s / o.wall_s : 0, s.calls, s.bytes});
    }
  }
  for (auto& [operation, shares] : sites) {
    std::stable_sort(shares.begin(), shares.end(),
                     [](const CallSiteShare& a, const CallSiteShare& b) { return a.share > b.share; });
  }
  for (TargetFindings& target : findings.targets) {
    for (KernelFinding& kernel : target.kernels) {
      if (kernel.kind != fit::KernelKind::kMpi) continue;
      const auto found = sites.find(kernel.name);
      if (found != sites.end()) kernel.call_sites = found->second;
    }
  }
}

std::string call_sites_text(const KernelFinding& kernel, const Findings& findings) {
  const std::vector<CallSiteShare>& sites = kernel.call_sites;
  if (sites.empty()) return "";
  size_t n = 1;
  while (n < std::min(kNamed, sites.size()) && sites[n].share >= kWorthNaming) ++n;
  std::string text = "called in ";
  for (size_t i = 0; i < n; ++i) {
    text += (i == 0 ? "" : ", ") + sites[i].site + " (" + core::spaced_percent(sites[i].share, 0);
    if (i == 0 && !findings.measured.empty()) {
      text += " of its elapsed time at " + text_of(findings.measured.back());
    }
    text += ")";
  }
  if (n == sites.size()) return text;
  return text + " and " + std::to_string(sites.size() - n) + (sites.size() == n + 1 ? " more place" : " more places");
}

}  // namespace scalediag::report
