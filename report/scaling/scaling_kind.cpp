#include "report/scaling/scaling_kind.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "core/statistics.h"
#include "core/text/join.h"
#include "fit/application/call_path_data.h"
#include "fit/numerics/normal_quantile.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

// Exponents of P: up to the first, computation is about constant (halos and other work of a border grow slowly); from
// the second to the third it goes about as P (ranks that share a memory's bandwidth slow each other down).
constexpr double kAboutConstant = 0.3;
constexpr double kAboutAsP = 0.8;
constexpr double kMoreThanP = 1.3;
// The margin by which an uncertain exponent may miss these bounds.
constexpr double kUncertain = 0.2;

// Slopes are over so many scales, and over as many more as a doubling takes: between close ones noise decides.
constexpr size_t kWindow = 3;
constexpr double kWindowFactor = 2;
constexpr double kNextWindow = 1.02;  // by how much larger the first scale of the next window is

// A function's time of a rank certainly falls where its exponent and the error of that stay below this. Where the
// problem grows with the processes no such time falls, except by chance.
constexpr double kFalls = -0.25;
constexpr double kMuchDivided = 0.05;

double with_doubt(const Slope& slope) { return slope.exponent + fit::kNormal90 * slope.error; }

// The kind of scaling that the computation alone shows.
std::optional<Scaling> reading_of(const Computation& computation, const std::optional<Slope>& growth) {
  if (!growth) return std::nullopt;
  const double e = growth->exponent, doubt = fit::kNormal90 * growth->error;
  if (e <= kAboutConstant && e + doubt <= kAboutConstant + kUncertain) return Scaling::kStrong;
  const bool as_p = e >= kAboutAsP && e - doubt >= kAboutAsP - kUncertain && e <= kMoreThanP;
  return as_p && computation.divided < kMuchDivided ? std::optional(Scaling::kWeak) : std::nullopt;
}

std::string growth_text(const Computation& computation, const std::optional<Slope>& growth) {
  if (!growth) return "too little of the computation was sampled to tell";
  char text[160];
  std::snprintf(text, sizeof text, "computation of all ranks goes as P^%.2f", growth->exponent);
  std::string all = text;
  if (const double doubt = fit::kNormal90 * growth->error; doubt > kUncertain) {
    std::snprintf(text, sizeof text, " give or take %.2f", doubt);
    all += text;
  }
  if (growth->exponent >= kAboutAsP && computation.divided >= kMuchDivided) {
    std::snprintf(text, sizeof text, ", though %.0f %% of it is divided among them", 100 * computation.divided);
    all += text;
  }
  return all;
}

ScalingKind stated(Scaling scaling, ScalingSource source, const std::string& reason, const Computation& computation) {
  ScalingKind kind{scaling, source, reason, "", false};
  const std::optional<Slope> growth = growth_of_computation(computation.of_all_ranks);
  const std::optional<Scaling> measured = reading_of(computation, growth);
  if (measured && *measured != scaling) {
    kind.contradiction = growth_text(computation, growth) + ", as in " + name_of(*measured) + " scaling";
    kind.open = true;
  }
  return kind;
}

// The points of one problem by rising processes, at most one for each number of them.
std::vector<std::vector<double>> scales_of_one_problem(const std::vector<std::vector<double>>& points,
                                                       size_t processes) {
  using ValuesByScale = std::map<double, std::vector<double>>;
  std::map<std::vector<double>, ValuesByScale> problems;  // by the other parameters
  ValuesByScale all;
  const ValuesByScale* best = nullptr;
  const auto scales_of = [&](std::vector<double> problem) -> ValuesByScale& {
    problem[processes] = 0;
    return problems[problem];
  };
  for (const std::vector<double>& at : points) {
    scales_of(at).emplace(at[processes], at);
    all.emplace(at[processes], at);
  }
  for (const std::vector<double>& at : points) {
    const ValuesByScale& scales = scales_of(at);
    if (best == nullptr || scales.size() > best->size()) best = &scales;
  }
  std::vector<std::vector<double>> found;
  for (const auto& [scale, at] : best != nullptr && best->size() > 1 ? *best : all) found.push_back(at);
  return found;
}

// Reads the declared parameters, whose first name is np: they stay while processes are added, or change in every run.
void read_parameters(const fit::ApplicationData& data, ScalingSaid& said) {
  if (data.parameter_names.size() < 2) return;
  std::vector<std::vector<double>> points;
  for (const fit::ConfigurationPoint& point : data.configurations) points.push_back(point.at);
  const std::vector<std::vector<double>> scales = scales_of_one_problem(points, 0);
  if (scales.size() < 2) return;
  const std::string names = core::join(std::span(data.parameter_names).subspan(1));
  const bool stay = same_problem(scales.front(), scales.back(), 0);
  said.arguments = stay ? Scaling::kStrong : Scaling::kWeak;
  said.argument_text = names + (stay ? ", given and the same at every scale" : ", which changes with the processes");
}

}  // namespace

std::optional<Slope> growth_of_computation(std::span<const MeasuredScale> computation) {
  std::vector<MeasuredScale> seen;
  std::copy_if(computation.begin(), computation.end(), std::back_inserter(seen),
               [](const MeasuredScale& scale) { return scale.value > 0; });
  std::optional<Slope> least;
  const auto close = [&](size_t first, size_t last, double factor) {
    return seen[last].processes < factor * seen[first].processes;
  };
  const size_t fewest = std::min(seen.size(), kWindow);
  size_t before = 0, end = fewest;  // of the window before; behind this one
  for (size_t i = 0; i + fewest <= seen.size(); ++i) {
    if (i > 0 && close(before, i, kNextWindow)) continue;
    end = std::max(end, i + fewest);
    while (end < seen.size() && close(i, end - 1, kWindowFactor)) ++end;
    // The last windows have no doubling before them; the scales that they have are in others.
    if (i > 0 && close(i, end - 1, kWindowFactor) && end - i > kWindow) break;
    const auto slope = slope_of(std::span(seen).subspan(i, end - i));
    if (slope && (!least || slope->exponent < least->exponent)) least = slope;
    before = i;
  }
  return least;
}

ScalingKind scaling_of(const Computation& computation, const ScalingSaid& said) {
  if (said.option) return stated(*said.option, ScalingSource::kOption, "as --scaling says", computation);
  if (said.profile) return stated(*said.profile, ScalingSource::kProfile, "as `profile --scaling` said", computation);
  const std::optional<Slope> growth = growth_of_computation(computation.of_all_ranks);
  const std::string grows = growth_text(computation, growth);
  const std::optional<Scaling> measured = reading_of(computation, growth);
  if (said.arguments && (!measured || *measured == *said.arguments)) {
    return {*said.arguments, ScalingSource::kArguments, "by " + said.argument_text + (growth ? "; " + grows : ""), "",
            !measured};
  }
  if (measured) {
    ScalingKind kind{*measured, ScalingSource::kMeasured, "measured: " + grows, "", false};
    const bool is_contrary = said.arguments && !said.only_np;
    if (is_contrary) kind.contradiction = said.argument_text + " would be " + name_of(*said.arguments) + " scaling";
    // Work that every rank repeats grows as P as well.
    kind.open = is_contrary || *measured == Scaling::kWeak;
    return kind;
  }
  // Where the command line is unknown, only a falling time is a sign of a fixed problem.
  const bool falls = growth && (growth->exponent < kAboutAsP || computation.divided >= kMuchDivided);
  if (said.fixed_command || falls) {
    return {Scaling::kStrong, ScalingSource::kAssumed,
            std::string("assumed") +
                (said.fixed_command ? ", since no value in the command line changes with the processes: " : ": ") +
                grows,
            "", true};
  }
  const std::vector<MeasuredScale>& all = computation.of_all_ranks;
  const bool zero =
      !all.empty() && std::all_of(all.begin(), all.end(), [](const MeasuredScale& scale) { return scale.value == 0; });
  return {Scaling::kUnknown, ScalingSource::kNone, zero ? "all values are 0" : grows, "", false};
}

namespace {

// One function's time of a rank, and the relative error that its samples leave; 0: not known.
struct TimedSeries {
  const fit::Series* series = nullptr;
  double relative_error = 0;
};

// The computation over those of `points` with the same other parameters that have the most scales; where the others
// change with the processes in every run, over all.
Computation computation_over(const std::vector<TimedSeries>& functions, const std::vector<std::vector<double>>& points,
                             size_t processes) {
  Computation computation;
  std::vector<MeasuredScale>& sum = computation.of_all_ranks;
  const std::vector<std::vector<double>> scales = scales_of_one_problem(points, processes);
  for (const std::vector<double>& at : scales) sum.push_back({at[processes], 0, 0});
  double falling = 0, samples = 0;
  for (const TimedSeries& function : functions) {
    std::vector<MeasuredScale> of_rank;
    const std::map<std::vector<double>, double> means = measured_means(*function.series);
    for (const std::vector<double>& at : scales) {
      const auto value = means.find(at);
      if (value != means.end()) of_rank.push_back({at[processes], value->second, function.relative_error});
    }
    // A series that lacks a scale would make the sum jump there.
    if (of_rank.size() != scales.size() || of_rank.empty()) continue;
    for (size_t i = 0; i < scales.size(); ++i) sum[i].value += of_rank[i].processes * of_rank[i].value;
    const auto slope = slope_of(of_rank);
    if (slope && with_doubt(*slope) < kFalls) falling += of_rank.front().processes * of_rank.front().value;
    if (function.relative_error > 0) samples += std::pow(function.relative_error, -2);
  }
  for (MeasuredScale& scale : sum) scale.relative_error = samples > 0 ? 1 / std::sqrt(samples) : 0;
  if (!sum.empty() && sum.front().value > 0) computation.divided = falling / sum.front().value;
  return computation;
}

}  // namespace

Computation computation_of(const fit::ApplicationData& data) {
  std::vector<TimedSeries> functions;
  for (const fit::KernelData& kernel : data.kernels) {
    const bool is_function = kernel.kind == fit::KernelKind::kFunction || kernel.kind == fit::KernelKind::kSystem;
    const bool is_call_path = kernel.kind == fit::KernelKind::kCallPath && kernel.is_time;
    if (is_function && kernel.samples > 0) {
      functions.push_back({&kernel.main_series(), 1 / std::sqrt(kernel.samples)});
    } else if (kernel.kind == fit::KernelKind::kGpu || (is_call_path && !fit::is_mpi_call_path(kernel.name))) {
      functions.push_back({&kernel.main_series(), 0});
    }
  }
  // Other metrics of call paths may have been measured at more scales.
  std::set<std::vector<double>> points;
  for (const TimedSeries& function : functions) {
    for (const fit::Observation& o : function.series->observations) points.insert(o.at);
  }
  if (data.has_totals()) {
    for (const fit::ConfigurationPoint& point : data.configurations) points.insert(point.at);
  }
  return computation_over(functions, {points.begin(), points.end()}, data.processes);
}

ScalingKind scaling_kind_of(const fit::ApplicationData& data, std::optional<Scaling> option) {
  ScalingSaid said = data.has_totals() ? said_of(data) : ScalingSaid{};
  said.option = option;
  return scaling_of(computation_of(data), said);
}

ScalingKind scaling_kind_of_program(const fit::ApplicationData& program, std::optional<Scaling> option) {
  ScalingKind kind = scaling_kind_of(program, option);
  const bool by_computation = kind.source != ScalingSource::kOption && kind.source != ScalingSource::kProfile;
  if (by_computation) kind.reason += ", in the whole program";
  if (!kind.contradiction.empty()) kind.contradiction += ", in the whole program";
  return kind;
}

ScalingSaid said_of(const fit::ApplicationData& data) {
  ScalingSaid said;
  if (data.said_scaling == "strong") said.profile = Scaling::kStrong;
  if (data.said_scaling == "weak") said.profile = Scaling::kWeak;
  read_parameters(data, said);
  if (!data.np_argument.empty()) {
    said.arguments = Scaling::kWeak;
    said.only_np = true;
    said.argument_text = "{np} in '" + data.np_argument + "'";
  }
  said.fixed_command = data.np_argument.empty();
  return said;
}

}  // namespace scalediag::report
