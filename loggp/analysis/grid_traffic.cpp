#include "loggp/analysis/grid_traffic.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/phases/scaled/scaled_program.h"
#include "loggp/simulator/simulator.h"
#include "loggp/simulator/transport.h"

namespace scalediag::loggp {
namespace {

struct PairTraffic {
  double messages = 0, bytes = 0, idle_s = 0;
};
using Pairs = std::unordered_map<uint64_t, PairTraffic>;  // by sender << 32 | receiver

class PairObserver : public Observer {
 public:
  explicit PairObserver(int ranks) : late_(static_cast<size_t>(ranks)) {}

  void on_span(const Span& span) override {
    if (span.kind == SpanKind::kLateSender) late_[span.rank] = {span.event, span.end_s - span.begin_s};
  }

  void on_arrival(const Arrival& arrival) override {
    Late& late = late_[arrival.to];
    const double idle_s = late.event == arrival.event ? late.seconds : 0;
    late.seconds = 0;
    if ((arrival.communicator & kCollectiveContext) != 0 || arrival.from == arrival.to) return;
    PairTraffic& pair = pairs_[uint64_t{arrival.from} << 32 | arrival.to];
    ++pair.messages;
    pair.bytes += static_cast<double>(arrival.bytes);
    pair.idle_s += idle_s;
  }

  const Pairs& pairs() const { return pairs_; }

 private:
  struct Late {
    uint32_t event = 0;
    double seconds = 0;
  };
  std::vector<Late> late_;
  Pairs pairs_;
};

// The side and the step from `to` to `from`; nothing: they are no neighbours.
std::optional<std::pair<int, int>> direction(const core::ProcessGrid& grid, uint64_t pair) {
  const auto from = grid.coordinates(static_cast<int>(pair >> 32)),
             to = grid.coordinates(static_cast<int>(pair & 0xFFFFFFFF));
  std::optional<std::pair<int, int>> found;
  for (int side = 0; side < 3; ++side) {
    const auto s = static_cast<size_t>(side);
    int step = from[s] - to[s];
    if (step == 0) continue;
    if (found) return std::nullopt;
    if (step == grid.sides[s] - 1) step -= grid.sides[s] > 2 ? grid.sides[s] : 0;
    if (step == 1 - grid.sides[s]) step += grid.sides[s] > 2 ? grid.sides[s] : 0;
    if (step != 1 && step != -1) return std::nullopt;
    found = {side, step};
  }
  return found;
}

// All grids of so many sides, each at least `shortest` long, those with the smallest sum of sides first.
std::vector<core::ProcessGrid> grids_of(int ranks, int dimensions, int shortest) {
  std::vector<core::ProcessGrid> grids;
  for (int a = shortest; a <= ranks; ++a) {
    if (ranks % a != 0) continue;
    for (int b = dimensions > 1 ? shortest : 1; b <= (dimensions > 1 ? ranks / a : 1); ++b) {
      const int c = ranks / a / b;
      if (ranks / a % b != 0 || (dimensions < 3 ? c != 1 : c < shortest)) continue;
      grids.push_back({dimensions, {a, b, c}});
    }
  }
  const auto sum = [](const core::ProcessGrid& g) { return int64_t{g.sides[0]} + g.sides[1] + g.sides[2]; };
  std::stable_sort(grids.begin(), grids.end(), [&](const auto& a, const auto& b) { return sum(a) < sum(b); });
  return grids;
}

std::optional<core::ProcessGrid> grid_of_pairs(const Pairs& pairs, int ranks) {
  double all = 0, most = 0;
  for (const auto& [pair, traffic] : pairs) all += traffic.messages;
  std::optional<core::ProcessGrid> best;
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    for (const core::ProcessGrid& grid : grids_of(ranks, dimensions, 2)) {
      double explained = 0;
      for (const auto& [pair, traffic] : pairs) explained += direction(grid, pair) ? traffic.messages : 0;
      if (explained <= most || explained < all / 2) continue;
      most = explained;
      best = grid;
    }
  }
  return best;
}

core::Result<GridTraffic> traffic_of(const Program& program, const Network& network,
                                     std::optional<core::ProcessGrid> grid, double compute_factor) {
  PairObserver observer(program.ranks());
  SimulationOptions options;
  options.observer = &observer;
  options.compute_factor = compute_factor;
  const auto simulated = simulate(program, network, options);
  if (!simulated) return simulated.error();
  if (!grid) grid = grid_of_pairs(observer.pairs(), program.ranks());
  if (observer.pairs().empty()) {
    return core::Error{core::ErrorCode::kInput, "no rank sends a message to another one",
                       "directions are for programs that exchange with neighbours: leave out --directions", ""};
  }
  if (!grid) {
    return core::Error{core::ErrorCode::kInput, "less than half of the messages are between neighbours of any grid",
                       "directions are for programs that exchange with neighbours: leave out --directions", ""};
  }
  GridTraffic traffic;
  traffic.grid = *grid;
  traffic.ranks = program.ranks();
  traffic.total_s = simulated.value().total_s;
  for (const auto& [pair, of] : observer.pairs()) {
    const auto where = direction(*grid, pair);
    GridDirection* to = &traffic.others;
    if (where) {
      const auto known = std::find_if(traffic.directions.begin(), traffic.directions.end(),
                                      [&](const auto& d) { return d.side == where->first && d.step == where->second; });
      to = known != traffic.directions.end()
               ? &*known
               : &traffic.directions.emplace_back(GridDirection{where->first, where->second});
    }
    to->messages += of.messages;
    to->bytes += of.bytes;
    to->idle_s += of.idle_s;
  }
  std::sort(traffic.directions.begin(), traffic.directions.end(), [](const auto& a, const auto& b) {
    if (a.idle_s != b.idle_s) return a.idle_s > b.idle_s;
    return std::pair(a.side, a.step) < std::pair(b.side, b.step);
  });
  return traffic;
}

core::Result<GridTraffic> traffic_in(const ScalingModel& model, const core::ProcessGrid& grid, double computation_s,
                                     const Network& network) {
  const int ranks = grid.sides[0] * grid.sides[1] * grid.sides[2];
  const core::OtherGrid other(ranks, grid);
  ScaledTraces traces(model, ranks);
  if (traces.unmatched().messages > 0) {
    return core::Error{core::ErrorCode::kInput,
                       std::to_string(traces.unmatched().messages) + " messages have no partner", "", ""};
  }
  scale_to_total(traces);
  const double made_s = mean_computation_s(traces);
  const auto program = ScaledProgram::of(std::move(traces));
  if (!program) return program.error();
  return traffic_of(program.value(), network, grid, made_s > 0 ? computation_s / made_s : 1);
}

double sum_of(const GridTraffic& traffic, double GridDirection::*what) {
  double sum = traffic.others.*what;
  for (const GridDirection& direction : traffic.directions) sum += direction.*what;
  return sum;
}

}  // namespace

double GridTraffic::idle_s() const { return sum_of(*this, &GridDirection::idle_s); }
double GridTraffic::messages() const { return sum_of(*this, &GridDirection::messages); }
double GridTraffic::bytes() const { return sum_of(*this, &GridDirection::bytes); }

core::Result<GridTraffic> grid_traffic(const Program& program, const Network& network, double compute_factor) {
  return traffic_of(program, network, std::nullopt, compute_factor);
}

core::Result<std::vector<GridTraffic>> traffic_in_grids(const ScalingModel& model, int ranks, double computation_s,
                                                        const Network& network, std::vector<std::string>& left_out) {
  const core::ProcessGrid own = process_grid(model.grid, ranks);
  if (own.dimensions < 2) {
    return core::Error{core::ErrorCode::kInput,
                       "the equations of this program's partners know no grid of several sides", "", ""};
  }
  const auto has_cells = [](const auto& slot) { return slot.second.bytes.cells.has_value(); };
  if (own.is_bisected || std::any_of(model.equations.begin(), model.equations.end(), has_cells)) {
    return core::Error{core::ErrorCode::kInput,
                       own.is_bisected
                           ? "the ranks of this program's grid are numbered in halves, those of others in rows"
                           : "each rank of this program has several cells of a square grid",
                       "", ""};
  }
  auto grids = grids_of(ranks, own.dimensions, 1);
  if (grids.size() > kMostGrids) grids.resize(kMostGrids);
  std::vector<GridTraffic> made;
  for (const core::ProcessGrid& grid : grids) {
    auto traffic = traffic_in(model, grid, computation_s, network);
    if (traffic) {
      made.push_back(std::move(traffic.value()));
    } else {
      left_out.push_back(text_of(grid) + " is left out: " + traffic.error().message);
    }
  }
  if (made.empty()) {
    return core::Error{core::ErrorCode::kInput, "no grid can be simulated: " + left_out.front(),
                       "record more numbers of ranks, until equations explain all messages", ""};
  }
  std::stable_sort(made.begin(), made.end(), [](const auto& a, const auto& b) { return a.total_s < b.total_s; });
  return made;
}

std::string text_of(const core::ProcessGrid& grid) {
  std::string text;
  for (int side = 0; side < grid.dimensions; ++side) {
    text += (side > 0 ? " x " : "") + std::to_string(grid.sides[static_cast<size_t>(side)]);
  }
  return text;
}

}  // namespace scalediag::loggp
