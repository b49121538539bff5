#include "predict/evidence/copied_traces.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "core/regression.h"
#include "core/text/quantities.h"
#include "loggp/phases/computation/scaled_computation.h"
#include "loggp/phases/equations/value_hypothesis.h"
#include "loggp/traces/median_traces.h"
#include "predict/backtest.h"
#include "predict/evidence/traces.h"

namespace scalediag::predict {
namespace {

using Run = std::vector<loggp::RankTrace>;

// Messages that ranks send to one another, in all occurrences of their events.
struct Sent {
  double messages = 0, bytes = 0;

  void add(const loggp::RankTrace& trace, const std::vector<loggp::TraceStep>& steps) {
    using trace::EventKind;
    for (const loggp::TraceStep& step : steps) {
      add(trace, step.body);
      if (step.count > 0) continue;
      const loggp::TraceEvent& e = trace.events[step.event];
      const bool sends = e.kind == EventKind::kSend || e.kind == EventKind::kIsend ||
                         e.kind == EventKind::kBufferedSend || e.kind == EventKind::kSendrecv;
      if (!sends || e.peer < 0) continue;
      messages += static_cast<double>(step.before.n);
      bytes += static_cast<double>(step.before.n) * static_cast<double>(e.bytes);
    }
  }
};

// The mean over ranks.
Sent sent_by_rank(const Run& run) {
  Sent all;
  for (const loggp::RankTrace& trace : run) all.add(trace, trace.steps);
  const auto n = static_cast<double>(run.size());
  return {all.messages / n, all.bytes / n};
}

double computed_in(const loggp::TraceStep& step) {
  double sum = static_cast<double>(step.before.total);
  for (const loggp::TraceStep& inner : step.body) sum += computed_in(inner);
  return sum;
}

// The outermost loop with the most computation of those with `least` to `most_rounds` iterations; null: there is none.
loggp::TraceStep* main_loop_of(loggp::RankTrace& trace, uint64_t least = 2, uint64_t most_rounds = UINT64_MAX) {
  loggp::TraceStep* longest = nullptr;
  double most = -1;
  for (loggp::TraceStep& step : trace.steps) {
    if (step.count < least || step.count > most_rounds || computed_in(step) <= most) continue;
    longest = &step;
    most = computed_in(step);
  }
  return longest;
}

// The iterations of the main loop, which all ranks have; 0: they do not. `of_other`: those of another run, or 0; of the
// same loop there are at least half and at most twice as many.
uint64_t iterations_of(Run& run, uint64_t of_other) {
  const loggp::TraceStep* first =
      of_other == 0 ? main_loop_of(run.front()) : main_loop_of(run.front(), of_other / 2, 2 * of_other);
  if (first == nullptr) return 0;
  const bool is_of_all = std::all_of(run.begin(), run.end(), [&](loggp::RankTrace& trace) {
    return main_loop_of(trace, first->count, first->count) != nullptr;
  });
  return is_of_all ? first->count : 0;
}

// A line in the logarithm of the number of ranks.
struct Fitted {
  double value = 0;
  double half = 0;  // of an interval that a further point lies in; 0 for two points
};

Fitted line_at(const std::vector<double>& x, const std::vector<double>& y, double at) {
  constexpr double kDeviations = 3;  // of 90 % where two points are beyond those that a line needs
  const core::Line line = core::line_through(x, y).value();
  Fitted fitted{line.mean_y + line.slope * (at - line.mean_x), 0};
  const auto n = static_cast<double>(line.points);
  fitted.half = kDeviations * std::sqrt(line.variance() * (1 + 1 / n + std::pow(at - line.mean_x, 2) / line.spread));
  return fitted;
}

enum class Form { kPower, kPowerOrLine };

// `value`: of a run, above 0. The form that is closer to what was measured; the interval holds both.
fit::Estimate at_ranks(std::map<int, Run>& scales, int ranks, Form form, const std::function<double(Run&)>& value) {
  std::vector<double> x, y, logarithms;
  for (auto& [scale, run] : scales) {
    const double own = value(run);
    if (!(own > 0)) continue;
    x.push_back(std::log2(scale));
    y.push_back(own);
    logarithms.push_back(std::log(own));
  }
  if (y.empty()) return {};
  if (y.size() < 2) return {y.back(), y.back(), y.back()};
  const double at = std::log2(ranks);
  const auto missed = [&](const std::function<double(double)>& by) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += std::pow(by(x[i]) / y[i] - 1, 2);
    return sum;
  };
  const Fitted line = line_at(x, y, at), power = line_at(x, logarithms, at);
  const double by_power = std::exp(power.value);
  const bool has_line = form == Form::kPowerOrLine && line.value > 0;
  const bool is_line = has_line && missed([&](double l) { return line_at(x, y, l).value; }) <=
                                       missed([&](double l) { return std::exp(line_at(x, logarithms, l).value); });
  const double other = has_line ? line.value : by_power;
  const double low = is_line ? std::max(0.0, line.value - line.half) : std::exp(power.value - power.half);
  const double high = is_line ? line.value + line.half : std::exp(power.value + power.half);
  return {is_line ? line.value : by_power, std::min({low, by_power, other}), std::max({high, by_power, other})};
}

// The largest number of ranks that divides `ranks`.
std::map<int, Run>::iterator divisor_of(std::map<int, Run>& scales, int ranks) {
  auto found = scales.end();
  for (auto it = scales.begin(); it != scales.end(); ++it) {
    if (it->first < ranks && ranks % it->first == 0) found = it;
  }
  return found;
}

// What copies have more of than the recorded run.
struct Factors {
  double computation = 1, bytes = 1;
};

// Those that let the ranks of `run` compute `computation_s` in the mean and send `bytes`.
Factors factors_to(const Run& run, double computation_s, double bytes) {
  const double own_s = loggp::mean_computation_s(run), own_bytes = sent_by_rank(run).bytes;
  return {own_s > 0 ? computation_s / own_s : 1, own_bytes > 0 ? bytes / own_bytes : 1};
}

core::Result<loggp::TraceProgram> made_of(Run run, int ranks, const Factors& factors) {
  loggp::stretch_computations(run, factors.computation);
  const auto one = loggp::TraceProgram::of(run);
  if (!one) return one.error();
  return one.value().side_by_side(ranks / static_cast<int>(run.size()), factors.bytes);
}

void add_check(std::map<int, Run>& scales, CopiedTraces& copied) {
  const auto& [ranks, largest] = *scales.rbegin();
  const auto from = divisor_of(scales, ranks);
  if (from == scales.end()) return;
  const Factors factors = factors_to(from->second, loggp::mean_computation_s(largest), sent_by_rank(largest).bytes);
  auto recorded = loggp::TraceProgram::of(largest);
  auto made = made_of(from->second, ranks, factors);
  if (!recorded || !made) return;
  copied.as_recorded = std::move(recorded.value());
  copied.as_copied = std::move(made.value());
}

// What is inside of a loop, so many times.
void repeat(std::vector<loggp::TraceStep>& body, double times) {
  for (loggp::TraceStep& step : body) {
    step.before.n = static_cast<uint64_t>(std::llround(times * static_cast<double>(step.before.n)));
    step.before.total = static_cast<uint64_t>(std::llround(times * static_cast<double>(step.before.total)));
    step.computations_s.clear();
    step.each_instructions.clear();
    repeat(step.body, times);
  }
}

void set_iterations(Run& run, uint64_t from, double to) {
  for (loggp::RankTrace& trace : run) {
    loggp::TraceStep& loop = *main_loop_of(trace, from, from);
    loop.count = static_cast<uint64_t>(std::max(1L, std::lround(to)));
    repeat(loop.body, static_cast<double>(loop.count) / static_cast<double>(from));
  }
}

}  // namespace

core::Result<CopiedTraces> copied_traces(const std::string& folder, int ranks, double iterations, Remarks& remarks,
                                         const LoneRanks& lone) {
  auto read = read_scales(folder, {}, remarks, lone);
  if (!read) return read.error();
  std::map<int, Run> scales;
  for (Run& run : read.value()) scales.emplace(static_cast<int>(run.size()), std::move(run));
  const auto source = divisor_of(scales, ranks);
  if (source == scales.end() || ranks < scales.rbegin()->first) {
    return core::Error{core::ErrorCode::kInput,
                       "no recorded number of ranks divides " + std::to_string(ranks) + ", to be put side by side",
                       "record one with `scalediag profile --trace`", folder};
  }
  CopiedTraces copied;
  copied.recorded = source->first;
  copied.copies = ranks / source->first;
  copied.messages = sent_by_rank(source->second).messages;
  copied.more_messages =
      at_ranks(scales, ranks, Form::kPowerOrLine, [](Run& run) { return sent_by_rank(run).messages; });
  copied.bytes = at_ranks(scales, ranks, Form::kPower, [](Run& run) { return sent_by_rank(run).bytes; });

  uint64_t own = iterations_of(source->second, 0);
  std::map<int, double> measured;  // iterations
  std::vector<loggp::ValueSample> means;
  MeasuredComputation computed;
  loggp::PhaseComputation whole;
  for (auto& [scale, run] : scales) {
    measured[scale] = static_cast<double>(iterations_of(run, own));
    whole.mean_s[scale] = loggp::mean_computation_s(run);
    computed.run_s[scale] = {whole.mean_s[scale]};
    if (scale > 1 || scales.size() < 3) means.push_back({scale, 0, whole.mean_s[scale]});
  }
  computed.phases = {whole};
  add_check(scales, copied);

  Run& run = source->second;
  if (iterations > 0 && own == 0) {
    return core::Error{core::ErrorCode::kInput, "--iterations: the ranks share no loop whose iterations these could be",
                       "leave out --iterations", folder};
  }
  const bool differ = std::any_of(measured.begin(), measured.end(),
                                  [&](const auto& m) { return m.second > 0 && m.second != static_cast<double>(own); });
  if (own > 0 && differ) {
    copied.iterations =
        at_ranks(scales, ranks, Form::kPowerOrLine, [&](Run& r) { return measured.at(static_cast<int>(r.size())); });
    set_iterations(run, own, copied.iterations->value);
    own = static_cast<uint64_t>(std::max(1L, std::lround(copied.iterations->value)));
  }
  const double trace_s = loggp::divided_hypothesis(means, 1).at(ranks, 0);
  const Factors factors = factors_to(run, trace_s, copied.bytes.value);
  if (iterations > 0) {
    copied.iterations = fit::Estimate{iterations, iterations, iterations};
    set_iterations(run, own, iterations);
  }
  auto computation = scaled_computation(computed, ranks, trace_s);
  if (!computation) return computation.error();
  copied.computation = std::move(computation.value());
  // More iterations than usual compute as much more.
  const double more = factors.computation * loggp::mean_computation_s(run) / trace_s;
  copied.computation.mean_s = times(copied.computation.mean_s, more);
  auto program = made_of(std::move(run), ranks, factors);
  if (!program) return program.error();
  copied.program = std::move(program.value());
  return copied;
}

fit::Estimate widened_by_copies(const fit::Estimate& total_s, const CopiedTraces& copied, double missed) {
  constexpr double kUsual = 0.1;  // that simulations of scaled traces miss a scale by
  SourceLine line;
  line.backtest = missed;
  const double doublings = std::log2(static_cast<double>(copied.program.ranks()) / copied.as_recorded->ranks());
  return widened_by(total_s, half_width(line, kUsual, doublings));
}

std::vector<std::string> text_of(const CopiedTraces& copied) {
  const auto whole = [](double value) { return core::fixed(value, 0); };
  const auto range = [&](const fit::Estimate& e) {
    return whole(e.value) + " (" + whole(e.low) + " - " + whole(e.high) + ")";
  };
  const std::string reason = copied.why.message.empty() ? "with its iterations stated, this program is simulated as "
                                                        : "equations do not explain this program: it is ";
  std::vector<std::string> lines = {
      reason + std::to_string(copied.copies) + " copies of the run on " + std::to_string(copied.recorded) +
      " ranks side by side. Messages and pipelines stay within a copy; collectives are of all ranks"};
  if (!copied.why.message.empty()) {
    lines.push_back("by equations: " + copied.why.message + (copied.why.hint.empty() ? "" : "; " + copied.why.hint));
  }
  if (copied.messages > 0) {
    lines.push_back("a rank sends " + whole(copied.messages) + " messages as on " + std::to_string(copied.recorded) +
                    " ranks; by their series it would send " + range(copied.more_messages) + ", with " +
                    range(times(copied.bytes, 1e-3)) + " kB in sum, which it has");
  }
  if (copied.iterations) {
    lines.push_back("iterations=" + range(*copied.iterations) + " of the main loop; --iterations states them");
  }
  return lines;
}

}  // namespace scalediag::predict
