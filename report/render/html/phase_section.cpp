#include <algorithm>

#include "core/text/join.h"
#include "core/text/quantities.h"
#include "report/render/html/elements.h"
#include "report/render/html/escape.h"
#include "report/render/html/sections.h"

namespace scalediag::report::html {
namespace {

constexpr size_t kMostPhasesDrawn = 120;
constexpr size_t kMostOperationsListed = 12;
constexpr double kPictureWidth = 720, kPictureTop = 18, kBlock = 34, kLevel = 24;

// Phases beside one another in the order of the program, as wide as their share of the computation, and below them the
// loops around them.
class Sequence {
 public:
  explicit Sequence(const PhaseFindings& findings) : findings_(findings) {
    for (const PhaseFinding& phase : findings.phases) {
      if (findings.phases.size() <= kMostPhasesDrawn || phase.is_relevant) drawn_.push_back(&phase);
    }
    if (drawn_.size() > kMostPhasesDrawn) drawn_.resize(kMostPhasesDrawn);
    double share = 0;
    for (const PhaseFinding* phase : drawn_) share += phase->share;
    // Half of a row of equal blocks, so that short phases can be seen.
    const double least = std::min(8.0, kPictureWidth / (2 * static_cast<double>(std::max<size_t>(1, drawn_.size()))));
    const double rest = kPictureWidth - least * static_cast<double>(drawn_.size());
    double left = 0;
    for (const PhaseFinding* phase : drawn_) {
      const double width = least + (share > 0 ? rest * phase->share / share : 0);
      places_.push_back({left, left + width});
      left += width;
    }
  }

  std::string svg() const {
    int levels = 0;
    for (const PhaseLoop& loop : findings_.loops) levels = std::max(levels, loop.depth + 1);
    std::string out = "<svg class=\"sequence\" viewBox=\"0 0 720 " +
                      core::fixed(kPictureTop + kBlock + kLevel * levels + 6, 0) +
                      "\" role=\"img\" aria-label=\"Phases in the order of the program\">";
    for (size_t i = 0; i < drawn_.size(); ++i) out += block(*drawn_[i], places_[i]);
    for (const PhaseLoop& loop : findings_.loops) out += bracket(loop, levels);
    return out + "</svg>\n";
  }

 private:
  struct Place {
    double left = 0, right = 0;
  };

  static std::string block(const PhaseFinding& phase, const Place& place) {
    const double width = place.right - place.left;
    std::string out = "<rect class=\"" + std::string(phase.is_relevant ? "m5" : "m2") + "\" x=\"" +
                      core::fixed(place.left, 1) + "\" y=\"" + core::fixed(kPictureTop, 0) + "\" width=\"" +
                      core::fixed(std::max(0.5, width - 1), 1) + "\" height=\"" + core::fixed(kBlock, 0) +
                      "\"><title>phase " + std::to_string(phase.number) + ": " + core::spaced_percent(phase.share) +
                      " of the computation, " + escaped(text_by_ranks(phase.weight)) + " times</title></rect>";
    constexpr double kWidthOfNumber = 20;
    if (width < kWidthOfNumber) return out;
    return out + "<text x=\"" + core::fixed((place.left + place.right) / 2, 1) + "\" y=\"12\" text-anchor=\"middle\">" +
           std::to_string(phase.number) + "</text>";
  }

  // Inner loops stand nearer to the blocks.
  std::string bracket(const PhaseLoop& loop, int levels) const {
    double left = kPictureWidth, right = 0;
    for (size_t i = 0; i < drawn_.size(); ++i) {
      if (drawn_[i]->number < loop.first || drawn_[i]->number > loop.last) continue;
      left = std::min(left, places_[i].left);
      right = std::max(right, places_[i].right);
    }
    if (right <= left || loop.rounds.empty()) return "";
    const double y = kPictureTop + kBlock + 6 + kLevel * (levels - 1 - loop.depth);
    const std::string x1 = core::fixed(left + 0.5, 1), x2 = core::fixed(right - 1.5, 1);
    std::string out = "<path class=\"tick\" d=\"M" + x1 + "," + core::fixed(y - 4, 1) + "V" + core::fixed(y, 1) + "H" +
                      x2 + "V" + core::fixed(y - 4, 1) + "\"/>";
    constexpr double kWidthOfText = 60;
    if (right - left < kWidthOfText) return out;
    return out + "<text x=\"" + core::fixed((left + right) / 2, 1) + "\" y=\"" + core::fixed(y + 13, 1) +
           "\" text-anchor=\"middle\">" + core::fixed(loop.rounds.rbegin()->second, 0) + " times</text>";
  }

  const PhaseFindings& findings_;
  std::vector<const PhaseFinding*> drawn_;
  std::vector<Place> places_;
};

std::string operations(const PhaseFinding& phase) {
  std::string out;
  const size_t listed = std::min(kMostOperationsListed, phase.operations.size());
  for (size_t i = 0; i < listed; ++i) out += "<span class=\"place\">" + escaped(phase.operations[i]) + "</span>";
  if (listed < phase.operations.size()) {
    out += "<span class=\"place\">and " + std::to_string(phase.operations.size() - listed) + " more</span>";
  }
  return out;
}

std::string known(const PhaseFinding& phase) {
  return phase.is_certain ? "one equation each" : phase.is_regular ? "some obey several" : "some obey none";
}

}  // namespace

std::string phase_section(const Findings& findings) {
  if (!findings.phases) return "";
  const PhaseFindings& phases = *findings.phases;
  const std::string ranks = core::join(phases.ranks, ", ", [](int scale) { return std::to_string(scale); });
  std::string out = section_begin(
      "phases", "Phases",
      "Communication between two loops, or in a loop's body, by traces of " + ranks + " ranks. " + text_of(phases));
  out += Sequence(phases).svg();
  out +=
      "<p class=\"quiet\">Phases in the order of the program, as wide as their share of the computation, with the "
      "loops around them.</p>\n";
  out += table_begin("Phases that make up 95 % of the computation",
                     {{"phase", false}, {"weight"}, {"share"}, {"events", false}, {"operations", false}});
  for (const PhaseFinding& phase : phases.phases) {
    if (!phase.is_relevant) continue;
    out += "<tr>" + row_title(std::to_string(phase.number)) + cell(text_by_ranks(phase.weight)) +
           cell(core::percent(phase.share)) + cell(known(phase), false) + html_cell(operations(phase)) + "</tr>\n";
  }
  return out + table_end() + section_end();
}

}  // namespace scalediag::report::html
