#include "loggp/analysis/analysis.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <type_traits>

namespace scalediag::loggp {
namespace {

// Charges the parts of spans that lie on the path. A rank's stretches and spans both come in the order of time; where
// several CPUs of a rank work at the same time, the span that is reported first is charged.
class PathCharger : public Observer {
 public:
  PathCharger(const std::vector<PathStretch>& path, int ranks, const std::vector<std::string>& labels)
      : stretches_(static_cast<size_t>(ranks)),
        next_(static_cast<size_t>(ranks), 0),
        charged_until_s_(static_cast<size_t>(ranks), 0),
        labels_(labels) {
    for (const PathStretch& s : path) stretches_[s.rank].push_back(s);
  }

  void on_span(const Span& span) override {
    const auto& stretches = stretches_[span.rank];
    size_t& next = next_[span.rank];
    while (next < stretches.size() && stretches[next].end_s <= span.begin_s) ++next;
    double& charged_until_s = charged_until_s_[span.rank];
    const double begin_s = std::max(span.begin_s, charged_until_s);
    charged_until_s = std::max(charged_until_s, span.end_s);
    double seconds = 0;
    for (size_t i = next; i < stretches.size() && stretches[i].begin_s < span.end_s; ++i) {
      seconds += std::max(0.0, std::min(span.end_s, stretches[i].end_s) - std::max(begin_s, stretches[i].begin_s));
    }
    if (seconds > 0) parts_[{name_of(labels_, *span.op), span.kind, is_device_wait(*span.op)}] += seconds;
  }

  std::map<std::tuple<std::string, SpanKind, bool>, double>& parts() { return parts_; }

 private:
  std::vector<std::vector<PathStretch>> stretches_;
  std::vector<size_t> next_;
  std::vector<double> charged_until_s_;
  const std::vector<std::string>& labels_;
  std::map<std::tuple<std::string, SpanKind, bool>, double> parts_;
};

std::map<std::string, double> sum_by_operation(const std::vector<std::string>& labels,
                                               const std::vector<PathMessage>& messages, float PathMessage::*part) {
  std::map<uint16_t, double> sums_s;
  for (const PathMessage& message : messages) sums_s[message.operation] += message.*part;
  std::map<std::string, double> by_name;
  for (const auto& [operation, sum_s] : sums_s) {
    if (sum_s > 0) by_name[name_of_operation(labels, operation)] += sum_s;
  }
  return by_name;
}

}  // namespace

const Program* program_of(const SimulationInput& input) {
  return std::visit(
      [](const auto& what) -> const Program* {
        if constexpr (std::is_base_of_v<Program, std::decay_t<decltype(what)>>) {
          return &what;
        } else {
          return nullptr;
        }
      },
      input);
}

const std::vector<std::string>& labels_of(const SimulationInput& input) {
  static const std::vector<std::string> kNone;
  const Program* program = program_of(input);
  return program != nullptr ? program->labels() : kNone;
}

int ranks_of(const SimulationInput& input) {
  const Program* program = program_of(input);
  return program != nullptr ? program->ranks() : static_cast<int>(std::get<Schedule>(input).ranks.size());
}

Result<Simulation> simulate(const SimulationInput& input, const Network& network, const SimulationOptions& options) {
  return std::visit([&](const auto& what) { return simulate(what, network, options); }, input);
}

Efficiencies efficiencies(const Simulation& actual, const Simulation& on_ideal_network) {
  Efficiencies result;
  double sum = 0;
  double largest = 0;
  for (const RankTimes& rank : actual.ranks) {
    const double of_cpu_s = (rank.computation_s + rank.device_wait_s) / rank.cpus;
    sum += of_cpu_s;
    largest = std::max(largest, of_cpu_s);
  }
  if (largest > 0) {
    result.load_balance = sum / static_cast<double>(actual.ranks.size()) / largest;
    if (on_ideal_network.total_s > 0) result.serialisation = largest / on_ideal_network.total_s;
  }
  if (actual.total_s > 0) result.transfer = on_ideal_network.total_s / actual.total_s;
  return result;
}

Result<std::vector<PathPart>> critical_path(const SimulationInput& input, const Network& network,
                                            SimulationOptions options, const Simulation& simulation) {
  PathCharger charger(simulation.path, ranks_of(input), labels_of(input));
  options.observer = &charger;
  options.record_path = false;
  TRY(simulate(input, network, options));
  std::vector<PathPart> result;
  double charged_s = 0;
  for (const auto& [key, seconds] : charger.parts()) {
    const auto& [name, kind, on_device] = key;
    result.push_back({name, kind, seconds, on_device});
    charged_s += seconds;
  }
  const double under_way_s = simulation.total_s - charged_s;
  if (under_way_s > 1e-12 * simulation.total_s) {
    result.push_back({"messages under way", SpanKind::kTransfer, under_way_s, false});
  }
  std::ranges::stable_sort(result, [](const PathPart& a, const PathPart& b) { return a.seconds > b.seconds; });
  return result;
}

std::map<std::string, double> path_latencies_s(const SimulationInput& input, const Simulation& simulation) {
  return sum_by_operation(labels_of(input), simulation.path_messages, &PathMessage::latency_s);
}

std::map<std::string, double> path_bytes_s(const SimulationInput& input, const Simulation& simulation) {
  return sum_by_operation(labels_of(input), simulation.path_messages, &PathMessage::bytes_s);
}

const char* kind_of(const PathPart& part) { return part.on_device ? "device" : name_of(part.kind); }

const char* name_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::kComputation: return "computation";
    case SpanKind::kTransfer: return "transfer";
    case SpanKind::kLateSender: return "late sender";
    case SpanKind::kLateReceiver: return "late receiver";
    case SpanKind::kCollectiveWait: return "wait at collective";
    case SpanKind::kLockWait: return "lock held";
  }
  return "";
}

}  // namespace scalediag::loggp
