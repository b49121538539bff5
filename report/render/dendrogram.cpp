#include "report/render/dendrogram.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/document/svg_parts.h"
#include "report/render/text/groups_text.h"

namespace scalediag::report {
namespace {

// A set, or what two nodes become at a distance.
struct TreeNode {
  size_t set = 0;                // of those without children
  double apart = 0;              // of the others
  std::vector<size_t> children;  // in the list of nodes: none, or two
};

struct SetTrees {
  std::vector<TreeNode> nodes;
  std::vector<size_t> roots;  // in the order of their first sets
};

SetTrees trees_of(const loggp::Representatives& representatives) {
  SetTrees trees;
  std::vector<size_t> node_of_set;
  for (size_t set = 0; set < representatives.sets.size(); ++set) {
    node_of_set.push_back(set);
    trees.nodes.push_back({set, 0, {}});
  }
  std::vector<bool> is_first(node_of_set.size(), true);  // of the sets of its node
  for (const loggp::SetMerge& merge : representatives.merges) {
    trees.nodes.push_back({0, merge.apart, {node_of_set[merge.into], node_of_set[merge.gone]}});
    node_of_set[merge.into] = trees.nodes.size() - 1;
    is_first[merge.gone] = false;
  }
  for (size_t set = 0; set < is_first.size(); ++set) {
    if (is_first[set]) trees.roots.push_back(node_of_set[set]);
  }
  return trees;
}

constexpr double kSetHeight = 20, kAbove = 34, kUnder = 62, kTreeWidth = 420, kBeside = 24, kLetterWidth = 6.6;
constexpr size_t kLongestLabel = 40;

class TreeDrawing {
 public:
  TreeDrawing(const loggp::Representatives& representatives, std::string title)
      : representatives_(representatives), trees_(trees_of(representatives)), title_(std::move(title)) {
    size_t longest = 0;
    for (const loggp::RepresentedRanks& set : representatives.sets) {
      longest = std::max(longest, label_of(set).size());
      largest_ = std::max(largest_, set.joined_at);
    }
    for (const TreeNode& node : trees_.nodes) largest_ = std::max(largest_, node.apart);
    left_ = 24 + kLetterWidth * static_cast<double>(longest);
    step_ = std::pow(10, std::floor(std::log10(largest_)));
    while (largest_ / step_ > 6) step_ *= 2;
    while (largest_ / step_ < 3) step_ /= 2;
  }

  std::string svg() {
    const size_t headings = representatives_.groups > 1 ? representatives_.groups : 0;
    const double bottom = kAbove + kSetHeight * static_cast<double>(representatives_.sets.size() + headings);
    const double width = std::max(left_ + kTreeWidth + kBeside, 32 + kLetterWidth * static_cast<double>(title_.size()));
    out_ = svg_begin(width, bottom + kUnder, title_) + svg_text(16, 17, "start", title_, kSvgInk);
    draw_axis(bottom);
    size_t group = representatives_.groups;  // none yet
    for (const size_t root : trees_.roots) {
      const size_t its = representatives_.sets[first_set(root)].group;
      if (headings > 0 && its != group) {
        out_ += svg_text(16, next_row() + 4, "start", "group " + std::to_string(its + 1), kSvgGrey);
      }
      group = its;
      draw(root);
    }
    return std::move(out_) + "</svg>\n";
  }

 private:
  struct Place {
    double x = 0, y = 0;
  };

  static std::string label_of(const loggp::RepresentedRanks& set) {
    const std::string label = "rank " + std::to_string(set.representative);
    if (set.ranks.size() == 1) return label;
    return core::shorten_middle(label + " for " + rank_ranges(set.ranks), kLongestLabel);
  }
  size_t first_set(size_t at) const {
    while (!trees_.nodes[at].children.empty()) at = trees_.nodes[at].children.front();
    return trees_.nodes[at].set;
  }
  double x(double apart) const { return left_ + apart / largest_ * kTreeWidth; }
  double next_row() { return kAbove + kSetHeight * (static_cast<double>(rows_++) + 0.5); }

  void draw_axis(double bottom) {
    for (int i = 0; i * step_ <= largest_ * (1 + 1e-9); ++i) {
      const double at = x(i * step_);
      out_ += svg_line(at, kAbove, at, bottom, "#d8dee4", 1);
      out_ += svg_text(at, bottom + 16, "middle", core::four_digits(100 * i * step_), kSvgGrey);
    }
    out_ += svg_line(left_, bottom, left_ + kTreeWidth, bottom, kSvgGrey, 1);
    out_ += svg_text(left_ + kTreeWidth / 2, bottom + 33, "middle", "apart, %", kSvgInk);
    out_ += svg_text(16, bottom + 52, "start", "circle: the rank that stands for others; bar: how far these are apart",
                     kSvgGrey);
  }

  Place draw(size_t at) {
    const TreeNode& node = trees_.nodes[at];
    if (node.children.empty()) return draw_set(representatives_.sets[node.set]);
    const Place a = draw(node.children[0]);
    const Place b = draw(node.children[1]);
    const double joined = x(node.apart);
    for (const Place& from : {a, b}) out_ += svg_line(from.x, from.y, joined, from.y, kSvgGrey, 1.4);
    out_ += svg_line(joined, a.y, joined, b.y, kSvgGrey, 1.4);
    return {joined, (a.y + b.y) / 2};
  }

  Place draw_set(const loggp::RepresentedRanks& set) {
    const double y = next_row(), end = x(set.joined_at);
    out_ += svg_text(left_ - 10, y + 4, "end", label_of(set), kSvgInk);
    if (set.joined_at > 0) out_ += svg_line(left_, y, end, y, svg_color(0), 5);
    out_ += "<circle cx=\"" + svg_number(left_) + "\" cy=\"" + svg_number(y) + "\" r=\"4\" fill=\"" + svg_color(0) +
            "\"/>\n";
    if (!set.apart) out_ += svg_text(left_ + 10, y + 4, "start", "not known", kSvgGrey);
    return {end, y};
  }

  const loggp::Representatives& representatives_;
  const SetTrees trees_;
  const std::string title_;
  double left_ = 0, step_ = 0;
  double largest_ = 1e-3;  // at the right end of the axis
  size_t rows_ = 0;
  std::string out_;
};

void print_node(const loggp::Representatives& representatives, const SetTrees& trees, size_t at,
                const std::string& before, std::string& text) {
  const TreeNode& node = trees.nodes[at];
  text +=
      (node.children.empty() ? rank_ranges(representatives.sets[node.set].ranks) : core::percent(node.apart)) + "\n";
  for (const size_t child : node.children) {
    const bool is_last = child == node.children.back();
    text += before + (is_last ? "`-- " : "|-- ");
    print_node(representatives, trees, child, before + (is_last ? "    " : "|   "), text);
  }
}

}  // namespace

std::string dendrogram_text(const loggp::Representatives& representatives) {
  const SetTrees trees = trees_of(representatives);
  std::string text;
  for (const size_t root : trees.roots) print_node(representatives, trees, root, "", text);
  return text;
}

std::string dendrogram_svg(const loggp::Representatives& representatives, const std::string& program) {
  size_t ranks = 0;
  for (const loggp::RepresentedRanks& set : representatives.sets) ranks += set.ranks.size();
  return TreeDrawing(representatives, program + " on " + core::counted(ranks, "rank") +
                                          ": how far those that communicate alike are apart")
      .svg();
}

}  // namespace scalediag::report
