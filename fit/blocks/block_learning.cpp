#include "fit/blocks/block_learning.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "core/text/numbers.h"
#include "fit/blocks/linear_fits.h"
#include "fit/blocks/support_vector_fit.h"

namespace scalediag::fit {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr size_t kFolds = 10;
// The errors of a method that does as well as the best one: at most so many times as large, and beyond that what
// rounding makes of a fit that is exact.
constexpr double kAsGood = 1.1;
// Powers, products and radial functions go astray beyond what was learnt from: their error has to be at most this part
// of that of the best method without them.
constexpr double kClearlyBetter = 0.7;
constexpr double kRoundingError = 1e-6;

// An attribute that others tell up to this part of its spread is left out. Noise lets two such attributes have large
// coefficients that take each other away, and then not where one of them changes by itself.
constexpr double kTellsMore = 0.05;
// The same for powers and products. The cube of what goes evenly from 0 on keeps 6.7 % beside its first two powers.
constexpr double kTermTellsMore = 0.02;
// As many ranks are enough to hold out some of them whole.
constexpr size_t kFewestRanks = 6;

struct Candidate {
  BlockMethod method = BlockMethod::kMean;
  bool is_polynomial = false;
  SupportVectorOptions vectors = {};
  int stage = 0;  // of attributes
};

constexpr Candidate kCandidates[] = {
    {BlockMethod::kMean, false},
    {BlockMethod::kLinearRegression, false},
    {BlockMethod::kLeastMedianOfSquares, false},
    {BlockMethod::kLinearRegression, true},
    {BlockMethod::kLeastMedianOfSquares, true},
    {BlockMethod::kLinearSupportVectors, false, {0.01, 1}},
    {BlockMethod::kLinearSupportVectors, true, {0.01, 1}},
    {BlockMethod::kLinearSupportVectors, true, {0.0005, 1}},
    {BlockMethod::kRadialSupportVectors, false, {0.01, 100}},
};

struct MethodTraits {
  size_t most_executions = 0;
  bool is_curved = false;  // in the attributes themselves
};

MethodTraits traits_of(BlockMethod method) {
  constexpr size_t kMostForLines = 20'000, kMostForVectors = 300;
  switch (method) {  // without default: the compiler asks for a new method
    case BlockMethod::kMean:
    case BlockMethod::kLinearRegression:
    case BlockMethod::kLeastMedianOfSquares: return {kMostForLines, false};
    case BlockMethod::kLinearSupportVectors: return {kMostForVectors, false};
    case BlockMethod::kRadialSupportVectors: return {kMostForVectors, true};
  }
  return {};
}

bool is_curved(const Candidate& candidate) { return candidate.is_polynomial || traits_of(candidate.method).is_curved; }

// The first of `rows`, which are in a random order, as many as a method is fitted to.
std::vector<size_t> used_rows(std::vector<size_t> rows, BlockMethod method) {
  rows.resize(std::min(rows.size(), most_executions(method)));
  return rows;
}

std::vector<size_t> shuffled(size_t n) {
  constexpr uint32_t kSeed = 1974;
  std::mt19937 random(kSeed);
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

MatrixXd terms_of(const BlockSamples& samples, const std::vector<size_t>& rows, const std::vector<BlockTerm>& terms) {
  MatrixXd x(static_cast<Index>(rows.size()), static_cast<Index>(terms.size()));
  for (Index i = 0; i < x.rows(); ++i) {
    const auto& row = samples.rows[rows[static_cast<size_t>(i)]];
    for (Index j = 0; j < x.cols(); ++j) x(i, j) = terms[static_cast<size_t>(j)].value(row);
  }
  return x;
}

VectorXd values_of(const BlockSamples& samples, const std::vector<size_t>& rows) {
  VectorXd y(static_cast<Index>(rows.size()));
  for (Index i = 0; i < y.size(); ++i) y[i] = samples.values[rows[static_cast<size_t>(i)]];
  return y;
}

// The correlation of the values with a column, from 0 to 1, to six digits.
double correlation(const VectorXd& column, const VectorXd& y) {
  const VectorXd x = column.array() - column.mean(), z = y.array() - y.mean();
  const double norms = x.norm() * z.norm();
  return norms > 0 ? std::round(std::abs(x.dot(z)) / norms * 1e6) / 1e6 : 0;
}

// Attributes up to a stage that tell something, by their number in the samples.
std::vector<size_t> telling_attributes(const BlockSamples& samples, const std::vector<size_t>& rows, int stage) {
  std::vector<size_t> all;
  for (size_t i = 0; i < samples.attributes.size(); ++i) {
    if (samples.stages.empty() || samples.stages[i] <= stage) all.push_back(i);
  }
  const VectorXd y = values_of(samples, rows);
  const MatrixXd x = terms_of(samples, rows, linear_terms(all));
  std::vector<std::pair<double, size_t>> closest;
  for (size_t i = 0; i < all.size(); ++i) closest.emplace_back(correlation(x.col(static_cast<Index>(i)), y), all[i]);
  std::ranges::stable_sort(closest, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (size_t i = 0; i < all.size(); ++i) all[i] = closest[i].second;
  std::vector<size_t> telling;
  for (const Index column : independent_columns(terms_of(samples, rows, linear_terms(all)), kTellsMore)) {
    telling.push_back(all[static_cast<size_t>(column)]);
  }
  std::ranges::sort(telling);
  return telling;
}

// The stages that samples have, in order.
std::vector<int> stages_of(const BlockSamples& samples) {
  if (samples.stages.empty()) return {0};
  const std::set<int> stages(samples.stages.begin(), samples.stages.end());
  return {stages.begin(), stages.end()};
}

// Powers and products of these attributes that tell something.
std::vector<BlockTerm> telling_terms(const BlockSamples& samples, const std::vector<size_t>& rows,
                                     const std::vector<size_t>& attributes) {
  const std::vector<BlockTerm> all = polynomial_terms(attributes);
  std::vector<BlockTerm> telling;
  for (const Index column : independent_columns(terms_of(samples, rows, all), kTermTellsMore)) {
    telling.push_back(all[static_cast<size_t>(column)]);
  }
  return telling;
}

BlockFunction linear_function(const std::vector<BlockTerm>& terms, const LinearFit& line) {
  BlockFunction function;
  function.stopped_early = line.stopped_early;
  function.intercept = line.intercept;
  for (size_t j = 0; j < terms.size(); ++j) {
    const double coefficient = line.coefficients[static_cast<Index>(j)];
    if (coefficient != 0) function.terms.push_back({terms[j], coefficient});
  }
  return function;
}

// In the samples' own attributes.
Result<BlockFunction> fit_rows(const BlockSamples& samples, const std::vector<size_t>& rows,
                               const Candidate& candidate) {
  const std::vector<size_t> telling = telling_attributes(samples, rows, candidate.stage);
  const std::vector<BlockTerm> terms =
      candidate.is_polynomial ? telling_terms(samples, rows, telling) : linear_terms(telling);
  const VectorXd y = values_of(samples, rows);
  BlockFunction mean;
  mean.intercept = y.mean();
  if (terms.empty()) return mean;
  const MatrixXd x = terms_of(samples, rows, terms);
  switch (candidate.method) {  // without default: the compiler asks for a new method
    case BlockMethod::kMean: return mean;
    case BlockMethod::kLinearRegression: return linear_function(terms, stepwise_regression(x, y));
    case BlockMethod::kLeastMedianOfSquares: return linear_function(terms, least_median_of_squares(x, y));
    case BlockMethod::kLinearSupportVectors: {
      const auto vectors = TRY(linear_support_vectors(x, y, candidate.vectors));
      return linear_function(terms, vectors);
    }
    case BlockMethod::kRadialSupportVectors: {
      auto radial = TRY(radial_support_vectors(x, y, candidate.vectors));
      BlockFunction function;
      function.stopped_early = radial.stopped_early;
      function.radial = std::move(radial);
      function.radial_columns = telling;
      return function;
    }
  }
  return mean;
}

std::vector<double> predictions(const BlockSamples& samples, const std::vector<size_t>& rows,
                                const BlockFunction& fitted) {
  std::vector<double> values;
  for (const size_t row : rows) values.push_back(fitted.value(samples.rows[row]));
  return values;
}

std::vector<double> actual_values(const BlockSamples& samples, const std::vector<size_t>& rows) {
  std::vector<double> values;
  for (const size_t row : rows) values.push_back(samples.values[row]);
  return values;
}

// The executions of some ranks, or some of all, which the others are to predict.
struct Division {
  std::vector<size_t> training, held_out;
  std::vector<size_t> folds;  // of each of training
};

// In an order that is random but always the same. Of several ranks, whole ones are held out and make the folds: models
// are for ranks that were not seen, and what they have in common with those that were (a quick or a slow moment of the
// machine, a place in the grid) must not count.
Division divided(const BlockSamples& samples) {
  Division division;
  const size_t n = samples.values.size();
  const std::vector<size_t> order = shuffled(n);
  std::vector<int> ranks = samples.ranks;
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.size() < kFewestRanks) {
    const auto two_thirds = static_cast<std::ptrdiff_t>(n - n / 3);
    division.training.assign(order.begin(), order.begin() + two_thirds);
    division.held_out.assign(order.begin() + two_thirds, order.end());
    for (size_t i = 0; i < division.training.size(); ++i) division.folds.push_back(i % kFolds);
    return division;
  }
  const std::vector<size_t> places = shuffled(ranks.size());
  for (const size_t row : order) {
    const auto found = std::lower_bound(ranks.begin(), ranks.end(), samples.ranks[row]);
    const size_t place = places[static_cast<size_t>(found - ranks.begin())];
    if (place >= ranks.size() - ranks.size() / 3) {
      division.held_out.push_back(row);
    } else {
      division.training.push_back(row);
      division.folds.push_back(place % kFolds);
    }
  }
  return division;
}

// By how much the sum of predictions differs, as a part of that of the actual values.
double error_of_sum(const std::vector<double>& predicted, const std::vector<double>& actual) {
  const double sum = std::accumulate(actual.begin(), actual.end(), 0.0);
  return sum > 0 ? std::accumulate(predicted.begin(), predicted.end(), 0.0) / sum - 1 : 0;
}

struct CrossValidation {
  std::optional<double> error;  // relative mean error
  double error_of_sum = 0;      // not negative
  // Methods are chosen by both, since those that care for most executions may miss what all take together.
  double both() const { return error.value_or(std::numeric_limits<double>::infinity()) + error_of_sum; }
};

Result<CrossValidation> cross_validation(const BlockSamples& samples, const Division& division,
                                         const Candidate& candidate) {
  const size_t used = std::min(division.training.size(), most_executions(candidate.method));
  std::vector<double> predicted, actual;
  for (size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<size_t> training, tested;
    for (size_t i = 0; i < used; ++i) (division.folds[i] == fold ? tested : training).push_back(division.training[i]);
    if (tested.empty() || training.empty()) continue;
    const auto fitted = TRY(fit_rows(samples, training, candidate));
    const auto values = predictions(samples, tested, fitted);
    predicted.insert(predicted.end(), values.begin(), values.end());
    const auto truth = actual_values(samples, tested);
    actual.insert(actual.end(), truth.begin(), truth.end());
  }
  return CrossValidation{relative_mean_error(predicted, actual), std::abs(error_of_sum(predicted, actual))};
}

struct Choice {
  Candidate candidate;
  CrossValidation validation;
};

// The first of those that are as good as the best one; of candidates that are curved, or of the others. Null: there is
// none.
const Choice* first_as_good(const std::vector<Choice>& tried, bool curved) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Choice& choice : tried) {
    if (is_curved(choice.candidate) == curved) smallest = std::min(smallest, choice.validation.both());
  }
  const auto found = std::ranges::find_if(tried, [&](const Choice& choice) {
    return is_curved(choice.candidate) == curved && choice.validation.both() <= kAsGood * smallest + kRoundingError;
  });
  return found == tried.end() ? nullptr : &*found;
}

Result<Choice> best_candidate(const BlockSamples& samples, const Division& division, const LearningOptions& options) {
  std::vector<Choice> tried;
  for (const int stage : stages_of(samples)) {
    for (Candidate candidate : kCandidates) {
      candidate.stage = stage;
      if (options.method && candidate.method != *options.method) continue;
      if (candidate.method == BlockMethod::kMean && !tried.empty()) continue;
      const auto validation = TRY(cross_validation(samples, division, candidate));
      tried.push_back({candidate, validation});
    }
  }
  const Choice *line = first_as_good(tried, false), *curve = first_as_good(tried, true);
  if (line == nullptr) return *curve;
  const bool is_clear =
      curve != nullptr && curve->validation.both() + kRoundingError <= kClearlyBetter * line->validation.both();
  return is_clear ? *curve : *line;
}

// The deviations from predictions, as parts of them, between which 90 % of further executions lie; see the header.
// What was predicted to take no time deviates by nothing or beyond all bounds.
std::optional<BlockInterval> deviations(const std::vector<double>& predicted, const std::vector<double>& actual) {
  constexpr size_t kBeyondEach = 20;  // of so many, one on each side
  std::vector<double> relative;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double unbounded = actual[i] > 0 ? std::numeric_limits<double>::infinity() : 0;
    relative.push_back(predicted[i] > 0 ? actual[i] / predicted[i] - 1 : unbounded);
  }
  const size_t beyond = (relative.size() + 1) / kBeyondEach;
  if (beyond == 0) return std::nullopt;
  std::ranges::sort(relative);
  const double low = relative[beyond - 1], high = relative[relative.size() - beyond];
  if (!std::isfinite(high)) return std::nullopt;
  return BlockInterval{std::min(0.0, low), std::max(0.0, high)};
}

// The attributes that a function uses, in order.
std::vector<size_t> used_attributes(const BlockFunction& function) {
  std::set<size_t> used(function.radial_columns.begin(), function.radial_columns.end());
  for (const auto& [term, coefficient] : function.terms) {
    for (const auto& factor : term.factors) used.insert(factor.first);
  }
  return {used.begin(), used.end()};
}

// Gives the model a function that was fitted to these rows, with the attributes that it uses and what they did there;
// the function then numbers these.
void describe(BlockModel& model, const BlockSamples& samples, const std::vector<size_t>& rows, BlockFunction function) {
  const std::vector<size_t> used = used_attributes(function);
  std::vector<double> means(samples.attributes.size());
  for (const size_t row : rows) {
    for (size_t j = 0; j < means.size(); ++j) means[j] += samples.rows[row][j] / static_cast<double>(rows.size());
  }
  for (const size_t attribute : used) {
    const auto less = [&](size_t a, size_t b) { return samples.rows[a][attribute] < samples.rows[b][attribute]; };
    const auto [least, most] = std::minmax_element(rows.begin(), rows.end(), less);
    std::vector<double> at_least = means, at_most = means;
    at_least[attribute] = samples.rows[*least][attribute];
    at_most[attribute] = samples.rows[*most][attribute];
    const double effect = model.mean > 0 ? (function.value(at_most) - function.value(at_least)) / model.mean : 0;
    model.attributes.push_back({samples.attributes[attribute], at_least[attribute], at_most[attribute], effect});
  }
  const auto renumber = [&used](size_t& attribute) {
    attribute = static_cast<size_t>(std::lower_bound(used.begin(), used.end(), attribute) - used.begin());
  };
  for (size_t& column : function.radial_columns) renumber(column);
  for (auto& weighted : function.terms) {
    for (auto& factor : weighted.term.factors) renumber(factor.first);
  }
  model.fitted_executions = rows.size();
  model.function = std::move(function);
}

Error wrong_samples(const BlockSamples& samples, const std::string& what, const std::string& hint) {
  return {ErrorCode::kInput, "block " + samples.name + " " + what, hint, samples.name};
}

}  // namespace

size_t most_executions(BlockMethod method) { return traits_of(method).most_executions; }

Result<BlockModel> learn_block(const BlockSamples& samples, const LearningOptions& options) {
  const size_t n = samples.values.size();
  if (n < kFewestExecutions) {
    return wrong_samples(samples,
                         "was executed " + std::to_string(n) + " times, and at least " +
                             std::to_string(kFewestExecutions) + " are needed",
                         "learn from more ranks or iterations");
  }
  for (const double value : samples.values) {
    if (value >= 0 && std::isfinite(value)) continue;
    return wrong_samples(samples,
                         "has an execution of " + core::to_text(value) + ", which is neither a time nor a count",
                         "the trace, or the replay, was damaged: record it again");
  }
  const Division division = divided(samples);
  const auto choice = TRY(best_candidate(samples, division, options));
  const Candidate& candidate = choice.candidate;
  const auto of_two_thirds = TRY(fit_rows(samples, used_rows(division.training, candidate.method), candidate));
  const std::vector<size_t> rows = used_rows(shuffled(n), candidate.method);
  auto of_all = TRY(fit_rows(samples, rows, candidate));

  BlockModel model;
  model.name = samples.name;
  model.method = candidate.method;
  model.executions = n;
  const double sum = std::accumulate(samples.values.begin(), samples.values.end(), 0.0);
  model.mean = sum / static_cast<double>(n);
  model.share = samples.total_of_program > 0 ? sum / samples.total_of_program : 0;
  model.cross_validation_error = choice.validation.error;
  const auto predicted = predictions(samples, division.held_out, of_two_thirds);
  const auto actual = actual_values(samples, division.held_out);
  model.held_out_error = relative_mean_error(predicted, actual);
  model.held_out_error_of_sum = error_of_sum(predicted, actual);
  model.deviations = deviations(predicted, actual);
  describe(model, samples, rows, std::move(of_all));
  return model;
}

}  // namespace scalediag::fit
