#include "core/profile/call_sites.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/text/formatted.h"
#include "core/text/function_name.h"

namespace scalediag::core {
namespace {

std::string without_folders(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "Foam::sum<double>(double const&)" -> "Foam::sum<double>"
std::string function_name(const std::string& function) {
  const std::string name = without_anonymous_namespaces(function);
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] != '(' || depth != 0 || i == 0) continue;
    const std::string before = name.substr(0, i);
    if (before.ends_with("operator")) continue;
    return before;
  }
  return name;
}

std::string place_of(const CallSite& site, bool with_folders) {
  if (site.line > 0) return (with_folders ? site.file : without_folders(site.file)) + ":" + std::to_string(site.line);
  if (site.address == 0) return site.module;
  const std::string text = formatted("+0x%llx", static_cast<unsigned long long>(site.address));
  return site.module + text;
}

std::string text_of(const CallSite& site, bool with_folders) {
  if (site.function.empty()) return function_of(site);
  const std::string through = site.through.empty() ? "" : ", through " + function_name(site.through);
  return function_of(site) + ", " + place_of(site, with_folders) + through;
}

// The names of sites as operations: without folders where that tells them apart.
class SiteNames {
 public:
  SiteNames(const Profile& profile, SiteNaming naming) : naming_(naming) {
    for (const Run& run : profile.runs) {
      for (const MpiOperation& o : run.operations) {
        for (const MpiSite& site : o.sites) sites_[short_name(o.operation, site)].insert(site);
      }
    }
  }
  std::string of(const std::string& operation, const CallSite& site) const {
    std::string name = short_name(operation, site);
    const std::set<CallSite>& same = sites_.at(name);
    if (same.size() == 1) return name;
    const auto number = std::to_string(std::distance(same.begin(), same.find(site)) + 1);
    if (naming_ == SiteNaming::kByOrder) return name + " [" + number + " of " + std::to_string(same.size()) + "]";
    name = operation + " in " + text_of(site, true);
    // Overloads in one line, or the same file in two libraries.
    return name + " [" + number + "]";
  }

 private:
  std::string short_name(const std::string& operation, const CallSite& site) const {
    if (naming_ == SiteNaming::kByLine || site.function.empty()) return name_at_site(operation, site);
    return operation + " in " + function_of(site) +
           (site.through.empty() ? "" : ", through " + function_name(site.through));
  }

  const SiteNaming naming_;
  std::map<std::string, std::set<CallSite>> sites_;
};

}  // namespace

std::string function_of(const CallSite& site) {
  return site.function.empty() ? "[unknown]" : function_name(site.function);
}

std::string source_of(const CallSite& site) {
  if (site.function.empty()) return "";
  return place_of(site, false) + (site.through.empty() ? "" : ", through " + function_name(site.through));
}

std::string site_text(const CallSite& site) { return text_of(site, false); }

std::string name_at_site(const std::string& operation, const CallSite& site) {
  return operation + " in " + site_text(site);
}

bool has_call_sites(const Profile& profile) {
  return std::ranges::any_of(profile.runs, [](const Run& run) {
    return std::ranges::any_of(run.operations, [](const MpiOperation& o) { return !o.sites.empty(); });
  });
}

Profile split_by_call_site(Profile profile, SiteNaming naming) {
  const SiteNames names(profile, naming);
  for (Run& run : profile.runs) {
    std::vector<MpiOperation> split;
    for (MpiOperation& o : run.operations) {
      if (o.sites.empty()) {
        split.push_back(std::move(o));
        continue;
      }
      for (MpiSite& site : o.sites) {
        MpiOperation& to = split.emplace_back();
        to.operation = names.of(o.operation, site);
        to.calls = site.calls;
        to.bytes = site.bytes;
        to.time_s = site.time_s;
        to.wall_s = site.wall_s;
        to.blocked_s = site.blocked_s;
        to.samples = site.samples;
        to.classes = std::move(site.classes);
        if (run.clock == Clock::kCpu) to.cpu_s = site.time_s;
        to.sites.push_back(std::move(site));
      }
    }
    std::ranges::stable_sort(
        split, [](const MpiOperation& a, const MpiOperation& b) { return a.time_s.mean > b.time_s.mean; });
    run.operations = std::move(split);
  }
  return profile;
}

}  // namespace scalediag::core
