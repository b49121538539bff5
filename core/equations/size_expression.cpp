#include "core/equations/size_expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace scalediag::core {
namespace {

bool is_parameter(const std::string& word) {
  return !word.empty() && std::isalpha(static_cast<unsigned char>(word.front())) != 0 &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// Nothing: it is no finite number.
std::optional<double> number_of(const std::string& word) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  const bool is_whole = !word.empty() && std::isspace(static_cast<unsigned char>(word.front())) == 0 && *end == '\0';
  return is_whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<std::string> SizeExpression::parameters() const {
  std::vector<std::string> names;
  for (const Factor& factor : factors) {
    if (!factor.parameter.empty() && std::count(names.begin(), names.end(), factor.parameter) == 0) {
      names.push_back(factor.parameter);
    }
  }
  return names;
}

double SizeExpression::value(const std::map<std::string, double>& values) const {
  double product = 1;
  for (const Factor& factor : factors) {
    product *= factor.parameter.empty() ? factor.number : std::pow(values.at(factor.parameter), factor.number);
  }
  return product;
}

Result<SizeExpression> parse_size_expression(const std::string& text) {
  const auto wrong = [&text](const std::string& what) {
    return Error{ErrorCode::kUsage, "--size " + text + ": " + what,
                 "a product of numbers and powers of parameters, as in --size cells=n^2 or cells=nx*ny*nz", "--size"};
  };
  SizeExpression made;
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return wrong("expected NAME=EXPRESSION");
  made.name = text.substr(0, equals);
  if (!is_parameter(made.name)) return wrong("'" + made.name + "' is no name");
  for (size_t begin = equals + 1; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of("*/", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const double sign = text[begin - 1] == '/' ? -1 : 1;
    const size_t power = word.find('^');
    const std::string base = word.substr(0, power);
    const auto exponent = power == std::string::npos ? std::optional(1.0) : number_of(word.substr(power + 1));
    const auto number = number_of(base);
    if (!exponent) return wrong("'" + word + "' has no power");
    if (is_parameter(base)) {
      made.factors.push_back({base, sign * *exponent});
    } else if (number && *number > 0) {
      made.factors.push_back({"", std::pow(*number, sign * *exponent)});
    } else {
      return wrong("'" + word + "' is neither a number above 0 nor a parameter");
    }
    begin = end + 1;
  }
  return made;
}

}  // namespace scalediag::core
