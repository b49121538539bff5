#include "report/render/source_text.h"

#include <algorithm>

#include "core/text/bounded.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"

namespace scalediag::report {
namespace {

// (predicted - known) / known: "+45.7%"; beyond a factor of 2 "55 times too high", "3.1 times too low",
// "hardly any" below a thousandth.
std::string miss_text(double relative) {
  constexpr double kMuch = 2, kHardlyAny = 1e-3;
  const double ratio = 1 + relative;
  if (ratio > kMuch) return core::times_text(ratio) + " too high";
  if (ratio < kHardlyAny) return "hardly any";
  if (ratio < 1 / kMuch) return core::times_text(1 / ratio) + " too low";
  return core::signed_percent(relative);
}

std::string line_of(const Findings& findings, const TargetFindings& target, const predict::SourceLine& line) {
  std::string text = text_of(target.at) + ": " + name_of(line.component);
  if (line.estimate) {
    const core::TimeFormat time(line.estimate->value);
    text += " " + time(line.estimate->value) + " " + time.unit() + " (" + time(line.estimate->low) + " - " +
            time(line.estimate->high) + ")";
  }
  text += std::string(" by ") + name_of(line.source);
  if (line.backtest) {
    text += ", at " + findings.backtest.parameter + "=" + core::to_text(findings.backtest.scale) + " " +
            miss_text(*line.backtest);
    if (line.known_s) text += " against " + core::time_text(*line.known_s);
    if (line.backtest_before) text += ", at the scale before " + miss_text(*line.backtest_before);
  }
  return text + ": " +
         (line.taken      ? "taken"
          : line.estimate ? "not taken"
                          : "no answer") +
         (line.why.empty() ? "" : ", " + line.why);
}

}  // namespace

const char* words_of(predict::Source source) {
  switch (source) {
    case predict::Source::kMeasured: return "its own runs";
    case predict::Source::kCurves: return "measured trends";
    case predict::Source::kCosts: return "costs of calls";
    case predict::Source::kScaledTrace: return "extended traces";
    case predict::Source::kSimulation: return "simulated messages";
    case predict::Source::kSimulatedScales: return "simulated scales";
    case predict::Source::kReplay: return "replayed ranks";
    case predict::Source::kOtherReplays: return "ranks replayed at other scales";
    case predict::Source::kSynth: return "executed messages";
    case predict::Source::kPoints: break;
  }
  return "runs of other inputs";
}

std::string sources_text(const TargetFindings& target) {
  std::vector<std::pair<std::string, std::string>> parts;  // components, sources
  for (const auto component :
       {predict::Component::kComputation, predict::Component::kCommunication, predict::Component::kWaiting}) {
    std::vector<std::string> taken;
    for (const predict::SourceLine& line : target.sources) {
      if (line.component == component && line.taken) taken.emplace_back(words_of(line.source));
    }
    if (taken.empty()) continue;
    const std::string sources = core::join(taken, " and ");
    if (!parts.empty() && parts.back().second == sources) {
      parts.back().first += std::string(" and ") + name_of(component);
    } else {
      parts.emplace_back(name_of(component), sources);
    }
  }
  return core::join(parts, "; ", [](const auto& part) { return part.first + ": " + part.second; });
}

std::vector<std::string> source_lines(const Findings& findings, const TargetFindings& target) {
  std::vector<std::string> lines;
  const bool is_only_model = std::all_of(target.sources.begin(), target.sources.end(),
                                         [](const predict::SourceLine& line) { return line.taken; });
  if (is_only_model && !target.simulated && !target.replayed && !target.points) return lines;
  for (const predict::SourceLine& line : target.sources) lines.push_back(line_of(findings, target, line));
  const auto add = [&](const auto& known) {
    if (known) lines.push_back(text_of(target.at) + ": " + text_of(*known));
  };
  add(target.replayed);
  add(target.points);
  add(target.simulated);
  return lines;
}

std::string causes_text(const std::vector<predict::CauseOfWaiting>& causes) {
  return core::join(causes, ", ", [](const predict::CauseOfWaiting& cause) {
    return cause.cause + " " + core::time_text(cause.estimate.value);
  });
}

std::string disagreement_text(const TargetFindings& target) {
  const auto& apart = target.disagreement;
  if (!apart) return "";
  const core::TimeFormat time(std::max(apart->taken_s, apart->other_s));
  // Two digits tell that they are apart.
  const auto text = [&](predict::Source source, double seconds) {
    const double value = core::units_a_second(time) * seconds;
    return std::string(words_of(source)) + " say " + core::bounded(value, 0.9 * value, 1.1 * value).value + " " +
           time.unit();
  };
  return std::string("two sources of ") + name_of(apart->component) +
         " disagree: " + text(apart->taken, apart->taken_s) + ", " + text(apart->other, apart->other_s);
}

}  // namespace scalediag::report
