#include "report/rules/rule.h"

#include <array>

#include "core/profile/metric_names.h"
#include "core/text/printable.h"
#include "core/text/shortening.h"

namespace scalediag::report {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::array<std::pair<const char*, const char*>, 12> kExamples = {{
    {"run(np=512)<120s", "between MPI_Init and MPI_Finalize; also computation, gpu, communication, waiting"},
    {"total(np=512)<150s", "with start and end, which alone are others"},
    {"efficiency(np=256)>=80%", "speed-up over the smallest measured scale, over how many times as many processes"},
    {"speedup(np=64)>30", "over the smallest measured scale"},
    {"kernel('halo').time(np=1024)<2s", "of a function or MPI operation, a rank in the mean"},
    {"kernel('halo').rank(np=1024)>3", "1 is the kernel that takes most time"},
    {"kernel('solve').share(np=64)<0.5", "of the run"},
    {"kernel('MPI_Send').metric('bytes', np=64)<2GB", "calls and bytes of all ranks, instructions of one"},
    {"growth(kernel('setup'))<=0.1", "d log time / d log processes: -1 scales ideally, 0 stays as it is"},
    {"growth(communication, np=256)<0.5", "up to that scale; without it, to four times the largest measured one"},
    {"time(kernel=*)<history+5%", "no kernel took longer than in --history, by 5 % and the noise there"},
    {"scales(kernel('solve'))", "predict does not say that it stops scaling"},
}};

}  // namespace

const char* text_of(Relation comparison) {
  switch (comparison) {
    case Relation::kLess:
      return "<";
    case Relation::kLessOrEqual:
      return "<=";
    case Relation::kGreater:
      return ">";
    case Relation::kGreaterOrEqual:
      break;
  }
  return ">=";
}

Dimension dimension_of(const Rule& rule) {
  switch (rule.quantity) {
    case Quantity::kTotal:
    case Quantity::kRun:
    case Quantity::kComputation:
    case Quantity::kGpu:
    case Quantity::kCommunication:
    case Quantity::kWaiting:
    case Quantity::kOthers:
    case Quantity::kKernelTime:
      return Dimension::kTime;
    case Quantity::kEfficiency:
    case Quantity::kKernelShare:
      return Dimension::kRatio;
    case Quantity::kKernelMetric:
      if (rule.metric == metric::kBytes) return Dimension::kBytes;
      return rule.metric.ends_with("_s") ? Dimension::kTime : Dimension::kNumber;
    case Quantity::kSpeedup:
    case Quantity::kKernelRank:
    case Quantity::kGrowth:
    case Quantity::kScales:
      break;
  }
  return Dimension::kNumber;
}

Error rule_error(const Rule& rule, size_t column, const std::string& what, const std::string& hint) {
  // A rule is text of unknown origin: its control characters must not reach the terminal.
  const std::string place = rule.where.empty() ? "" : rule.where + ": ";
  return {ErrorCode::kUsage,
          core::printable(place + "rule \"" + rule.text + "\", column " + std::to_string(column) + ": " + what),
          core::printable(hint), ""};
}

std::span<const std::pair<const char*, const char*>> rule_examples() { return kExamples; }

}  // namespace scalediag::report
