#include "fit/laws.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scalediag::fit {
namespace {

// A family of laws that say nearly the same shares one part of the prior, so that having many variants of one idea
// does not count as evidence; "nothing changes" is the simplest statement and has two parts of six.
constexpr double kPart = 1.0 / 6;
constexpr std::array<LawFacts, kLaws> kFacts = {{
    {"level", 2 * kPart},
    {"proportional", kPart / 4},
    {"power", kPart / 4},
    {"shrunk power", kPart / 4},
    {"damped power", kPart / 4},
    {"drift", kPart / 4},
    {"logarithm", kPart / 3},
    {"square root", kPart / 3},
    {"linear", kPart / 3},
    {"Amdahl", kPart / 4},
    {"surface", kPart / 4},
    {"inverse square root", kPart / 4},
    {"Amdahl and logarithm", kPart / 5},
    {"inverse square root and logarithm", kPart / 5},
    {"power and constant", kPart / 5},
    {"exponential and constant", kPart / 5},
    {"power times logarithm and constant", kPart / 5},
}};

// How strongly exponents are drawn towards the nearest whole number, which is what programs do to first order (divide
// the work, do all of it everywhere, visit pairs), in units of the spread of log(x) at the weight of the last point.
constexpr double kLittleShrinkage = 0.05;
constexpr double kShrinkage = 0.5;
// How much of what a trend has beyond the ideal goes on beyond the measurements.
constexpr double kDamping = 0.5;
// No program's cost per scale is steeper for long, and a power fitted to two noisy neighbours can be.
constexpr double kSteepest = 3;

struct Sum {
  std::array<Term, 3> terms;
  size_t count;
};

Sum terms_of(Law law) {
  switch (law) {
    case Law::kLogarithm:
      return {{Term::kOne, Term::kLog}, 2};
    case Law::kRoot:
      return {{Term::kOne, Term::kRoot}, 2};
    case Law::kLinear:
      return {{Term::kOne, Term::kLinear}, 2};
    case Law::kAmdahl:
      return {{Term::kOne, Term::kInverse}, 2};
    case Law::kSurface:
      return {{Term::kOne, Term::kSurface}, 2};
    case Law::kHalf:
      return {{Term::kOne, Term::kHalf}, 2};
    case Law::kAmdahlLogarithm:
      return {{Term::kOne, Term::kInverse, Term::kLog}, 3};
    case Law::kHalfLogarithm:
      return {{Term::kOne, Term::kHalf, Term::kLog}, 3};
    default:
      return {{Term::kOne}, 1};
  }
}

constexpr std::array kSums = {Law::kLogarithm, Law::kRoot, Law::kLinear,          Law::kAmdahl,
                              Law::kSurface,   Law::kHalf, Law::kAmdahlLogarithm, Law::kHalfLogarithm};

double log2_of(double x, double log_unit) { return std::max(0.0, std::log2(x * log_unit)); }

double term_value(Term term, double x, double log_x, double log_unit) {
  switch (term) {
    case Term::kOne:
      return 1;
    case Term::kLog:
      return log2_of(x, log_unit);
    case Term::kRoot:
      return std::sqrt(x);
    case Term::kLinear:
      return x;
    case Term::kInverse:
      return 1 / x;
    case Term::kSurface:
      return std::exp(-2.0 / 3 * log_x);
    case Term::kHalf:
      return 1 / std::sqrt(x);
  }
  return 0;
}

double power_log(double x, double log_x, double log_unit, double power, int log_power) {
  const double log = log2_of(x, log_unit);
  return std::exp(power * log_x) * (log_power == 2 ? log * log : log);
}

// Normal equations of a non-negative fit in relative error: minimise sum w (1 - sum_j c_j f_j / y)^2.
struct Normal {
  std::array<std::array<double, 3>, 3> gram{};
  std::array<double, 3> right{};
};

struct Solution {
  std::array<double, 3> c{};
  double gain = 0;  // by how much the weighted sum of squares falls below that of no terms at all
};

// A pivot, relative to its diagonal, near rounding: the terms cannot be told apart at these scales.
constexpr double kDependent = 1e-10;
// What rounding leaves of a term that is not there, relative to the others.
constexpr double kNothing = 1e-9;

// Least squares with the chosen terms alone; false where they are not independent or a coefficient is negative.
bool solve_subset(const Normal& n, std::array<size_t, 3> chosen, size_t count, Solution* out) {
  // Scaled to a unit diagonal: terms differ by many orders of magnitude.
  std::array<double, 3> scale{};
  std::array<double, 3> b{};
  std::array<std::array<double, 3>, 3> a{};
  for (size_t i = 0; i < count; i++) {
    const double d = n.gram[chosen[i]][chosen[i]];
    if (!(d > 0)) return false;
    scale[i] = 1 / std::sqrt(d);
    b[i] = n.right[chosen[i]] * scale[i];
  }
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) a[i][j] = n.gram[chosen[i]][chosen[j]] * scale[i] * scale[j];
  // Cholesky.
  std::array<double, 3> x = b;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < i; j++) {
      double sum = a[i][j];
      for (size_t k = 0; k < j; k++) sum -= a[i][k] * a[j][k];
      a[i][j] = sum / a[j][j];
    }
    double pivot = a[i][i];
    for (size_t k = 0; k < i; k++) pivot -= a[i][k] * a[i][k];
    if (pivot < kDependent) return false;
    a[i][i] = std::sqrt(pivot);
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < i; k++) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
  for (size_t i = count; i-- > 0;) {
    for (size_t k = i + 1; k < count; k++) x[i] -= a[k][i] * x[k];
    x[i] /= a[i][i];
  }
  Solution s;
  const double largest = *std::max_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
  for (size_t i = 0; i < count; i++) {
    if (std::abs(x[i]) < kNothing * largest) x[i] = 0;
    if (x[i] < 0) return false;
    s.c[chosen[i]] = x[i] * scale[i];
    s.gain += x[i] * b[i];
  }
  *out = s;
  return true;
}

// Two terms are what nearly all laws have, dozens of times a curve: in closed form.
Solution solve_pair(const Normal& n) {
  Solution s;
  const double a = n.gram[0][0], b = n.gram[0][1], d = n.gram[1][1];
  const double determinant = a * d - b * b;
  if (determinant > kDependent * a * d) {
    const double first = n.right[0] * d - n.right[1] * b;
    const double second = n.right[1] * a - n.right[0] * b;
    // In units of what each term contributes: rounding leaves a little of a term that is not there.
    const double nothing = kNothing * std::max(first * std::sqrt(a), second * std::sqrt(d));
    if (first * std::sqrt(a) > nothing && second * std::sqrt(d) > nothing) {
      s.c = {first / determinant, second / determinant, 0};
      s.gain = s.c[0] * n.right[0] + s.c[1] * n.right[1];
      return s;
    }
  }
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (!(n.gram[i][i] > 0) || !(n.right[i] > 0)) continue;
    const double gain = n.right[i] * n.right[i] / n.gram[i][i];
    if (gain <= s.gain) continue;
    s.gain = gain;
    s.c = {};
    s.c[i] = n.right[i] / n.gram[i][i];
  }
  return s;
}

// Exact: where the unconstrained solution is not feasible, all smaller subsets are tried.
Solution solve(const Normal& n, size_t count) {
  if (count == 2) return solve_pair(n);
  Solution best;
  if (solve_subset(n, {0, 1, 2}, count, &best)) return best;
  Solution s;
  for (const std::array<size_t, 3> pair : {std::array<size_t, 3>{0, 1, 0}, {0, 2, 0}, {1, 2, 0}})
    if (solve_subset(n, pair, 2, &s) && s.gain > best.gain) best = s;
  for (size_t i = 0; i < count; i++)
    if (solve_subset(n, {i, 0, 0}, 1, &s) && s.gain > best.gain) best = s;
  return best;
}

void accumulate(Normal* n, size_t count, const std::array<double, 3>& f, double weight) {
  for (size_t i = 0; i < count; i++) {
    n->right[i] += weight * f[i];
    for (size_t j = 0; j < count; j++) n->gram[i][j] += weight * f[i] * f[j];
  }
}

// Weighted sums of log(x) and log(y), from which every straight line in logarithms follows.
struct LogSums {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  void add(double weight, double log_x, double log_y) {
    w += weight;
    x += weight * log_x;
    y += weight * log_y;
    xx += weight * log_x * log_x;
    xy += weight * log_x * log_y;
  }
  double slope(double shrinkage) const {
    const double sxx = xx - x * x / w;
    // Rounding can leave nothing where one point has all the weight.
    if (!(sxx > 0)) return 0;
    const double b = (xy - x * y / w) / sxx;
    const double whole = std::round(b);
    return std::clamp(whole + (b - whole) * sxx / (sxx + shrinkage), -kSteepest, kSteepest);
  }
};

FittedLaw line(Law law, const LogSums& s, double slope, double log_last) {
  FittedLaw f;
  f.law = law;
  f.exponent = slope;
  f.c[0] = (s.y - slope * s.x) / s.w;
  f.log_last = log_last;
  return f;
}

FittedLaw drift(const ScaleTable& t, std::span<const double> log_y, size_t count) {
  const size_t last = count - 1;
  FittedLaw f;
  f.law = Law::kDrift;
  const double slope = (log_y[last] - log_y[last - 1]) / (t.log_x[last] - t.log_x[last - 1]);
  f.exponent = damped(std::clamp(slope, -kSteepest, kSteepest), t.axis);
  f.c[0] = log_y[last] - f.exponent * t.log_x[last];
  f.log_last = t.log_x[last];
  return f;
}

// The best of several two-term sums that differ in their second term, and which one it is.
template <size_t N>
FittedLaw search(Law law, const std::array<Normal, N>& normals, size_t* chosen) {
  Solution best;
  *chosen = 0;
  for (size_t e = 0; e < N; e++) {
    const Solution s = solve(normals[e], 2);
    if (s.gain > best.gain) {
      best = s;
      *chosen = e;
    }
  }
  FittedLaw f;
  f.law = law;
  f.c = best.c;
  return f;
}

// The laws with a searched term, from the sums over the points so far.
struct Searches {
  std::array<Normal, kExponents.size()> powers{};
  std::array<Normal, kRates.size()> decays{};
  std::array<Normal, kPowerLogs.size()> power_logs{};

  void add(const ScaleTable& t, size_t i, double inverse, double weight) {
    for (size_t e = 0; e < kExponents.size(); e++)
      accumulate(&powers[e], 2, {inverse, t.powers[i][e] * inverse, 0}, weight);
    for (size_t e = 0; e < kRates.size(); e++)
      accumulate(&decays[e], 2, {inverse, t.decays[i][e] * inverse, 0}, weight);
    for (size_t e = 0; e < kPowerLogs.size(); e++)
      accumulate(&power_logs[e], 2, {inverse, t.power_logs[i][e] * inverse, 0}, weight);
  }

  void fit(const ScaleTable& t, FittedLaws* laws) const {
    const auto at = [laws](Law law) -> FittedLaw& { return (*laws)[static_cast<size_t>(law)]; };
    size_t chosen = 0;
    at(Law::kPowerConstant) = search(Law::kPowerConstant, powers, &chosen);
    at(Law::kPowerConstant).exponent = kExponents[chosen];
    at(Law::kExponentialConstant) = search(Law::kExponentialConstant, decays, &chosen);
    at(Law::kExponentialConstant).exponent = kRates[chosen] / t.x.front();
    at(Law::kPowerLogarithm) = search(Law::kPowerLogarithm, power_logs, &chosen);
    at(Law::kPowerLogarithm).exponent = kPowerLogs[chosen].power;
    at(Law::kPowerLogarithm).log_power = kPowerLogs[chosen].log_power;
  }
};

}  // namespace

const LawFacts& facts_of(Law law) { return kFacts[static_cast<size_t>(law)]; }

double damped(double slope, Axis axis) {
  if (axis == Axis::kSize) return slope;
  if (slope >= 0) return kDamping * slope;
  if (slope < -1) return -1 + kDamping * (slope + 1);
  return slope * (1 - kDamping * (1 + slope));
}

ScaleTable::ScaleTable(std::span<const double> scales, Axis a) : axis(a), x(scales.begin(), scales.end()) {
  if (!x.empty() && x.front() < 1) log_unit = 2 / x.front();
  for (const double v : x) {
    log_x.push_back(std::log(v));
    emphasis.push_back(std::sqrt(v));
    auto& row = terms.emplace_back();
    for (size_t t = 0; t < kTerms; t++) row[t] = term_value(static_cast<Term>(t), v, log_x.back(), log_unit);
    auto& power_row = powers.emplace_back();
    for (size_t e = 0; e < kExponents.size(); e++) power_row[e] = std::exp(kExponents[e] * log_x.back());
    auto& decay_row = decays.emplace_back();
    for (size_t e = 0; e < kRates.size(); e++) decay_row[e] = std::exp(-kRates[e] * v / x.front());
    auto& power_log_row = power_logs.emplace_back();
    for (size_t e = 0; e < kPowerLogs.size(); e++)
      power_log_row[e] = power_log(v, log_x.back(), log_unit, kPowerLogs[e].power, kPowerLogs[e].log_power);
  }
}

double FittedLaw::log_value(double x, double log_x) const {
  // Far below any value with a meaning, yet its logarithm is a number.
  constexpr double kTiny = 1e-300;
  switch (law) {
    case Law::kLevel:
    case Law::kProportional:
    case Law::kPower:
    case Law::kShrunkPower:
    case Law::kDrift:
      return c[0] + exponent * log_x;
    case Law::kDampedPower:
      return c[0] + exponent * std::min(log_x, log_last) + beyond * std::max(0.0, log_x - log_last);
    case Law::kPowerConstant:
      return std::log(std::max(kTiny, c[0] + c[1] * std::exp(exponent * log_x)));
    case Law::kExponentialConstant:
      return std::log(std::max(kTiny, c[0] + c[1] * std::exp(-exponent * x)));
    case Law::kPowerLogarithm:
      return std::log(std::max(kTiny, c[0] + c[1] * power_log(x, log_x, log_unit, exponent, log_power)));
    default:
      break;
  }
  const Sum sum = terms_of(law);
  double value = 0;
  for (size_t i = 0; i < sum.count; i++)
    if (c[i] > 0) value += c[i] * term_value(sum.terms[i], x, log_x, log_unit);
  return std::log(std::max(kTiny, value));
}

std::vector<FittedLaws> fit_laws(const ScaleTable& t, std::span<const double> values, std::span<const double> weights) {
  const size_t n = values.size();
  std::vector<FittedLaws> fits(n + 1);
  std::vector<double> log_y(n);
  LogSums logs;
  std::array<Normal, kSums.size()> sums{};
  Searches searches;
  for (size_t i = 0; i < n; i++) {
    const double w = weights[i] * t.emphasis[i];
    const double inverse = 1 / values[i];
    log_y[i] = std::log(values[i]);
    logs.add(w, t.log_x[i], log_y[i]);
    for (size_t s = 0; s < kSums.size(); s++) {
      const Sum sum = terms_of(kSums[s]);
      std::array<double, 3> f{};
      for (size_t j = 0; j < sum.count; j++) f[j] = t.terms[i][static_cast<size_t>(sum.terms[j])] * inverse;
      accumulate(&sums[s], sum.count, f, w);
    }
    searches.add(t, i, inverse, w);

    const size_t count = i + 1;
    if (count < kScalesForTrend) continue;
    FittedLaws& laws = fits[count];
    const double last = t.log_x[i];
    const auto at = [&laws](Law law) -> FittedLaw& { return laws[static_cast<size_t>(law)]; };
    at(Law::kLevel) = line(Law::kLevel, logs, 0, last);
    at(Law::kProportional) = line(Law::kProportional, logs, t.axis == Axis::kProcesses ? -1 : 1, last);
    at(Law::kPower) = line(Law::kPower, logs, logs.slope(kLittleShrinkage * w), last);
    at(Law::kShrunkPower) = line(Law::kShrunkPower, logs, logs.slope(kShrinkage * w), last);
    at(Law::kDampedPower) = line(Law::kDampedPower, logs, logs.slope(0), last);
    at(Law::kDampedPower).beyond = damped(at(Law::kDampedPower).exponent, t.axis);
    at(Law::kDrift) = drift(t, log_y, count);
    for (size_t s = 0; s < kSums.size(); s++) {
      FittedLaw& f = at(kSums[s]);
      f.law = kSums[s];
      f.c = solve(sums[s], terms_of(kSums[s]).count).c;
    }
    // Three unknowns: with fewer points the exponent would be free, and the power alone says as much.
    if (count > 2) {
      searches.fit(t, &laws);
    } else {
      at(Law::kPowerConstant) = at(Law::kPower);
      at(Law::kExponentialConstant) = at(Law::kLevel);
      at(Law::kPowerLogarithm) = at(Law::kLogarithm);
    }
    for (FittedLaw& f : laws) {
      f.log_last = last;
      f.log_unit = t.log_unit;
    }
  }
  return fits;
}

}  // namespace scalediag::fit
