#include "report/rules/rule_kernels.h"

#include <algorithm>
#include <functional>

#include "core/text/suggestion.h"

namespace scalediag::report {
namespace {

constexpr size_t kNamesShown = 4;

std::string with_module(const RuleKernel& kernel) { return kernel.name + " [" + kernel.module + "]"; }
std::string with_place(const RuleKernel& kernel) {
  return kernel.name + " [" + kernel.module + " " + kernel.place + "]";
}

// The length of an operator's name with brackets; they belong to the name.
size_t operator_length(std::string_view text) {
  constexpr std::string_view kWord = "operator";
  if (!text.starts_with(kWord)) return 0;
  for (const std::string_view symbol : {"()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
    if (text.substr(kWord.size()).starts_with(symbol)) return kWord.size() + symbol.size();
  }
  return 0;
}

// Adds every end of a path by which a rule may name it: "a::b::c", "b::c", "c".
void add_ends(const std::string& bare, std::vector<std::string>& to) {
  to.push_back(bare);
  for (size_t i = 0; i + 2 < bare.size(); ++i) {
    if (bare.compare(i, 2, "::") == 0 || bare.compare(i, 2, "->") == 0) to.push_back(bare.substr(i + 2));
  }
}

bool ends_with_part(const std::string& bare, const std::string& part) {
  return bare.ends_with("::" + part) || bare.ends_with("->" + part);
}

// A name that fits kernel `which` and none of the others in `fitting`; empty where there is none.
std::string name_of_its_own(std::span<const RuleKernel> kernels, const std::vector<size_t>& fitting, size_t which) {
  const RuleKernel& kernel = kernels[which];
  const auto alone = [&](auto text_of_kernel) {
    return std::count_if(fitting.begin(), fitting.end(),
                         [&](size_t other) { return text_of_kernel(kernels[other]) == text_of_kernel(kernel); }) == 1;
  };
  if (alone([](const RuleKernel& k) { return k.name; })) return kernel.name;
  if (!kernel.module.empty() && alone(with_module)) return with_module(kernel);
  return !kernel.place.empty() && alone(with_place) ? with_place(kernel) : "";
}

core::Error several(const Rule& rule, std::span<const RuleKernel> kernels, const std::vector<size_t>& fitting) {
  std::vector<std::string> names;
  for (const size_t which : fitting) {
    std::string name = name_of_its_own(kernels, fitting, which);
    if (!name.empty()) names.push_back(std::move(name));
  }
  std::string hint;
  for (size_t i = 0; i < std::min(kNamesShown, names.size()); ++i)
    hint += (i == 0 ? "write '" : ", '") + names[i] + "'";
  if (names.size() > kNamesShown) hint += " and " + std::to_string(names.size() - kNamesShown) + " more";
  if (const size_t nameless = fitting.size() - names.size(); nameless > 0) {
    hint += (hint.empty() ? "" : "; ") + std::to_string(nameless) +
            " of them cannot be told apart without source lines, which a build with -g has";
  }
  return rule_error(rule, rule.kernel_column,
                    std::to_string(fitting.size()) + " kernels are called '" + rule.kernel + "'", hint);
}

core::Error none(const Rule& rule, std::span<const RuleKernel> kernels) {
  std::vector<std::string> names, containing;
  for (const RuleKernel& kernel : kernels) {
    names.push_back(kernel.name);
    add_ends(bare_name(kernel.name), names);
    if (kernel.name.find(rule.kernel) != std::string::npos) containing.push_back(kernel.name);
  }
  std::string hint = core::did_you_mean(rule.kernel, names);
  if (hint.empty() && !containing.empty()) {
    for (size_t i = 0; i < std::min(kNamesShown, containing.size()); ++i) {
      hint += (i == 0 ? "names that contain it: '" : ", '") + containing[i] + "'";
    }
  }
  if (hint.empty()) hint = "`scalediag show --top 0` lists the kernels of a profile";
  return rule_error(rule, rule.kernel_column, "there is no kernel '" + rule.kernel + "'", hint);
}

}  // namespace

std::string bare_name(const std::string& name) {
  std::string bare;
  int angles = 0, parentheses = 0;
  for (size_t i = 0; i < name.size();) {
    const size_t own = operator_length(std::string_view(name).substr(i));
    if (own > 0) {
      if (angles == 0) bare.append(name, i, own);
      i += own;
      continue;
    }
    const char c = name[i];
    const bool arrow = c == '>' && i > 0 && name[i - 1] == '-';
    if (c == '(' && angles == 0 && parentheses == 0) {
      // "(anonymous namespace)::" is a scope; parameters end the name.
      const size_t close = name.find(')', i);
      const bool scope = close != std::string::npos && name.compare(close + 1, 2, "::") == 0;
      if (!scope) break;
      bare.append(name, i, close + 1 - i);
      i = close + 1;
      continue;
    }
    if (c == '(') ++parentheses;
    if (c == ')') --parentheses;
    if (c == '<') ++angles;
    if (angles == 0) bare += c;
    if (c == '>' && !arrow && angles > 0) --angles;
    ++i;
  }
  return angles == 0 && !bare.empty() ? bare : name;
}

core::Result<size_t> find_rule_kernel(const Rule& rule, std::span<const RuleKernel> kernels) {
  const std::string& written = rule.kernel;
  const std::function<bool(const RuleKernel&)> ways[] = {
      [&](const RuleKernel& k) { return k.name == written; },
      [&](const RuleKernel& k) { return !k.module.empty() && with_module(k) == written; },
      [&](const RuleKernel& k) { return !k.place.empty() && with_place(k) == written; },
      [&](const RuleKernel& k) { return bare_name(k.name) == written; },
      [&](const RuleKernel& k) { return ends_with_part(bare_name(k.name), written); },
      [&](const RuleKernel& k) { return k.name.ends_with("::" + written) || k.name.ends_with("->" + written); },
  };
  for (const auto& fits : ways) {
    std::vector<size_t> fitting;
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (fits(kernels[i])) fitting.push_back(i);
    }
    if (fitting.size() == 1) return fitting.front();
    if (fitting.size() > 1) return several(rule, kernels, fitting);
  }
  return none(rule, kernels);
}

}  // namespace scalediag::report
