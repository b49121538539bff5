#include "cli/answers/platform_answer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "cli/standard_output.h"
#include "collector/replay/place/replayed_place.h"
#include "core/json/json_writer.h"
#include "core/text/table.h"
#include "fit/data/number_text.h"
#include "report/platforms/platform_comparison.h"
#include "report/platforms/platforms_json.h"
#include "report/platforms/platforms_text.h"
#include "report/render/source_text.h"

namespace scalediag::cli {
namespace {

Error of_platform(const std::string& name, Error error) {
  error.message = "--platform " + name + ": " + error.message;
  return error;
}

// The number of threads of OpenMP; 0: it is not said.
int threads_in(const std::map<std::string, std::string>& environment) {
  const auto value = environment.find("OMP_NUM_THREADS");
  return value == environment.end() ? 0 : std::max(0, std::atoi(value->second.c_str()));
}

// The cores of a rank there: as many as the measured ranks had threads; of one that computes with OpenMP's, as many as
// it was to have there.
double cores_per_rank(const MeasurementInput& input, const replay::ReplayedPlace& place) {
  int measured = 1;
  for (const core::Run& run : input.profile->runs) measured = std::max(measured, run.threads_max);
  const int there = threads_in(place.environment);
  return there > 0 && (measured > 1 || place.uses_openmp) ? there : measured;
}

Result<report::PlatformFindings> find_platform(const MeasurementInput& input, const PredictionRequest& request,
                                               const PlatformRequest& platform, report::Point& at) {
  PredictionRequest of_it = request;
  of_it.replayed = platform.replayed;
  of_it.network = platform.network;
  const report::Findings findings = TRY(findings_of(input, of_it));
  const report::TargetFindings& target = findings.targets.front();
  if (findings.targets.size() > 1 || !target.replayed || !target.run_s) {
    return Error{ErrorCode::kUsage, "one target is compared, whose ranks were replayed",
                 "name the number of processes that was recorded: --at np=P"};
  }
  at = target.at;
  report::PlatformFindings found;
  found.name = platform.name;
  found.replayed = platform.replayed;
  found.network = platform.network;
  found.price = platform.price;
  const auto known_place = TRY(replay::read_place(platform.replayed));
  const auto place = known_place.value_or(replay::ReplayedPlace());
  found.processor = place.host.cpu;
  found.differences = place.differences;
  found.disagreement = report::disagreement_text(target);
  found.cores_per_rank = cores_per_rank(input, place);
  found.trust = findings.trust;
  return report::platform_of(target, std::move(found));
}

}  // namespace

Result<PlatformRequest> parse_platform(const std::string& text) {
  const Error other{ErrorCode::kUsage, "--platform: '" + text + "' is not NAME=DIR,NETWORK[,PRICE]",
                    "as in --platform a=app64.messages,a.json,0.02: ranks replayed there, its network, and what a "
                    "core-hour costs",
                    "--platform"};
  const size_t equals = text.find('='), comma = text.find(',', equals);
  if (equals == 0 || equals == text.npos || comma == text.npos || comma == equals + 1) return other;
  PlatformRequest platform{text.substr(0, equals), text.substr(equals + 1, comma - equals - 1), text.substr(comma + 1),
                           std::nullopt};
  if (const size_t last = platform.network.rfind(','); last != platform.network.npos) {
    const auto price = fit::parse_number(platform.network.substr(last + 1));
    if (price && (!std::isfinite(*price) || *price < 0)) return other;
    if (price) {
      platform.price = price;
      platform.network.resize(last);
    }
  }
  if (platform.network.empty()) return other;
  return platform;
}

Result<std::string> platforms_answer(const PredictOptions& asked) {
  PredictOptions options = asked;
  std::vector<PlatformRequest> platforms;
  std::set<std::string> names;
  for (const std::string& text : options.platforms) {
    platforms.push_back(TRY(parse_platform(text)));
    if (names.insert(platforms.back().name).second) continue;
    return Error{ErrorCode::kUsage, "--platform: two are called " + platforms.back().name,
                 "give each a name of its own", "--platform"};
  }
  const MeasurementInput input = TRY(load_prediction_input(options.prediction));
  report::Point at;
  std::vector<report::PlatformFindings> found;
  for (const PlatformRequest& platform : platforms) {
    auto one = find_platform(input, options.prediction, platform, at);
    if (!one) return of_platform(platform.name, one.error());
    found.push_back(std::move(one).value());
  }
  const std::string application = input.profile->application;
  const auto comparison = report::compare_platforms(application, at, std::move(found));
  if (options.json) return core::to_json_text(report::platforms_json(comparison), 3);
  report::TerminalOptions terminal;
  terminal.width = options.wide ? core::kUnlimited : terminal_width();
  terminal.color = use_color();
  return report::platforms_text(comparison, terminal);
}

}  // namespace scalediag::cli
