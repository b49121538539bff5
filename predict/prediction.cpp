#include "predict/prediction.h"

#include <algorithm>
#include <utility>

#include "core/text/join.h"

namespace scalediag::predict {

const char* name_of(Component component) {
  switch (component) {
    case Component::kComputation: return "computation";
    case Component::kCommunication: return "communication";
    case Component::kWaiting: return "waiting";
  }
  return "";
}

std::string taken_sources(const std::vector<SourceLine>& lines, Component component) {
  std::vector<std::string> sources;
  for (const SourceLine& line : lines) {
    if (line.component == component && line.taken) sources.emplace_back(name_of(line.source));
  }
  return core::join(sources, " and ");
}

std::vector<CauseOfWaiting> causes_of(const loggp::WaitingCauses& causes, double imbalance, const Estimate& waiting) {
  constexpr double kVisible = 1e-9;  // less is what sums of large numbers leave
  const double all = causes.sum_s() + imbalance;
  std::vector<CauseOfWaiting> parts;
  for (const auto& [name, part] : {std::pair("pipeline", causes.pipeline_s),
                                   {"late sender", causes.late_sender_s},
                                   {"late receiver", causes.late_receiver_s},
                                   {"lock held", causes.lock_s},
                                   {"imbalance", imbalance},
                                   {"collective", causes.collective_s}}) {
    if (!(part > kVisible * all)) continue;
    const double share = part / all;
    parts.push_back({name, {share * waiting.value, share * waiting.low, share * waiting.high, waiting.level}});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const CauseOfWaiting& a, const CauseOfWaiting& b) {
    return a.estimate.value > b.estimate.value;
  });
  return parts;
}

std::vector<CauseOfWaiting> causes_of(const SimulatedCommunication& s) {
  return causes_of(s.causes, s.imbalance_s, {s.waiting_s, s.waiting_s, s.waiting_s});
}

}  // namespace scalediag::predict
