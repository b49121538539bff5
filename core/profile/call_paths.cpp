#include "core/profile/call_paths.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/profile/call_sites.h"
#include "core/text/numbers.h"

namespace scalediag::core {
namespace {

constexpr const char* kPathArrow = "->";

}  // namespace

bool has_call_paths(const Profile& profile) {
  return std::any_of(profile.runs.begin(), profile.runs.end(), [](const Run& run) { return !run.call_paths.empty(); });
}

std::string function_of(const CallPath& path) {
  CallSite site;
  site.function = path.function;
  return function_of(site);
}

PathUnion unite_paths(std::span<const Run* const> runs) {
  PathUnion all;
  std::map<std::tuple<int, CallPathKind, KernelId>, int> numbers;
  for (const Run* run : runs) {
    std::vector<int>& node_of = all.node_of.emplace_back();
    for (const CallPath& p : run->call_paths) {
      const int parent = p.parent < 0 ? -1 : node_of[static_cast<size_t>(p.parent)];
      const KernelId id{p.function, p.module, p.file, p.line};
      const auto [entry, is_new] = numbers.try_emplace({parent, p.kind, id}, static_cast<int>(all.nodes.size()));
      if (is_new) all.nodes.push_back({parent, p.kind, id, ""});
      node_of.push_back(entry->second);
    }
  }
  const auto short_name = [](const PathUnion::Node& n) {
    CallSite site;
    site.function = n.id.name;
    return function_of(site);
  };
  std::map<std::pair<int, std::string>, int> namesakes;
  for (const PathUnion::Node& n : all.nodes) ++namesakes[{n.parent, short_name(n)}];
  std::set<std::string> taken;
  for (PathUnion::Node& n : all.nodes) {
    const std::string before = n.parent < 0 ? "" : all.nodes[static_cast<size_t>(n.parent)].name + kPathArrow;
    const std::string name = short_name(n);
    n.name = before + (namesakes.at({n.parent, name}) > 1 ? n.id.name : name);
    // The same function in two modules.
    for (int i = 2; !taken.insert(n.name).second; ++i) n.name = before + n.id.name + " [" + std::to_string(i) + "]";
  }
  return all;
}

std::optional<WrongPath> find_wrong_path(const std::vector<CallPath>& paths) {
  constexpr double kRounding = 1e-7;
  std::set<std::tuple<int, CallPathKind, std::string, std::string, std::string, int>> seen;
  std::vector<double> inside(paths.size(), 0);
  for (size_t i = 0; i < paths.size(); ++i) {
    const CallPath& p = paths[i];
    if (p.parent < -1 || p.parent >= static_cast<int>(i)) return WrongPath{i, "its parent does not stand before it"};
    if (!seen.emplace(p.parent, p.kind, p.function, p.module, p.file, p.line).second) {
      return WrongPath{i, "\"" + p.function + "\" stands there twice below one parent"};
    }
    inside[i] += p.exclusive_s.sum;
  }
  for (size_t i = paths.size(); i-- > 0;) {
    const double inclusive = paths[i].inclusive_s.sum;
    if (!(std::abs(inside[i] - inclusive) <= kRounding * std::max(inside[i], inclusive))) {
      return WrongPath{i, "exclusive time and that of what it called add up to " + to_text(inside[i]) +
                              ", and not to its inclusive sum, " + to_text(inclusive)};
    }
    if (paths[i].parent >= 0) inside[static_cast<size_t>(paths[i].parent)] += inclusive;
  }
  return std::nullopt;
}

}  // namespace scalediag::core
