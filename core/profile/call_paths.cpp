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
  return std::ranges::any_of(profile.runs, [](const Run& run) { return !run.call_paths.empty(); });
}

std::string short_function_name(const std::string& function) {
  CallSite site;
  site.function = function;
  const std::string name = function_of(site);
  // Where parentheses ended the name, what stands before a blank outside of <> is a type: "void f<int>".
  if (name.size() == function.size() || name.find("operator") != std::string::npos || name.starts_with("["))
    return name;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(' || name[i] == '{') ++depth;
    if (name[i] == '>' || name[i] == ')' || name[i] == '}') --depth;
    if (name[i] == ' ' && depth == 0) begin = i + 1;
  }
  return name.substr(begin);
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
  std::map<std::pair<int, std::string>, int> namesakes;
  for (const PathUnion::Node& n : all.nodes) ++namesakes[{n.parent, short_function_name(n.id.name)}];
  std::set<std::string> taken;
  for (PathUnion::Node& n : all.nodes) {
    const std::string before = n.parent < 0 ? "" : all.nodes[static_cast<size_t>(n.parent)].name + kPathArrow;
    const std::string name = short_function_name(n.id.name);
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
