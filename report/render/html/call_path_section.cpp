#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"

namespace scalediag::report::html {
namespace {

constexpr double kListedPathShare = 0.01;
constexpr double kOpenPathShare = 0.1;
// Of a picture, in units of its own.
constexpr double kTreePictureWidth = 1000, kPathRowHeight = 20, kLetterWidth = 6.9, kNarrowestPath = 2;

enum class Colouring { kKind, kGrowth };

class CallTreePage {
 public:
  explicit CallTreePage(const Findings& findings)
      : tree_(findings.call_tree),
        ideal_(findings.scaling == Scaling::kWeak ? 0 : -1),
        children_(tree_.nodes.size() + 1) {
    for (size_t i = 0; i < tree_.nodes.size(); ++i) {
      children_[static_cast<size_t>(tree_.nodes[i].parent + 1)].push_back(i);
    }
  }

  std::string pictures() const {
    std::string out = figure(Colouring::kKind, "Where the CPU time goes at " + text_of(tree_.scales.back()) +
                                                   ": a function above what it calls, as wide as its time");
    if (!any_growth()) return out;
    return out +
           figure(Colouring::kGrowth, "The same, coloured by how the time of a path grows from " + text_of(smallest()) +
                                          " to " + text_of(tree_.scales.back()) + ": n^" + core::fixed(ideal_, 0) +
                                          " is ideal") +
           growth_key();
  }

  std::string list() const {
    std::string out = "<div class=\"tree\">\n";
    list(0, out);
    return out + "</div>\n";
  }

 private:
  const CallTreeTimes& last(size_t i) const { return tree_.nodes[i].times.back(); }
  double share(size_t i) const { return last(i).inclusive_s / tree_.total_s.back(); }
  const Point& smallest() const { return tree_.scales[growth_base(tree_)]; }

  bool any_growth() const {
    return std::any_of(tree_.nodes.begin(), tree_.nodes.end(),
                       [&](const CallTreeNode& n) { return growth_exponent(tree_, n).has_value(); });
  }

  std::string growth_text(size_t i) const {
    const auto exponent = growth_exponent(tree_, tree_.nodes[i]);
    if (!exponent) return "";
    return metric_text("time_s", tree_.nodes[i].times[growth_base(tree_)].inclusive_s) + " at " + text_of(smallest()) +
           ", goes as n^" + core::fixed(*exponent, 2);
  }

  // The distance of the growth from the ideal one: 0 to 4.
  int growth_class(size_t i) const {
    const auto exponent = growth_exponent(tree_, tree_.nodes[i]);
    if (!exponent) return -1;
    return static_cast<int>(std::clamp(std::floor((*exponent - ideal_) / 0.25), 0.0, 4.0));
  }

  std::string class_of(size_t i, Colouring colouring) const {
    if (colouring == Colouring::kGrowth) {
      const int growth = growth_class(i);
      return growth < 0 ? "unknown" : "g" + std::to_string(growth);
    }
    switch (tree_.nodes[i].kind) {
      case core::CallPathKind::kMpi:
        return "mpi";
      case core::CallPathKind::kOther:
        return "unknown";
      default:
        return "d" + std::to_string(tree_.nodes[i].depth % 3);
    }
  }

  void draw(size_t i, double x, Colouring colouring, std::string& out, int& deepest) const {
    const double width = share(i) * kTreePictureWidth;
    if (width < kNarrowestPath) return;
    const CallTreeNode& n = tree_.nodes[i];
    deepest = std::max(deepest, n.depth);
    const double y = n.depth * kPathRowHeight;
    const std::string name = name_of(n);
    const std::string growth = growth_text(i);
    out += "<g><title>" +
           escaped(name + ": " + metric_text("time_s", last(i).inclusive_s) + ", " + core::percent(share(i)) +
                   ", itself " + metric_text("time_s", last(i).exclusive_s) + (growth.empty() ? "" : "; " + growth)) +
           "</title><rect class=\"" + class_of(i, colouring) + "\" x=\"" + core::fixed(x, 1) + "\" y=\"" +
           core::fixed(y, 0) + "\" width=\"" + core::fixed(width, 1) + "\" height=\"" + core::fixed(kPathRowHeight, 0) +
           "\"/>";
    const auto letters = static_cast<size_t>(std::max(0.0, (width - 6) / kLetterWidth));
    if (letters >= 4) {
      out += "<text x=\"" + core::fixed(x + 3, 1) + "\" y=\"" + core::fixed(y + 14, 0) + "\">" +
             escaped(core::shorten_function(name, letters)) + "</text>";
    }
    out += "</g>\n";
    for (const size_t child : children_[i + 1]) {
      draw(child, x, colouring, out, deepest);
      x += share(child) * kTreePictureWidth;
    }
  }

  std::string figure(Colouring colouring, const std::string& caption) const {
    std::string drawn;
    int deepest = 0;
    double x = 0;
    for (const size_t top : children_[0]) {
      draw(top, x, colouring, drawn, deepest);
      x += share(top) * kTreePictureWidth;
    }
    return "<figure><figcaption>" + escaped(caption) +
           "</figcaption><div class=\"scroll\"><svg class=\"icicle\" viewBox=\"0 0 " +
           core::fixed(kTreePictureWidth, 0) + " " + core::fixed((deepest + 1) * kPathRowHeight, 0) +
           "\" role=\"img\" aria-label=\"" + escaped(caption) + "\">\n" + drawn + "</svg></div></figure>\n";
  }

  std::string growth_key() const {
    static constexpr const char* kTexts[] = {"ideal, or at most n^0.25 from it", "to n^0.5", "to n^0.75", "to n^1",
                                             "farther"};
    std::string out = "<p class=\"growth\">";
    for (size_t i = 0; i < std::size(kTexts); ++i) {
      out += "<svg viewBox=\"0 0 16 12\" aria-hidden=\"true\"><rect class=\"g" + std::to_string(i) +
             "\" width=\"16\" height=\"12\"/></svg> " + kTexts[i] + " ";
    }
    return out + "</p>\n";
  }

  void list(size_t group, std::string& out) const {
    for (const size_t i : children_[group]) {
      if (share(i) < kListedPathShare) continue;
      const CallTreeNode& n = tree_.nodes[i];
      const auto& below = children_[i + 1];
      const bool has_more =
          std::any_of(below.begin(), below.end(), [&](size_t child) { return share(child) >= kListedPathShare; });
      const std::string growth = growth_text(i);
      const std::string line = "<span class=\"n\">" + escaped(core::percent(share(i))) + "</span> <code>" +
                               escaped(core::shorten_function(name_of(n), 110)) + "</code> <span class=\"quiet\">" +
                               escaped(metric_text("time_s", last(i).inclusive_s)) + ", itself " +
                               escaped(metric_text("time_s", last(i).exclusive_s)) +
                               (growth.empty() ? "" : "; " + escaped(growth)) + "</span>" +
                               (growth_class(i) >= 3 ? " <span class=\"bad\">does not scale</span>" : "");
      if (!has_more) {
        out += "<div class=\"leaf\">" + line + "</div>\n";
        continue;
      }
      out +=
          std::string("<details") + (share(i) >= kOpenPathShare ? " open" : "") + "><summary>" + line + "</summary>\n";
      list(i + 1, out);
      out += "</details>\n";
    }
  }

  const CallTree& tree_;
  const double ideal_;                         // exponent of a path's time over the number of processes
  std::vector<std::vector<size_t>> children_;  // of the node before; first those at the top
};

}  // namespace

std::string call_path_section(const Findings& findings) {
  if (findings.call_tree.nodes.empty() || !(findings.call_tree.total_s.back() > 0)) return "";
  const CallTreePage page(findings);
  return section_begin("callpaths", "Call paths",
                       "Who called what: CPU time of the mean rank, all threads, with all that was called. Time in MPI "
                       "is what ranks burn there. `predict --by callpath` predicts paths.") +
         page.pictures() + "<h3>Call tree at " + escaped(text_of(findings.call_tree.scales.back())) +
         "</h3>\n<p class=\"quiet\">Paths of at least " + core::percent(kListedPathShare) +
         " of the CPU time; <code>scalediag show --call-paths --top 0</code> prints all that were kept.</p>\n" +
         page.list() + section_end();
}

}  // namespace scalediag::report::html
