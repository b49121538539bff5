#include "core/text/suggestion.h"

#include <algorithm>

namespace scalediag::core {
namespace {

// For longer texts nothing is suggested: names of functions may have thousands of characters, and there are thousands
// of them.
constexpr size_t kLongest = 256;
constexpr size_t kSuggested = 3;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      const bool exchanged = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (exchanged) now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::vector<std::string> closest(std::string_view text, std::span<const std::string> candidates) {
  const size_t allowed = std::max<size_t>(2, text.size() / 3);
  size_t best = allowed + 1;
  std::vector<std::string> nearest;
  if (text.size() > kLongest) return nearest;
  for (const std::string& candidate : candidates) {
    const size_t longer = std::max(candidate.size(), text.size()), shorter = std::min(candidate.size(), text.size());
    if (longer - shorter > std::min(allowed, best)) continue;
    const size_t distance = edit_distance(text, candidate);
    // A short name of which every character was replaced is another name.
    if (distance > allowed || distance > best || distance >= longer) continue;
    if (distance < best) nearest.clear();
    best = distance;
    if (std::find(nearest.begin(), nearest.end(), candidate) == nearest.end()) nearest.push_back(candidate);
  }
  return nearest;
}

std::string did_you_mean(std::string_view text, std::span<const std::string> candidates) {
  const std::vector<std::string> names = closest(text, candidates);
  const size_t n = std::min(kSuggested, names.size());
  std::string question;
  for (size_t i = 0; i < n; ++i) {
    question += (i == 0 ? "did you mean '" : i + 1 == n ? " or '" : ", '") + names[i] + "'";
  }
  return question.empty() ? question : question + "?";
}

}  // namespace scalediag::core
