#include "cli/number_checks.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/most_ranks.h"
#include "core/text/numbers.h"
#include "fit/data/tables/cell_text.h"

namespace scalediag::cli {
namespace {

CLI::Validator number_that(const std::function<bool(double)>& is_right, const std::string& what,
                           const std::string& name) {
  return {[is_right, what](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool is_number = !text.empty() && *end == 0 && std::isfinite(value);
            return is_number && is_right(value) ? std::string() : "expected " + what + ", not " + text;
          },
          name, "scalediag " + name};
}

}  // namespace

CLI::Validator positive_number() {
  return number_that([](double value) { return value > 0; }, "a number above 0", "POSITIVE");
}

CLI::Validator number_not_negative() {
  return number_that([](double value) { return value >= 0; }, "a number of 0 or more", "NOT NEGATIVE");
}

CLI::Validator number_between(double low, double high) {
  const std::string ends = core::to_text(low) + " to " + core::to_text(high);
  return number_that([low, high](double value) { return value >= low && value <= high; }, "a number from " + ends,
                     "from " + ends);
}

CLI::Validator percent_as_share() {
  return {[](std::string& text) {
            char* end = nullptr;
            const double percent = std::strtod(text.c_str(), &end);
            if (end != text.c_str() && std::string_view(end) == "%") text = core::to_text(percent / 100);
            return std::string();
          },
          "", "scalediag percent"};
}

CLI::Validator time_as_seconds() {
  return {[](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const std::optional<double> seconds = fit::seconds_per(fit::plain_cell(end));
            const double all_s = value * seconds.value_or(1);
            if (!seconds || !(all_s >= 0) || !std::isfinite(all_s))
              return "expected a time such as 90s, 10min or 1h, not " + text;
            text = core::to_text(all_s);
            return std::string();
          },
          "", "scalediag time"};
}

CLI::Validator number_of_ranks() {
  const auto is_right = [](double value) {
    return value >= 1 && value <= core::kMostRanks && value == std::floor(value);
  };
  return number_that(is_right, "a number of ranks from 1 to " + std::to_string(core::kMostRanks), "RANKS");
}

}  // namespace scalediag::cli
