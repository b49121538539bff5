#include "fit/application/communication_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/mpi_routines.h"
#include "core/text/numbers.h"
#include "fit/numerics/nonnegative_fit.h"
#include "fit/numerics/normal_quantile.h"

namespace scalediag::fit {
namespace {

// Columns of an operation's form: one a coefficient.
std::vector<double> columns_of(const OperationLoad& load) {
  if (mpi::is_collective(load.operation)) {
    return {load.calls * std::log2(std::max(load.processes, 1.0)), load.bytes, load.calls};
  }
  return {load.bytes, load.calls};
}

class PaperForms : public CommunicationCost {
 public:
  explicit PaperForms(std::map<std::string, PaperForm> forms) : forms_(std::move(forms)) {}

  bool knows(const std::string& operation) const override { return forms_.count(operation) != 0; }

  std::optional<double> time_s(const OperationLoad& load) const override {
    const auto form = forms_.find(load.operation);
    if (form == forms_.end()) return std::nullopt;
    const std::vector<double> columns = columns_of(load);
    double sum = 0;
    for (size_t i = 0; i < columns.size(); ++i) sum += form->second.coefficients[i] * columns[i];
    return sum;
  }

  double relative_error(const std::string& operation) const override {
    const auto form = forms_.find(operation);
    return form == forms_.end() ? 0 : form->second.relative_error;
  }

  std::string formula(const std::string& operation) const override {
    const auto form = forms_.find(operation);
    if (form == forms_.end()) return "";
    const std::vector<double>& c = form->second.coefficients;
    std::string text;
    const auto add = [&text](double coefficient, const char* factor) {
      if (coefficient == 0) return;
      text += (text.empty() ? "" : " + ") + core::four_digits(coefficient) + " " + factor;
    };
    if (form->second.collective) {
      add(c[0], "calls log2(P)");
      add(c[1], "bytes");
      add(c[2], "calls");
    } else {
      add(c[0], "bytes");
      add(c[1], "calls");
    }
    return text.empty() ? "0" : text;
  }

  std::string description() const override {
    return "point-to-point a s + b and collectives a log2 P + b s + c, fitted";
  }

 private:
  std::map<std::string, PaperForm> forms_;
};

// With few points a form fits well by chance: deviations are corrected for the number of coefficients.
double relative_error_of(const NonnegativeFit& fit, size_t rows) {
  size_t used = 0;
  for (const double c : fit.coefficients) used += c > 0 ? 1 : 0;
  const double freedom = rows > used ? static_cast<double>(rows - used) : 0.5;
  return kNormal90 * fit.rms_deviation * std::sqrt(static_cast<double>(rows) / freedom);
}

}  // namespace

Transfer transfer_of_call(const std::string& operation, double processes, double bytes) {
  if (!mpi::is_collective(operation)) return {1, bytes};
  const double others = std::max(0.0, processes - 1);
  const double levels = std::max(1.0, std::log2(others + 1));
  if (mpi::is(operation, mpi::Collective::kAlltoall))
    return {std::max(1.0, others), bytes * others / std::max(1.0, processes)};
  if (mpi::is(operation, mpi::Collective::kAllgather)) return {levels, bytes * others};
  return {levels, bytes * levels};
}

RelativeCost relative_cost(const Transfer& transfer, const Transfer& known) {
  const double messages = transfer.messages / known.messages;
  const auto is_short = [](const Transfer& t) { return t.bytes <= kShortMessage * t.messages; };
  if (is_short(transfer) && is_short(known)) return {messages, messages};
  if (known.bytes > 0) {
    const double bytes = transfer.bytes / known.bytes;
    return {std::min(messages, bytes), std::max(messages, bytes)};
  }
  return {messages, transfer.bytes > 0 ? std::numeric_limits<double>::infinity() : messages};
}

double most_time(std::span<const MeasuredCost> known, const OperationLoad& load, double growth) {
  double most = 0;
  for (const MeasuredCost& cost : known) {
    if (!(cost.time_s > 0)) continue;
    const double more = relative_cost({load.calls, load.bytes}, {cost.load.calls, cost.load.bytes}).most;
    most = std::max(most, kMostGrowth * growth * more * cost.time_s);
  }
  return most > 0 ? most : std::numeric_limits<double>::infinity();
}

double least_time(std::span<const FastestCall> fastest, const OperationLoad& load) {
  if (!(load.calls > 0)) return 0;
  const Transfer call = transfer_of_call(load.operation, load.processes, load.bytes / load.calls);
  double least = 0;
  for (const FastestCall& known : fastest) {
    least = std::max(least, known.time_s * relative_cost(call, known.transfer).least);
  }
  return load.calls * least;
}

std::map<std::string, PaperForm> paper_forms(std::span<const MeasuredCost> measured) {
  std::map<std::string, std::vector<const MeasuredCost*>> by_operation;
  for (const MeasuredCost& m : measured) by_operation[m.load.operation].push_back(&m);

  std::map<std::string, PaperForm> forms;
  for (const auto& [operation, rows] : by_operation) {
    std::vector<std::vector<double>> columns;
    std::vector<double> times;
    for (const MeasuredCost* row : rows) {
      const std::vector<double> values = columns_of(row->load);
      columns.resize(values.size());
      for (size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
      times.push_back(row->time_s);
    }
    PaperForm form{mpi::is_collective(operation), std::vector<double>(columns.size(), 0.0), 0, 0};
    if (const auto fitted = fit_nonnegative(columns, times)) {
      form.coefficients = fitted->coefficients;
      form.points = static_cast<size_t>(std::count_if(times.begin(), times.end(), [](double t) { return t > 0; }));
      form.relative_error = relative_error_of(*fitted, form.points);
    }
    forms.emplace(operation, std::move(form));
  }
  return forms;
}

std::unique_ptr<CommunicationCost> fit_paper_forms(std::span<const MeasuredCost> measured) {
  return std::make_unique<PaperForms>(paper_forms(measured));
}

}  // namespace scalediag::fit
