#include "report/proposal/ranking_figure.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/text/function_name.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/document/svg_parts.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

constexpr double kLeft = 40, kTop = 50, kLine = 24, kPlotWidth = 400;
constexpr double kCharacter = 6.9, kLeastNames = 130;  // widths
constexpr double kDot = 4.2;
constexpr size_t kNameLength = 44;
constexpr int kFirstPlaces = 10;    // at the target
constexpr int kMeasuredPlaces = 5;  // at a measured scale
constexpr size_t kMostLines = 14;
constexpr const char* kQuiet = "#8b959e";

struct RankingColumn {
  double processes = 0;
  bool predicted = false;
};

struct RankingLine {
  std::string name;
  bool stops = false;
  std::vector<std::optional<int>> places;  // one a column
};

struct Ranking {
  std::vector<RankingColumn> columns;
  std::vector<RankingLine> lines;  // by their place at the largest target
  int last_place = 1;              // of those that are drawn
};

bool same_but_processes(const Point& a, const Point& b) {
  return std::equal(a.begin() + 1, a.end(), b.begin() + 1, b.end());
}

const KernelFinding* find_kernel(const TargetFindings& target, size_t id) {
  const auto found =
      std::find_if(target.kernels.begin(), target.kernels.end(), [id](const KernelFinding& k) { return k.id == id; });
  return found == target.kernels.end() ? nullptr : &*found;
}

Ranking ranking_of(const Findings& findings) {
  const TargetFindings& main = main_target(findings);
  std::vector<size_t> measured;  // indices into Findings::measured
  for (size_t i = 0; i < findings.measured.size(); ++i) {
    if (same_but_processes(findings.measured[i], main.at)) measured.push_back(i);
  }
  std::vector<const TargetFindings*> targets;
  for (const TargetFindings& target : findings.targets) {
    if (same_but_processes(target.at, main.at) && target.beyond.value_or(2) > 1) targets.push_back(&target);
  }
  std::sort(targets.begin(), targets.end(), [](const TargetFindings* a, const TargetFindings* b) {
    return process_count(a->at) < process_count(b->at);
  });
  Ranking ranking;
  for (const size_t i : measured) ranking.columns.push_back({process_count(findings.measured[i]), false});
  for (const TargetFindings* target : targets) ranking.columns.push_back({process_count(target->at), true});
  std::vector<const KernelFinding*> kernels;
  for (const KernelFinding& kernel : main.kernels) {
    if (kernel.pooled == 0 && kernel.metric == main.kernels.front().metric) kernels.push_back(&kernel);
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const KernelFinding* a, const KernelFinding* b) { return place_of(*a) < place_of(*b); });
  for (const KernelFinding* kernel : kernels) {
    RankingLine line{core::without_anonymous_namespaces(core::printable(kernel->name)),
                     kernel->scales == std::optional(false) && kernel->matters,
                     {}};
    bool is_drawn = place_of(*kernel) <= kFirstPlaces;
    for (const size_t i : measured) {
      const int place = kernel->id < findings.evidence.size() && i < findings.evidence[kernel->id].measured_ranks.size()
                            ? findings.evidence[kernel->id].measured_ranks[i]
                            : 0;
      line.places.push_back(place > 0 ? std::optional(place) : std::nullopt);
      is_drawn = is_drawn || (place > 0 && place <= kMeasuredPlaces);
    }
    for (const TargetFindings* target : targets) {
      const KernelFinding* const there = find_kernel(*target, kernel->id);
      line.places.push_back(there == nullptr ? std::nullopt : there->rank);
    }
    if (!is_drawn || ranking.lines.size() >= kMostLines) continue;
    ranking.lines.push_back(std::move(line));
  }
  for (const RankingLine& line : ranking.lines) {
    for (const std::optional<int>& place : line.places)
      ranking.last_place = std::max(ranking.last_place, place.value_or(1));
  }
  ranking.last_place = std::min<int>(ranking.last_place, 2 * kFirstPlaces);
  return ranking;
}

class RankingDrawing {
 public:
  RankingDrawing(const Ranking& ranking, const std::string& title) : ranking_(ranking), title_(title) {}

  std::string svg() {
    const double bottom = y(ranking_.last_place) + kLine;
    size_t longest = 0;
    for (const RankingLine& line : ranking_.lines) {
      longest = std::max(longest, core::display_width(core::shorten_function(line.name, kNameLength)));
    }
    // The place and two blanks stand before a name.
    const double names = std::max(kLeastNames, 20 + kCharacter * static_cast<double>(longest + 4));
    const double width = kLeft + kPlotWidth + names;
    out_ = svg_begin(width, bottom + 62, title_) + svg_text(kLeft - 12, 17, "start", title_, kSvgInk);
    for (size_t i = 0; i < ranking_.columns.size(); ++i) {
      const RankingColumn& column = ranking_.columns[i];
      out_ += svg_line(x(i), kTop - 8, x(i), bottom - 8, "#d8dee4", 1) +
              svg_text(x(i), kTop - 16, "middle", core::to_text(column.processes), kSvgGrey) +
              svg_text(x(i), bottom + 6, "middle", column.predicted ? "predicted" : "measured", kSvgGrey);
    }
    size_t color = 0;
    for (const RankingLine& line : ranking_.lines) {
      if (!line.stops) draw(line, kQuiet, 1.2);
    }
    for (const RankingLine& line : ranking_.lines) {
      if (line.stops) draw(line, svg_color(color++), 2.4);
    }
    out_ += svg_text(kLeft - 12, bottom + 28, "start",
                     "Places by the time of the slowest rank, over the number of MPI processes (above).", kSvgInk) +
            svg_text(kLeft - 12, bottom + 46, "start",
                     "Thick, in colour: does not scale. Hollow and dashed: predicted.", kSvgInk);
    return std::move(out_) + "</svg>\n";
  }

 private:
  double x(size_t column) const {
    const double steps = static_cast<double>(std::max<size_t>(1, ranking_.columns.size() - 1));
    return kLeft + kPlotWidth * static_cast<double>(column) / steps;
  }
  static double y(int place) { return kTop + kLine * (place - 0.5); }
  bool is_drawn(const std::optional<int>& place) const { return place && *place <= ranking_.last_place; }

  void draw(const RankingLine& line, const char* color, double width) {
    std::optional<size_t> last;
    for (size_t i = 0; i < line.places.size(); ++i) {
      if (!is_drawn(line.places[i])) continue;
      if (last) {
        out_ += svg_line(x(*last), y(*line.places[*last]), x(i), y(*line.places[i]), color, width,
                         ranking_.columns[i].predicted ? "5 4" : "");
      }
      last = i;
    }
    for (size_t i = 0; i < line.places.size(); ++i) {
      if (!is_drawn(line.places[i])) continue;
      const std::string paint = ranking_.columns[i].predicted ? "#ffffff" : color;
      out_ += "<circle cx=\"" + svg_number(x(i)) + "\" cy=\"" + svg_number(y(*line.places[i])) + "\" r=\"" +
              svg_number(kDot) + "\" fill=\"" + paint + "\" stroke=\"" + color + "\" stroke-width=\"1.5\"/>\n";
    }
    if (line.places.empty() || !is_drawn(line.places.back())) return;
    out_ += svg_text(kLeft + kPlotWidth + 14, y(*line.places.back()) + 4, "start",
                     std::to_string(*line.places.back()) + "  " + core::shorten_function(line.name, kNameLength),
                     line.stops ? color : kSvgInk);
  }

  const Ranking& ranking_;
  const std::string title_;
  std::string out_;
};

}  // namespace

core::Result<std::string> ranking_svg(const Findings& findings) {
  const Ranking ranking = ranking_of(findings);
  const bool any = std::any_of(ranking.lines.begin(), ranking.lines.end(),
                               [](const RankingLine& line) { return line.places.back().has_value(); });
  if (!any) {
    return core::Error{core::ErrorCode::kInput, "there is no ranking to draw for " + findings.input,
                       "two numbers of processes rank nothing beyond twice the larger one, and functions with "
                       "too few samples are not ranked: measure a third, or let the program run longer",
                       findings.input};
  }
  const std::string name = findings.application.empty() ? findings.input : findings.application;
  return RankingDrawing(ranking, "What takes the time in " + core::printable(name)).svg();
}

}  // namespace scalediag::report
