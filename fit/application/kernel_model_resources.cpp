// The use of the machine by a kernel at a configuration: the parts of the method "resources", and metrics that follow
// from models of others.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/profile/metric_names.h"
#include "core/text/join.h"
#include "core/text/numbers.h"
#include "fit/application/interval_sum.h"
#include "fit/application/kernel_model.h"

namespace scalediag::fit {
namespace {

constexpr const char* kMemoryTimes[] = {"t_mem_l1_s", "t_mem_l2_s", "t_mem_llc_s", "t_mem_memory_s"};

// The estimate of a factor without a trend: its steady level, with an interval that holds what its own model says as
// well.
Estimate steadied(const Model& model, const std::optional<double>& steady, std::span<const double> at) {
  Estimate e = model.evaluate(at);
  if (steady) e = {*steady, std::min(e.low, *steady), std::max(e.high, *steady), e.level};
  return e;
}

// There is no part of a call. The interval keeps its ends, but for errors of rounding.
Estimate whole_numbers(const Estimate& e) {
  const double tiny = 1e-9 * e.high;
  return {std::round(e.value), std::floor(e.low + tiny), std::ceil(e.high - tiny), e.level};
}

Estimate inverse(const Estimate& e) {
  // A lower bound of 0 counts as one millionth of the value, as in products.
  return {1 / e.value, 1 / e.high, 1 / std::max(e.low, 1e-6 * e.value), e.level};
}

// The share part / (part + rest) of two independent estimates.
Estimate share_of(const Estimate& part, const Estimate& rest) {
  const auto share = [](double a, double b) { return a + b > 0 ? a / (a + b) : 0; };
  if (part.value <= 0 || rest.value <= 0) {
    return {share(part.value, rest.value), share(part.low, rest.high), share(part.high, rest.low), part.level};
  }
  const Estimate odds = product_of(std::array{part, inverse(rest)}, part.level);
  return {share(odds.value, 1), share(odds.low, 1), share(odds.high, 1), part.level};
}

}  // namespace

void KernelModel::find_memory_levels() {
  memory_by_level_ = false;
  for (const char* name : kMemoryTimes) {
    const Series* series = data_->find(name);
    if (series == nullptr || is_zero_everywhere(*series)) continue;
    memory_by_level_ = model(name) != nullptr;
    if (!memory_by_level_) return;
  }
}

std::vector<const Model*> KernelModel::memory_levels() const {
  if (!memory_by_level_) return {model(metric::kMemory)};
  std::vector<const Model*> levels;
  for (const char* name : kMemoryTimes) {
    if (const Model* level = model(name)) levels.push_back(level);
  }
  return levels;
}

double KernelModel::memory_value(std::span<const double> at) const {
  double sum = 0;
  for (const Model* level : memory_levels()) sum += level->value(at);
  return sum;
}

Estimate KernelModel::memory(std::span<const double> at) const {
  std::vector<Estimate> parts;
  for (const Model* level : memory_levels()) parts.push_back(level->evaluate(at));
  return sum_of(parts, parts.front().level);
}

Estimate KernelModel::computing(std::span<const double> at) const {
  const Estimate instructions = model(metric::kInstructions)->evaluate(at);
  return product_of(std::array{instructions, steadied(*seconds_per_instruction_, steady_seconds_per_instruction_, at)},
                    instructions.level);
}

Estimate KernelModel::blocking_memory(std::span<const double> at) const {
  return steadied(*model(metric::kMemoryBlocking), steady_blocking_, at);
}

bool KernelModel::knows_computing() const {
  return has(Method::kResources) && data_->find(metric::kComputing) != nullptr &&
         data_->find(metric::kMemoryBlocking) != nullptr && data_->find(metric::kMemory) != nullptr;
}

std::optional<MetricModel> KernelModel::own_model(const std::string& name) const {
  if (name == metric::kCalls || name == metric::kBytes) {
    const CountModel* counts = name == metric::kCalls ? calls() : bytes();
    if (counts == nullptr) return std::nullopt;
    const bool whole = name == metric::kCalls;
    return MetricModel{[counts, whole](std::span<const double> at) {
                         const Estimate e = counts->evaluate(at);
                         return whole ? whole_numbers(e) : e;
                       },
                       counts->formula(), counts->value_of_formula()};
  }
  if (const Model* own = model(name)) {
    return MetricModel{[own](std::span<const double> at) { return own->evaluate(at); }, own->formula(),
                       own->value_of_formula()};
  }
  const Series* series = data_->find(name);
  if (series == nullptr || series->observations.size() < kScalesForTrend) return std::nullopt;
  if (!is_zero_everywhere(*series)) return std::nullopt;
  return MetricModel{[](std::span<const double>) { return Estimate{0, 0, 0}; }, "0", {}};
}

std::optional<MetricModel> KernelModel::quotient(const std::string& dividend, const std::string& divisor) const {
  const auto above = metric_model(dividend), below = metric_model(divisor);
  if (!above || !below) return std::nullopt;
  const auto evaluate = [a = above->evaluate, b = below->evaluate](std::span<const double> at) {
    const Estimate denominator = b(at);
    if (denominator.value <= 0) return Estimate{0, 0, 0, denominator.level};
    return product_of(std::array{a(at), inverse(denominator)}, denominator.level);
  };
  return MetricModel{evaluate, dividend + " / " + divisor, {}};
}

// The hits of a level over the accesses that reach it, or the misses of the last level over all accesses; as in
// collector/counters/resource_metrics.h.
std::optional<MetricModel> KernelModel::hit_ratio(const std::string& name) const {
  constexpr std::pair<const char*, const char*> kRatios[] = {
      {"l1_hits", "l1_hit_ratio"}, {"l2_hits", "l2_hit_ratio"}, {"llc_hits", "llc_hit_ratio"}};
  const bool of_misses = name == "llc_miss_ratio";
  if (data_->find("memory_accesses") == nullptr || (of_misses && data_->find("l1_hits") == nullptr))
    return std::nullopt;
  std::string hits = of_misses ? "memory_accesses" : "", all;
  std::vector<std::function<Estimate(std::span<const double>)>> rest;
  std::function<Estimate(std::span<const double>)> part;
  bool reached = of_misses;
  const auto add = [&](const char* count) {
    const auto counted = own_model(count);
    if (!counted) return false;
    all += (all.empty() ? "" : " + ") + std::string(count);
    (hits == count ? part : rest.emplace_back()) = counted->evaluate;
    return true;
  };
  for (const auto& [count, ratio] : kRatios) {
    if (name == ratio) hits = count;
    reached = reached || name == ratio;
    if (reached && data_->find(count) != nullptr && !add(count)) return std::nullopt;
  }
  if (!reached || !add("memory_accesses") || !part) return std::nullopt;
  const auto evaluate = [part, rest](std::span<const double> at) {
    std::vector<Estimate> others;
    for (const auto& other : rest) others.push_back(other(at));
    const Estimate of_level = part(at);
    return share_of(of_level, sum_of(others, of_level.level));
  };
  return MetricModel{evaluate, hits + " / (" + all + ")", {}};
}

std::optional<MetricModel> KernelModel::composed_model(const std::string& name) const {
  if (name == metric::kMemory && model(metric::kMemory) != nullptr && memory_by_level_) {
    return MetricModel{[this](std::span<const double> at) { return memory(at); },
                       core::join(memory_levels(), " + ", [](const Model* level) { return level->metric(); }),
                       {}};
  }
  if (name == metric::kMemoryBlocking && model(metric::kMemoryBlocking) != nullptr && steady_blocking_) {
    return MetricModel{
        [this](std::span<const double> at) { return blocking_memory(at); }, core::four_digits(*steady_blocking_), {}};
  }
  if (name == metric::kStalled && has_blocking()) {
    return MetricModel{[this](std::span<const double> at) {
                         const Estimate memory_s = memory(at);
                         return product_of(std::array{blocking_memory(at), memory_s}, memory_s.level);
                       },
                       "bf_mem x t_mem_s",
                       {}};
  }
  if (name == metric::kComputing && knows_computing()) {
    return MetricModel{[this](std::span<const double> at) { return computing(at); },
                       model("hz") != nullptr ? "instructions x cpi / hz" : "instructions x " + cost_formula(),
                       {}};
  }
  if (name == "cpi" && knows_computing() && model("hz") != nullptr) {
    return MetricModel{
        [this](std::span<const double> at) {
          const Estimate hz = model("hz")->evaluate(at);
          const Estimate seconds = steadied(*seconds_per_instruction_, steady_seconds_per_instruction_, at);
          return product_of(std::array{seconds, hz}, hz.level);
        },
        cost_formula() + " x hz",
        steady_seconds_per_instruction_ ? ValueOfFormula{} : seconds_per_instruction_->value_of_formula()};
  }
  if (name == "bf_mem_high") return quotient("t_stall_high_s", "t_mem_s");
  if (name == "flops_per_byte") return quotient("flops", "memory_bytes");
  return hit_ratio(name);
}

std::string KernelModel::cost_formula() const {
  return steady_seconds_per_instruction_ ? core::four_digits(*steady_seconds_per_instruction_)
                                         : "(" + seconds_per_instruction_->formula() + ")";
}

std::optional<MetricModel> KernelModel::metric_model(const std::string& name) const {
  if (data_->kind != KernelKind::kMpi && data_->find(name) != nullptr) {
    if (auto composed = composed_model(name)) return composed;
  }
  return own_model(name);
}

std::optional<Estimate> KernelModel::metric(const std::string& name, std::span<const double> at) const {
  const auto known = metric_model(name);
  return known ? std::optional(known->evaluate(at)) : std::nullopt;
}

}  // namespace scalediag::fit
