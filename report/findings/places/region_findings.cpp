#include "report/findings/places/region_findings.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace scalediag::report {
namespace {

template <class Region>
auto identity_of(const Region& r) {
  return std::tie(r.name, r.parent, r.source, r.of_other_threads);
}

template <class Region>
RegionFinding& found_or_added(std::vector<RegionFinding>& findings, const Region& region) {
  const auto known = std::find_if(findings.begin(), findings.end(),
                                  [&region](const RegionFinding& f) { return identity_of(f) == identity_of(region); });
  if (known != findings.end()) return *known;
  return findings.emplace_back(
      RegionFinding{region.name, region.parent, region.source, region.of_other_threads, {}, {}});
}

void add_once(std::vector<std::string>& notes, const std::string& note) {
  if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

Point point_of_configuration(const core::ConfigurationSummary& configuration) {
  Point at = {{"np", configuration.np}};
  at.insert(at.end(), configuration.parameters.begin(), configuration.parameters.end());
  return at;
}

std::string region_path(const RegionFinding& f) { return f.parent.empty() ? f.name : f.parent + "/" + f.name; }

}  // namespace

int RegionFinding::depth() const {
  return parent.empty() ? 0 : 1 + static_cast<int>(std::count(parent.begin(), parent.end(), '/'));
}

std::vector<RegionFinding> regions_of(const core::ConfigurationSummary& configuration) {
  std::vector<RegionFinding> findings;
  const double repeats = static_cast<double>(configuration.runs.size());
  for (const core::Run* run : configuration.runs) {
    for (const core::Region& r : run->regions) {
      RegionFinding& finding = found_or_added(findings, r);
      if (finding.times.empty()) finding.times.emplace_back().at = point_of_configuration(configuration);
      RegionTimes& t = finding.times.back();
      t.count += r.count.max / repeats;
      t.time_s += r.time_s(run->clock).mean / repeats;
      t.elapsed_s += r.elapsed_s.mean / repeats;
      t.computation_s += r.computation_s.mean / repeats;
      t.communication_s += r.communication_s.mean / repeats;
      t.least_s += r.elapsed_s.min / repeats;
      t.most_s += r.elapsed_s.max / repeats;
      add_once(finding.notes, r.note);
      if (!r.parallel) continue;
      t.threads = std::max(t.threads, static_cast<double>(r.parallel->most));
      t.busy_s += r.parallel->busy_s.mean / repeats;
      t.idle_s += r.parallel->idle_s.mean / repeats;
      t.slowest_s += r.parallel->slowest_s.mean / repeats;
      t.busy_cpu_s += r.parallel->busy_cpu_s.mean / repeats;
    }
  }
  for (RegionFinding& f : findings) {
    RegionTimes& t = f.times.back();
    t.share = configuration.total_s > 0 ? t.time_s / configuration.total_s : 0;
  }
  return findings;
}

std::optional<OpenMpFinding> openmp_of(const core::ConfigurationSummary& configuration) {
  OpenMpFinding all;
  double runs = 0;
  for (const core::Run* run : configuration.runs) {
    if (!run->openmp) continue;
    ++runs;
    all.inside_s += run->openmp->inside_s.mean;
    all.outside_s += run->openmp->outside_s.mean;
    all.outside_mpi_s += run->openmp->outside_mpi_s.mean;
  }
  if (runs == 0) return std::nullopt;
  all.at = point_of_configuration(configuration);
  for (double* value : {&all.inside_s, &all.outside_s, &all.outside_mpi_s}) *value /= runs;
  return all;
}

std::vector<OpenMpFinding> openmp_findings(const core::Profile& profile) {
  std::vector<OpenMpFinding> all;
  for (const auto& runs : core::group_by_configuration(profile, true)) {
    if (const auto one = openmp_of(core::summarize(runs))) all.push_back(*one);
  }
  return all;
}

std::vector<RegionFinding> region_findings(const core::Profile& profile) {
  std::vector<RegionFinding> all;
  for (const auto& runs : core::group_by_configuration(profile, true)) {
    for (RegionFinding& one : regions_of(core::summarize(runs))) {
      RegionFinding& finding = found_or_added(all, one);
      finding.times.push_back(std::move(one.times.back()));
      for (const std::string& note : one.notes) add_once(finding.notes, note);
    }
  }
  const auto is_main_loop = [](const RegionFinding& f) { return f.name == core::kMainLoop && f.parent.empty(); };
  std::stable_sort(all.begin(), all.end(), [&](const RegionFinding& a, const RegionFinding& b) {
    if (is_main_loop(a) != is_main_loop(b)) return is_main_loop(a);
    return region_path(a) < region_path(b);
  });
  return all;
}

}  // namespace scalediag::report
