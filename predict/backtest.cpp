#include "predict/backtest.h"

#include <algorithm>
#include <cmath>

#include "core/text/quantities.h"

namespace scalediag::predict {
namespace {

constexpr double kLeastError = 0.05;   // e_0: one scale cannot show that a source is better than this
constexpr double kUsualError = 0.08;   // s_0
constexpr double kSeenBesides = 2;     // n
constexpr double kLittleWeight = 0.2;  // of all sources together
constexpr double kUnseen = 1.5;        // times s_0, where no error was seen
constexpr double kRefuted = 10;        // times off: not taken before a source that nothing checks
constexpr double kFarApart = 3;        // times: what lies between such sources is what none of them says
constexpr double kNormal90 = 1.645;

double half_width_of(double square_error, double errors, double usual, double steps) {
  const double s = std::sqrt((errors * square_error + kSeenBesides * usual * usual) / (errors + kSeenBesides));
  return kNormal90 * s * std::max(1.0, steps);
}

}  // namespace

std::optional<double> usual_miss(const std::optional<double>& backtest, const std::optional<double>& backtest_before) {
  double squares = 0, errors = 0;
  for (const auto& missed : {backtest, backtest_before}) {
    if (!missed) continue;
    squares += std::pow(std::log1p(std::max(*missed, -0.99)), 2);
    ++errors;
  }
  return errors > 0 ? std::optional(std::sqrt(squares / errors)) : std::nullopt;
}

double steps_beyond(double processes, double largest, double before) {
  return processes > largest ? std::log(processes / largest) / std::log(largest / before) : 0;
}

double half_width(const SourceLine& line, double usual, double steps) {
  const std::optional<double> missed = usual_miss(line.backtest, line.backtest_before);
  if (!missed || !std::isfinite(*missed)) return kNormal90 * kUnseen * usual * std::max(1.0, steps);
  return half_width_of(*missed * *missed, line.backtest && line.backtest_before ? 2 : 1, usual, steps);
}

double waiting_factor(const SourceLine& line, double usual) {
  // Of what is known. With less the simulation hardly waits, or a disturbed run waited: there is no factor. The largest
  // of ten programs was 5.3.
  constexpr double kLeast = 1.0 / 6;
  double logarithms = 0, errors = 0;
  for (const auto& missed : {line.backtest, line.backtest_before}) {
    if (!missed || 1 + *missed < kLeast) continue;
    logarithms += std::log1p(*missed);
    ++errors;
  }
  return errors > 0 ? std::max(1.0, std::exp(-logarithms / errors)) : usual;
}

SourceLine multiplied(SourceLine line, double factor) {
  for (auto* missed : {&line.backtest, &line.backtest_before}) {
    if (*missed) **missed = factor * (1 + **missed) - 1;
  }
  return line;
}

Estimate widened_by(const Estimate& e, double half) {
  if (!(e.low > 0)) return {e.value, e.low, e.high * std::exp(half), e.level};
  return {e.value, e.value * std::exp(-std::hypot(std::log(e.value / e.low), half)),
          e.value * std::exp(std::hypot(std::log(e.high / e.value), half)), e.level};
}

bool disagree(const Estimate& a, const Estimate& b) {
  const auto holds = [](const Estimate& e, double value) { return e.low <= value && value <= e.high; };
  return !holds(a, b.value) && !holds(b, a.value);
}

std::optional<Chosen> choose(std::vector<SourceLine>& lines, double steps) {
  const auto is_there = [](const SourceLine& line) { return line.estimate && line.estimate->value > 0; };
  auto first = std::find_if(lines.begin(), lines.end(), is_there);
  if (first == lines.end()) return std::nullopt;
  const auto unchecked = std::find_if(first, lines.end(), [&](const auto& l) { return is_there(l) && !l.backtest; });
  double weights = 0;
  const auto square = [](const SourceLine& line) {
    return std::pow(usual_miss(line.backtest, line.backtest_before).value_or(0), 2);
  };
  const auto weight = [&](const SourceLine& line) {
    return 1 / (square(line) + std::pow(std::max(kLeastError, line.usual_error), 2));
  };
  const auto tells_little = [](const SourceLine& line) { return fit::is_no_value(*line.estimate); };
  const bool some_tell = std::any_of(lines.begin(), lines.end(), [&](const SourceLine& line) {
    return is_there(line) && line.backtest && !tells_little(line);
  });
  const auto competes = [&](const SourceLine& line) {
    return is_there(line) && line.backtest && !(some_tell && tells_little(line));
  };
  for (SourceLine& line : lines) {
    if (!competes(line)) continue;
    if (unchecked == lines.end() || square(line) < std::pow(std::log(kRefuted), 2)) {
      weights += weight(line);
    } else {
      line.why = "missed the largest measured scale by more than a factor of " + core::fixed(kRefuted, 0);
    }
  }
  if (!(weights > 0) && unchecked != lines.end()) first = unchecked;
  Chosen chosen;
  if (!(weights > 0)) {
    first->taken = true;
    first->why = "the first of those that no measured scale can check";
    if (std::count_if(lines.begin(), lines.end(), is_there) == 1) first->why = "the only one";
    chosen.part = {*first->estimate, first->source, first->why};
  } else {
    double taken = 0, logarithm = 0, square_error = 0, errors = 0, best = 0, usual = kUsualError;
    for (SourceLine& line : lines) {
      if (!competes(line) || weight(line) < kLittleWeight * weights) continue;
      line.taken = true;
      taken += weight(line);
      logarithm += weight(line) * std::log(line.estimate->value);
      square_error += weight(line) * square(line);
      errors += weight(line) * (line.backtest_before ? 2 : 1);
      usual = std::max(usual, line.usual_error);
      if (weight(line) <= best) continue;
      best = weight(line);
      chosen.part.source = line.source;
      chosen.part.estimate.level = line.estimate->level;
    }
    const auto is_taken = [](const SourceLine& line) { return line.taken; };
    const SourceLine& first_taken = *std::find_if(lines.begin(), lines.end(), is_taken);
    double low = first_taken.estimate->value, high = low;
    double own_low = 0, own_high = HUGE_VAL;  // what the intervals of all that are taken have in common
    size_t count = 0;
    for (const SourceLine& line : lines) {
      if (!line.taken) continue;
      ++count;
      low = std::min(low, line.estimate->value);
      high = std::max(high, line.estimate->value);
      own_low = std::max(own_low, line.estimate->low);
      own_high = std::min(own_high, line.estimate->high);
    }
    const bool far_apart = high > kFarApart * low;
    // A source by itself keeps its value to the last bit: functions are multiplied by the ratio of the two.
    const double value = count == 1 || far_apart ? first_taken.estimate->value : std::exp(logarithm / taken);
    if (far_apart) chosen.part.source = first_taken.source;
    for (SourceLine& line : lines) {
      if (!is_there(line)) continue;
      line.why =
          !line.backtest ? "no measured scale checks it"
          : !competes(line)
              ? "the ends of its own interval are more than a factor of " + core::fixed(fit::kNoValue, 0) + " apart"
          : !line.taken ? "missed the largest measured scale by more"
          : far_apart   ? (&line == &first_taken ? "the value, since sources are far apart" : "an end of the interval")
          : count > 1   ? core::spaced_percent(weight(line) / taken, 0) + " of the value, by what sources missed"
                        : "missed the largest measured scale least";
      if (line.taken && std::count_if(lines.begin(), lines.end(), is_there) == 1) line.why = "the only one";
    }
    // A single source keeps the interval that its own models know.
    const bool is_alone = std::count_if(lines.begin(), lines.end(), competes) == 1;
    const double half = half_width_of(square_error / taken, errors / taken, usual, steps);
    const double level = chosen.part.estimate.level;
    if (is_alone) {
      chosen.part.estimate = *first_taken.estimate;
    } else if (far_apart) {
      chosen.part.estimate = {value, value * std::exp(-std::hypot(half, std::log(value / low))),
                              value * std::exp(std::hypot(half, std::log(high / value))), level};
    } else {
      chosen.part.estimate = widened_by({value, value, value, level}, std::hypot(half, std::log(high / low) / 2));
    }
    if (!some_tell) {
      chosen.part.estimate.low = std::min(chosen.part.estimate.low, own_low);
      chosen.part.estimate.high = std::max(chosen.part.estimate.high, own_high);
    }
    chosen.part.why =
        is_alone ? "the only one that tells something" : "by what each missed at the largest measured scale";
  }
  const Estimate& value = chosen.part.estimate;
  for (const SourceLine& line : lines) {
    if (!is_there(line) || line.taken || !disagree(value, *line.estimate)) continue;
    const double apart = std::abs(std::log(line.estimate->value / value.value));
    const auto& known = chosen.disagreement;
    if (known && apart <= std::abs(std::log(known->other_s / known->taken_s))) continue;
    chosen.disagreement =
        Disagreement{line.component, chosen.part.source, line.source, value.value, line.estimate->value};
  }
  return chosen;
}

}  // namespace scalediag::predict
