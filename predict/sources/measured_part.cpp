#include "predict/sources/measured_part.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "fit/application/ended_error.h"
#include "fit/application/interval_sum.h"
#include "fit/numerics/student_t.h"

namespace scalediag::predict {

std::optional<fit::Estimate> measured_part(const fit::ApplicationData& data, const std::string& total,
                                           const std::vector<double>& at, const fit::Estimate& by_model) {
  const auto series = data.totals.find(total);
  if (series == data.totals.end()) return std::nullopt;
  std::vector<double> values;
  for (const fit::Observation& o : series->second.observations) {
    if (o.at == at) values.insert(values.end(), o.values.begin(), o.values.end());
  }
  if (values.empty()) return std::nullopt;
  const double mean = core::mean(values);
  const double level = by_model.level, ended = fit::ended_error(data);
  if (values.size() == 1) {
    if (!(by_model.value > 0)) return fit::Estimate{mean, mean, mean, level};
    const fit::Estimate one = fit::times(by_model, mean / by_model.value);
    return fit::widened({mean, std::max(one.low, mean / 2), std::min(one.high, 2 * mean), level}, ended);
  }
  const double n = static_cast<double>(values.size());
  const double half = core::standard_deviation(values) / std::sqrt(n) * fit::student_t_quantile(0.5 + level / 2, n - 1);
  return fit::widened({mean, mean > 0 ? mean / (1 + half / mean) : mean, mean + half, level}, ended);
}

bool is_measured(const fit::ApplicationData& data, const std::vector<double>& at) {
  return data.has_totals() && std::any_of(data.configurations.begin(), data.configurations.end(),
                                          [&](const fit::ConfigurationPoint& c) { return c.at == at; });
}

}  // namespace scalediag::predict
