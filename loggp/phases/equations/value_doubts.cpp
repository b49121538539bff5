#include "loggp/phases/equations/value_doubts.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace scalediag::loggp {

std::string what_others_give(const ValueChoice::Decision& decision, int target) {
  const std::vector<double> ours = values_at(*decision.taken, target), theirs = values_at(*decision.other, target);
  const auto differ = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
  const auto whole_text = [](double value) { return std::to_string(std::llround(value)); };
  std::string text = decision.taken->formula() + " is taken";
  if (decision.met > 0) text += ", which holds for " + std::to_string(decision.met) + " other quantities too";
  if (decision.with_layers > 0) {
    text += ", a face as " + std::to_string(decision.with_layers) + " messages along its side are";
  }
  text += "; " + decision.other->formula();
  if (decision.n_others > 1) text += ", like " + std::to_string(decision.n_others - 1) + " others,";
  text += " meets the measured scales as well";
  // One of the two may change from round to round, and has more values then.
  if (differ.first == ours.end() || differ.second == theirs.end()) return text;
  text += " and is " + whole_text(*differ.second) + " instead of " + whole_text(*differ.first) + " on " +
          std::to_string(target) + " ranks";
  if (decision.n_others > 1) {
    text += "; all of them give " + whole_text(decision.least) + " to " + whole_text(decision.most);
  }
  return text;
}

std::string unconfirmed(const ValueHypothesis& taken, const std::vector<ValueSample>& samples) {
  std::set<double> different;
  for (const ValueSample& sample : samples) different.insert(sample.value);
  const size_t n = taken.free_coefficients();
  if (taken.is_constant() || n < different.size()) return "";
  return taken.formula() + " is taken; it has " + std::to_string(n) + " coefficients for " +
         std::to_string(different.size()) + " different values, so that nothing confirms it";
}

std::string empty_at(int target, const ValueHypothesis& taken, const std::vector<ValueSample>& samples, bool is_bytes) {
  constexpr int kMostTried = 64;
  // The largest element of 1, 2, 4 or 8 bytes that all samples are multiples of.
  int element = is_bytes ? 8 : 1;
  for (const ValueSample& sample : samples) {
    while (element > 1 && std::fmod(sample.value, element) != 0) element /= 2;
  }
  const double least = element - 1e-6;
  if (std::any_of(samples.begin(), samples.end(), [&](const ValueSample& s) { return s.value < least; })) return "";
  // From the last rank on: the first ones have what cannot be divided evenly.
  const int tried = std::min(target, kMostTried);
  for (int i = tried; i > 0; --i) {
    const int rank = static_cast<int>(static_cast<int64_t>(i) * target / tried) - 1;
    const double value = taken.at(target, rank);
    if (value >= least) continue;
    return taken.formula() + " is " + (value == 0 ? "0" : "less than " + std::to_string(element)) + " on rank " +
           std::to_string(rank) + " of " + std::to_string(target) + " and " + std::to_string(element) +
           " or more wherever it was measured; where there are more ranks than elements to divide, the program may " +
           "refuse to run";
  }
  return "";
}

}  // namespace scalediag::loggp
