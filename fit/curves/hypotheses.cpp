#include "fit/curves/hypotheses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "fit/numerics/nonnegative_fit.h"

namespace scalediag::fit {
namespace {

// A family of hypotheses that say nearly the same shares one part of the prior, so that having many variants of one
// idea does not count as evidence; "nothing changes" is the simplest statement and has two parts. Along the number of
// processes half of the hypotheses have none: they made predictions of programs that they were not chosen for worse.
// Where one of them passes through all points it counts whatever its prior (exact_hypotheses).
struct HypothesisFacts {
  const char* name;
  double processes;  // parts of the prior along the number of processes
  double size;       // along the size of a problem
};
constexpr std::array<HypothesisFacts, kHypotheses> kFacts = {{
    {"level", 2, 2},
    {"proportional", 1. / 4, 1. / 4},
    {"power", 1. / 4, 1. / 4},
    {"shrunk power", 0, 1. / 4},
    {"damped power", 1. / 4, 1. / 4},
    {"drift", 1. / 4, 1. / 4},
    {"logarithm", 0, 1. / 3},
    {"square root", 0, 1. / 3},
    {"linear", 0, 1. / 3},
    {"Amdahl", 1. / 4, 1. / 4},
    {"surface", 0, 1. / 4},
    {"inverse square root", 1. / 4, 1. / 4},
    {"Amdahl and logarithm", 1. / 6, 1. / 6},
    {"Amdahl and linear", 1. / 6, 1. / 6},
    {"inverse square root and logarithm", 1. / 6, 1. / 6},
    {"power and constant", 0, 1. / 6},
    {"exponential and constant", 0, 1. / 6},
    {"power times logarithm and constant", 0, 1. / 6},
    {"free exponent or rate", 0, 0},
}};

// The strength by which exponents are drawn towards the nearest whole number, in units of the spread of log(x) at the
// weight of the last point. To first order programs have whole exponents (divide the work, do all of it everywhere,
// visit pairs).
constexpr double kLittleShrinkage = 0.05;
constexpr double kShrinkage = 0.5;
// The share of a trend's excess over the ideal that goes on beyond the measurements.
constexpr double kDamping = 0.5;
// The steepest exponent. No program's cost is steeper for long, but a power fitted to two noisy neighbours can be.
constexpr double kSteepest = 3;

struct Sum {
  std::array<Term, 3> terms;
  size_t count;
};

constexpr Sum terms_of(Hypothesis hypothesis) {
  switch (hypothesis) {
    case Hypothesis::kLogarithm:
      return {{Term::kOne, Term::kLog}, 2};
    case Hypothesis::kRoot:
      return {{Term::kOne, Term::kRoot}, 2};
    case Hypothesis::kLinear:
      return {{Term::kOne, Term::kLinear}, 2};
    case Hypothesis::kAmdahl:
      return {{Term::kOne, Term::kInverse}, 2};
    case Hypothesis::kSurface:
      return {{Term::kOne, Term::kSurface}, 2};
    case Hypothesis::kHalf:
      return {{Term::kOne, Term::kHalf}, 2};
    case Hypothesis::kAmdahlLogarithm:
      return {{Term::kOne, Term::kInverse, Term::kLog}, 3};
    case Hypothesis::kAmdahlLinear:
      return {{Term::kOne, Term::kInverse, Term::kLinear}, 3};
    case Hypothesis::kHalfLogarithm:
      return {{Term::kOne, Term::kHalf, Term::kLog}, 3};
    default:
      return {{Term::kOne}, 1};
  }
}

// A table, since it is looked up thousands of times a curve.
constexpr std::array<Sum, kHypotheses> kTermsOf = [] {
  std::array<Sum, kHypotheses> all{};
  for (size_t l = 0; l < kHypotheses; l++) all[l] = terms_of(static_cast<Hypothesis>(l));
  return all;
}();

constexpr std::array kSums = {Hypothesis::kLogarithm,       Hypothesis::kRoot,         Hypothesis::kLinear,
                              Hypothesis::kAmdahl,          Hypothesis::kSurface,      Hypothesis::kHalf,
                              Hypothesis::kAmdahlLogarithm, Hypothesis::kAmdahlLinear, Hypothesis::kHalfLogarithm};

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
    // Where one point has all the weight, rounding can leave 0.
    if (!(sxx > 0)) return 0;
    const double b = (xy - x * y / w) / sxx;
    const double whole = std::round(b);
    return std::clamp(whole + (b - whole) * sxx / (sxx + shrinkage), -kSteepest, kSteepest);
  }
};

FittedHypothesis line(Hypothesis hypothesis, const LogSums& s, double slope, double log_last) {
  FittedHypothesis f;
  f.hypothesis = hypothesis;
  f.exponent = slope;
  f.c[0] = (s.y - slope * s.x) / s.w;
  f.log_last = log_last;
  return f;
}

FittedHypothesis drift(const ScaleTable& t, std::span<const double> log_y, size_t count) {
  const size_t last = count - 1;
  FittedHypothesis f;
  f.hypothesis = Hypothesis::kDrift;
  const double slope = (log_y[last] - log_y[last - 1]) / (t.log_x[last] - t.log_x[last - 1]);
  f.exponent = damped(std::clamp(slope, -kSteepest, kSteepest), t.axis);
  f.c[0] = log_y[last] - f.exponent * t.log_x[last];
  f.log_last = t.log_x[last];
  return f;
}

// The best of several two-term sums that differ in their second term.
template <size_t N>
FittedHypothesis search(Hypothesis hypothesis, const std::array<NormalEquations, N>& normals) {
  NonnegativeSolution best;
  size_t chosen = 0;
  for (size_t e = 0; e < N; e++) {
    const NonnegativeSolution s = solve_nonnegative(normals[e], 2);
    if (s.gain > best.gain) {
      best = s;
      chosen = e;
    }
  }
  FittedHypothesis f;
  f.hypothesis = hypothesis;
  f.searched = static_cast<uint8_t>(chosen);
  f.c = best.c;
  return f;
}

// The hypotheses with a searched term, from the sums over the points so far.
struct Searches {
  std::array<NormalEquations, kExponents.size()> powers{};
  std::array<NormalEquations, kRates.size()> decays{};
  std::array<NormalEquations, kPowerLogs.size()> power_logs{};

  void add(const ScaleTable& t, size_t i, double inverse, double weight) {
    for (size_t e = 0; e < kExponents.size(); e++) powers[e].add(2, {inverse, t.powers[i][e] * inverse, 0}, weight);
    for (size_t e = 0; e < kRates.size(); e++) decays[e].add(2, {inverse, t.decays[i][e] * inverse, 0}, weight);
    for (size_t e = 0; e < kPowerLogs.size(); e++)
      power_logs[e].add(2, {inverse, t.power_logs[i][e] * inverse, 0}, weight);
  }

  void fit(const ScaleTable& t, FittedHypotheses* hypotheses) const {
    const auto at = [hypotheses](Hypothesis hypothesis) -> FittedHypothesis& {
      return (*hypotheses)[static_cast<size_t>(hypothesis)];
    };
    FittedHypothesis& power = at(Hypothesis::kPowerConstant) = search(Hypothesis::kPowerConstant, powers);
    power.exponent = kExponents[power.searched];
    FittedHypothesis& decay = at(Hypothesis::kExponentialConstant) = search(Hypothesis::kExponentialConstant, decays);
    decay.exponent = kRates[decay.searched] / t.x.front();
    FittedHypothesis& times_log = at(Hypothesis::kPowerLogarithm) = search(Hypothesis::kPowerLogarithm, power_logs);
    times_log.exponent = kPowerLogs[times_log.searched].power;
    times_log.log_power = kPowerLogs[times_log.searched].log_power;
  }
};

std::array<double, kTerms> terms_at(double x, double log_x, double log_unit) {
  std::array<double, kTerms> terms;
  for (size_t t = 0; t < kTerms; t++) terms[t] = term_value(static_cast<Term>(t), x, log_x, log_unit);
  return terms;
}

// The variable u of a form with a free exponent, which is an exponential of it.
double free_variable(FreeForm form, double x, double log_x) {
  return form == FreeForm::kPower ? log_x : form == FreeForm::kExponential ? x : 1 / x;
}

double free_term(const FittedHypothesis& f, double x, double log_x) {
  constexpr double kLargestExponent = 600;
  const double u = free_variable(static_cast<FreeForm>(f.searched), x, log_x);
  return std::exp(std::min(f.exponent * u, kLargestExponent));
}

bool is_falling_logarithm(const FittedHypothesis& f) { return f.hypothesis == Hypothesis::kFree && f.exponent == 0; }

// c + a log2(x) with a < 0: its slope in logarithms is -1 where it has fallen to -a / ln(2).
double log_of_falling_logarithm(const FittedHypothesis& f, double log_x) {
  const double a = f.c[1] / std::numbers::ln2;
  const double turn = (-a - f.c[0]) / a;
  return log_x < turn ? std::log(f.c[0] + a * log_x) : std::log(-a) + turn - log_x;
}

// b of y = a e^(b u) + c through three points with rising u; none where y does not go one way. The quotient of the two
// steps, (1 - e^(-b d1)) / (e^(b d2) - 1), falls with b.
std::optional<double> rate_through(std::array<double, 3> u, std::array<double, 3> y) {
  constexpr double kSteepestRate = 40;  // over all three points: a factor of e^40
  constexpr int kHalvings = 60;
  const double quotient = (y[1] - y[0]) / (y[2] - y[1]);
  if (!(quotient > 0) || !std::isfinite(quotient)) return std::nullopt;
  double high = kSteepestRate / (u[2] - u[0]);
  double low = -high;
  for (int i = 0; i < kHalvings; i++) {
    const double b = (low + high) / 2;
    const double at_b =
        b == 0 ? (u[1] - u[0]) / (u[2] - u[1]) : -std::expm1(-b * (u[1] - u[0])) / std::expm1(b * (u[2] - u[1]));
    (at_b > quotient ? low : high) = b;
  }
  return (low + high) / 2;
}

FittedHypothesis empty_free_form(FreeForm form, const ScaleTable& t, size_t count) {
  FittedHypothesis f;
  f.hypothesis = Hypothesis::kFree;
  f.searched = static_cast<uint8_t>(form);
  f.log_last = t.log_x[count - 1];
  f.log_unit = t.log_unit;
  return f;
}

// Through the first, the middle and the last of the first `count` points.
std::optional<FittedHypothesis> free_form_through_three(FreeForm form, const ScaleTable& t,
                                                        std::span<const double> values, size_t count) {
  constexpr double kNoRate = 1e-5;  // over all three points
  std::array<size_t, 3> at = {0, count / 2, count - 1};
  if (form == FreeForm::kExponentialOfInverse) std::swap(at[0], at[2]);
  std::array<double, 3> u, y;
  for (size_t i = 0; i < 3; i++) {
    u[i] = free_variable(form, t.x[at[i]], t.log_x[at[i]]);
    y[i] = values[at[i]];
  }
  const std::optional<double> b = rate_through(u, y);
  if (!b) return std::nullopt;
  FittedHypothesis f = empty_free_form(form, t, count);
  if (std::abs(*b) * (u[2] - u[0]) < kNoRate) {
    // The limit is a straight line in u. Of these lines only the falling logarithm is not among the other hypotheses.
    if (form != FreeForm::kPower || y[2] > y[0]) return std::nullopt;
    f.c[1] = (y[2] - y[0]) / (u[2] - u[0]) * std::numbers::ln2;
    f.c[0] = y[2] - f.c[1] * u[2] / std::numbers::ln2;
    return f;
  }
  f.exponent = *b;
  // The coefficient is taken from the smaller of the exponentials, which keeps c exact.
  const double rise = std::exp(*b * u[0]) * std::expm1(*b * (u[2] - u[0]));
  f.c[1] = (y[2] - y[0]) / rise;
  const size_t small = *b > 0 ? 0 : 2;
  f.c[0] = y[small] - f.c[1] * std::exp(*b * u[small]);
  return f;
}

// Derivatives of a e^(b u) + c by a, b and c.
std::array<double, 3> free_gradient(const FittedHypothesis& f, double x, double log_x) {
  const double term = free_term(f, x, log_x);
  return {term, f.c[1] * term * free_variable(static_cast<FreeForm>(f.searched), x, log_x), 1};
}

double squared_errors(const FittedHypothesis& f, const ScaleTable& t, std::span<const double> values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    const double error = (f.c[0] + f.c[1] * free_term(f, t.x[i], t.log_x[i])) / values[i] - 1;
    sum += error * error;
  }
  return sum;
}

using Matrix3 = std::array<std::array<double, 3>, 3>;

// By the adjugate; none where rounding leaves nothing of the determinant.
std::optional<Matrix3> inverse_of(const Matrix3& m) {
  Matrix3 inverse;
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) {
      const size_t r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
      inverse[i][j] = m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
    }
  double determinant = 0;
  for (size_t j = 0; j < 3; j++) determinant += m[0][j] * inverse[j][0];
  if (!(determinant > 1e-14 * m[0][0] * m[1][1] * m[2][2])) return std::nullopt;
  for (auto& row : inverse)
    for (double& v : row) v /= determinant;
  return inverse;
}

// Gauss's and Newton's method in relative errors; steps that do not help are halved. Sets the covariance as well.
void improve(const ScaleTable& t, std::span<const double> values, size_t count, FreeFit* fit) {
  constexpr int kSteps = 20;
  constexpr int kHalvings = 6;
  constexpr double kEnough = 1e-9;
  FittedHypothesis& f = fit->hypothesis;
  double errors = squared_errors(f, t, values, count);
  for (int step = 0; step < kSteps; step++) {
    Matrix3 normal{};
    std::array<double, 3> right{};
    for (size_t i = 0; i < count; i++) {
      std::array<double, 3> g = free_gradient(f, t.x[i], t.log_x[i]);
      const double error = 1 - (f.c[0] + f.c[1] * g[0]) / values[i];
      for (double& v : g) v /= values[i];
      for (size_t j = 0; j < 3; j++) {
        right[j] += g[j] * error;
        for (size_t k = 0; k < 3; k++) normal[j][k] += g[j] * g[k];
      }
    }
    const std::optional<Matrix3> inverse = inverse_of(normal);
    if (!inverse) return;
    fit->covariance = *inverse;
    std::array<double, 3> move{};
    for (size_t j = 0; j < 3; j++)
      for (size_t k = 0; k < 3; k++) move[j] += (*inverse)[j][k] * right[k];
    FittedHypothesis moved;
    double left = errors;
    for (double part = 1; part > std::pow(0.5, kHalvings); part /= 2) {
      moved = f;
      moved.c[1] += part * move[0];
      moved.exponent += part * move[1];
      moved.c[0] += part * move[2];
      left = squared_errors(moved, t, values, count);
      if (left < errors) break;
    }
    if (!(left < errors)) return;
    const bool enough = errors - left <= kEnough * errors;
    f = moved;
    errors = left;
    if (enough) return;
  }
}

// As x grows without end; and no exponential of the processes grows at all.
bool stays_positive(const FittedHypothesis& f, const ScaleTable& t) {
  const auto form = static_cast<FreeForm>(f.searched);
  if (is_falling_logarithm(f)) return true;
  const bool vanishes = f.exponent < 0 && form != FreeForm::kExponentialOfInverse;
  const bool endless = f.exponent > 0 && form != FreeForm::kExponentialOfInverse;
  const double end = vanishes ? f.c[0] : endless ? f.c[1] : f.c[0] + f.c[1];
  return end >= 0 && !(endless && form == FreeForm::kExponential && t.axis == Axis::kProcesses);
}

double searched_term(const FittedHypothesis& f, double x, double log_x) {
  if (f.hypothesis == Hypothesis::kFree) return free_term(f, x, log_x);
  if (f.hypothesis == Hypothesis::kPowerConstant) return std::exp(f.exponent * log_x);
  if (f.hypothesis == Hypothesis::kExponentialConstant) return std::exp(-f.exponent * x);
  return power_log(x, log_x, f.log_unit, f.exponent, f.log_power);
}

// `searched` gives the value of the term that was found by search; it is called for hypotheses with such a term only.
template <class Searched>
double log_value_of(const FittedHypothesis& f, double log_x, const std::array<double, kTerms>& terms,
                    Searched searched) {
  // A value far below any meaningful one whose logarithm is finite.
  constexpr double kTiny = 1e-300;
  switch (f.hypothesis) {
    case Hypothesis::kLevel:
    case Hypothesis::kProportional:
    case Hypothesis::kPower:
    case Hypothesis::kShrunkPower:
    case Hypothesis::kDrift:
      return f.c[0] + f.exponent * log_x;
    case Hypothesis::kDampedPower:
      return f.c[0] + f.exponent * std::min(log_x, f.log_last) + f.beyond * std::max(0.0, log_x - f.log_last);
    case Hypothesis::kPowerConstant:
    case Hypothesis::kExponentialConstant:
    case Hypothesis::kPowerLogarithm:
      return std::log(std::max(kTiny, f.c[0] + f.c[1] * searched(f)));
    case Hypothesis::kFree:
      return is_falling_logarithm(f) ? log_of_falling_logarithm(f, log_x)
                                     : std::log(std::max(kTiny, f.c[0] + f.c[1] * searched(f)));
    default:
      break;
  }
  const Sum& sum = kTermsOf[static_cast<size_t>(f.hypothesis)];
  double value = 0;
  for (size_t i = 0; i < sum.count; i++)
    if (f.c[i] > 0) value += f.c[i] * terms[static_cast<size_t>(sum.terms[i])];
  return std::log(std::max(kTiny, value));
}

double log_value_at_scale(const FittedHypothesis& hypothesis, const ScaleTable& t, size_t scale) {
  return log_value_of(hypothesis, t.log_x[scale], t.terms[scale], [&](const FittedHypothesis& f) {
    return f.hypothesis == Hypothesis::kPowerConstant         ? t.powers[scale][f.searched]
           : f.hypothesis == Hypothesis::kExponentialConstant ? t.decays[scale][f.searched]
           : f.hypothesis == Hypothesis::kFree                ? free_term(f, t.x[scale], t.log_x[scale])
                                                              : t.power_logs[scale][f.searched];
  });
}

// The number of fitted numbers, one found by search among them.
size_t unknowns_of(const FittedHypothesis& f) {
  switch (f.hypothesis) {
    case Hypothesis::kLevel:
    case Hypothesis::kProportional:
      return 1;
    case Hypothesis::kPower:
    case Hypothesis::kShrunkPower:
    case Hypothesis::kDampedPower:
    case Hypothesis::kDrift:
      return 2;
    default:
      break;
  }
  if (f.hypothesis == Hypothesis::kFree) return 3;
  const bool searched = f.hypothesis == Hypothesis::kPowerConstant ||
                        f.hypothesis == Hypothesis::kExponentialConstant || f.hypothesis == Hypothesis::kPowerLogarithm;
  return (searched ? 1 : 0) +
         static_cast<size_t>(std::count_if(f.c.begin(), f.c.end(), [](double c) { return c > 0; }));
}

// Whether the first `count` points lie on the straight line.
bool is_exact_line(const FittedHypothesis& f, const ScaleTable& t, std::span<const double> log_y, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!(std::abs(f.c[0] + f.exponent * t.log_x[i] - log_y[i]) < kExact)) return false;
  return true;
}

}  // namespace

const char* name_of(Hypothesis hypothesis) { return kFacts[static_cast<size_t>(hypothesis)].name; }

double prior_of(Hypothesis hypothesis, Axis axis) {
  double total = 0;
  for (const HypothesisFacts& f : kFacts) total += axis == Axis::kProcesses ? f.processes : f.size;
  const HypothesisFacts& f = kFacts[static_cast<size_t>(hypothesis)];
  return (axis == Axis::kProcesses ? f.processes : f.size) / total;
}

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

double FittedHypothesis::log_value(double x, double log_x) const {
  return log_value_of(*this, log_x, terms_at(x, log_x, log_unit),
                      [&](const FittedHypothesis& f) { return searched_term(f, x, log_x); });
}

void log_values(const FittedHypotheses& hypotheses, double x, double log_x, std::array<double, kHypotheses>* values) {
  const std::array<double, kTerms> terms = terms_at(x, log_x, hypotheses.front().log_unit);
  for (size_t l = 0; l < kHypotheses; l++)
    (*values)[l] = log_value_of(hypotheses[l], log_x, terms,
                                [&](const FittedHypothesis& f) { return searched_term(f, x, log_x); });
}

void log_values_at_scale(const FittedHypotheses& hypotheses, const ScaleTable& t, size_t scale,
                         std::array<double, kHypotheses>* values) {
  for (size_t l = 0; l < kHypotheses; l++) (*values)[l] = log_value_at_scale(hypotheses[l], t, scale);
}

double FreeFit::error_at(double x) const {
  const std::array<double, 3> g = free_gradient(hypothesis, x, std::log(x));
  double variance = 0;
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) variance += g[i] * covariance[i][j] * g[j];
  return std::sqrt(std::max(0.0, variance)) / std::exp(hypothesis.log_value(x, std::log(x)));
}

std::optional<FreeFit> fit_free_form(FreeForm form, const ScaleTable& t, std::span<const double> values, size_t count) {
  FreeFit fit;
  const std::optional<FittedHypothesis> start = free_form_through_three(form, t, values, count);
  if (!start) return std::nullopt;
  fit.hypothesis = *start;
  // The logarithm has two unknowns, and the rest are improved by Gauss's and Newton's method.
  if (!is_falling_logarithm(fit.hypothesis)) improve(t, values, count, &fit);
  if (std::abs(fit.hypothesis.c[0]) < kExact * std::min(values[0], values[count - 1])) fit.hypothesis.c[0] = 0;
  return stays_positive(fit.hypothesis, t) ? std::optional(fit) : std::nullopt;
}

FittedHypothesis free_form_of_two(FreeForm form, const ScaleTable& t, std::span<const double> values) {
  const double u0 = free_variable(form, t.x[0], t.log_x[0]);
  const double u1 = free_variable(form, t.x[1], t.log_x[1]);
  FittedHypothesis f = empty_free_form(form, t, 2);
  f.exponent = std::log(values[1] / values[0]) / (u1 - u0);
  f.c[1] = values[0] * std::exp(-f.exponent * u0);
  return f;
}

uint32_t exact_hypotheses(const FittedHypotheses& hypotheses, const ScaleTable& t, std::span<const double> log_y,
                          size_t count, size_t further_unknowns) {
  // One point more than unknowns can lie on a hypothesis by chance; two do not, to this precision.
  constexpr size_t kSpare = 2;
  uint32_t candidates = 0;
  for (size_t l = 0; l < kHypotheses; l++) {
    const FittedHypothesis& f = hypotheses[l];
    // Hypotheses that stand for another hypothesis where that has too few points are left out.
    if (f.hypothesis != static_cast<Hypothesis>(l) || f.hypothesis == Hypothesis::kDrift) continue;
    if (f.hypothesis == Hypothesis::kDampedPower && std::abs(f.beyond - f.exponent) > kExact) continue;
    if (count >= unknowns_of(f) + further_unknowns + kSpare) candidates |= 1U << l;
  }
  for (size_t i = count; i-- > 0 && candidates != 0;) {
    for (size_t l = 0; l < kHypotheses; l++)
      if ((candidates >> l & 1U) != 0 && !(std::abs(log_value_at_scale(hypotheses[l], t, i) - log_y[i]) < kExact))
        candidates &= ~(1U << l);
  }
  return candidates;
}

std::vector<FittedHypotheses> fit_hypotheses(const ScaleTable& t, std::span<const double> values,
                                             std::span<const double> weights, size_t fewest) {
  const size_t n = values.size();
  std::vector<FittedHypotheses> fits(n + 1);
  std::vector<double> log_y(n);
  LogSums logs;
  std::array<NormalEquations, kSums.size()> sums{};
  Searches searches;
  for (size_t i = 0; i < n; i++) {
    const double w = weights[i] * t.emphasis[i];
    const double inverse = 1 / values[i];
    log_y[i] = std::log(values[i]);
    logs.add(w, t.log_x[i], log_y[i]);
    for (size_t s = 0; s < kSums.size(); s++) {
      const Sum& sum = kTermsOf[static_cast<size_t>(kSums[s])];
      std::array<double, 3> f{};
      for (size_t j = 0; j < sum.count; j++) f[j] = t.terms[i][static_cast<size_t>(sum.terms[j])] * inverse;
      sums[s].add(sum.count, f, w);
    }
    searches.add(t, i, inverse, w);

    const size_t count = i + 1;
    if (count < std::max<size_t>(kScalesForTrend, fewest)) continue;
    FittedHypotheses& hypotheses = fits[count];
    const double last = t.log_x[i];
    const auto at = [&hypotheses](Hypothesis hypothesis) -> FittedHypothesis& {
      return hypotheses[static_cast<size_t>(hypothesis)];
    };
    at(Hypothesis::kLevel) = line(Hypothesis::kLevel, logs, 0, last);
    at(Hypothesis::kProportional) = line(Hypothesis::kProportional, logs, t.axis == Axis::kProcesses ? -1 : 1, last);
    at(Hypothesis::kDampedPower) = line(Hypothesis::kDampedPower, logs, logs.slope(0), last);
    at(Hypothesis::kDampedPower).beyond = damped(at(Hypothesis::kDampedPower).exponent, t.axis);
    // Points without noise already give the exact exponent, which must not be drawn to a whole number.
    const bool exact = count > kScalesForCheck && is_exact_line(at(Hypothesis::kDampedPower), t, log_y, count);
    at(Hypothesis::kPower) =
        line(Hypothesis::kPower, logs, exact ? at(Hypothesis::kDampedPower).exponent : logs.slope(kLittleShrinkage * w),
             last);
    at(Hypothesis::kShrunkPower) = line(Hypothesis::kShrunkPower, logs, logs.slope(kShrinkage * w), last);
    at(Hypothesis::kDrift) = drift(t, log_y, count);
    for (size_t s = 0; s < kSums.size(); s++) {
      FittedHypothesis& f = at(kSums[s]);
      f.hypothesis = kSums[s];
      f.c = solve_nonnegative(sums[s], kTermsOf[static_cast<size_t>(kSums[s])].count).c;
    }
    // The form has three unknowns: with fewer points the exponent would be arbitrary, and the power alone fits as well.
    if (count > 2) {
      searches.fit(t, &hypotheses);
    } else {
      at(Hypothesis::kPowerConstant) = at(Hypothesis::kPower);
      at(Hypothesis::kExponentialConstant) = at(Hypothesis::kLevel);
      at(Hypothesis::kPowerLogarithm) = at(Hypothesis::kLogarithm);
    }
    at(Hypothesis::kFree) = at(Hypothesis::kLevel);
    for (FittedHypothesis& f : hypotheses) {
      f.log_last = last;
      f.log_unit = t.log_unit;
    }
  }
  return fits;
}

}  // namespace scalediag::fit
