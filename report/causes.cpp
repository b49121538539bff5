#include "report/causes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "core/mpi_operations.h"
#include "core/statistics.h"
#include "report/scaling_verdict.h"

namespace scalediag::report {
namespace {

using fit::ApplicationModel;
using fit::KernelKind;
using fit::KernelModel;

// Almost all of a kernel's time on one rank.
constexpr double kSerialShare = 0.9;
// How much slower the slowest rank falls than the mean before imbalance is the reason.
constexpr double kImbalanceExponent = 0.2;
// Time per rank that falls slower than this stays: a doubling of the processes brings 7 % at most.
constexpr double kRepeatedWork = -0.1;
// Accesses whose latencies add up to less of a kernel's time are not what it stalls for.
constexpr double kLittleMemory = 0.01;
// Bytes per rank that fall slower than this stay, for what a network cares.
constexpr double kVolumeExponent = -0.25;
// Messages per rank that grow no faster than P^0.1 are as many; where calls grow faster than P^0.5 they, and not their
// bytes, are what grows.
constexpr double kMoreMessages = 0.1;
constexpr double kFewMoreMessages = 0.5;
// Below it a message's time is latency on any network.
constexpr double kShortMessage = 512;

std::string with_exponent(double exponent) {
  char text[32];
  std::snprintf(text, sizeof text, "P^%.2f", std::abs(exponent) < 0.005 ? 0.0 : exponent);
  return text;
}

// One metric over the number of processes, the other parameters as at the target.
class AlongProcesses {
 public:
  AlongProcesses(std::span<const double> target) : at_(target.begin(), target.end()) {}

  double exponent(const std::function<double(std::span<const double>)>& value) const {
    std::vector<double> at = at_;
    return exponent_between(
        [&](double processes) {
          at.front() = processes;
          return value(at);
        },
        at_.front() / 2, at_.front());
  }
  const std::vector<double>& target() const { return at_; }
  double exponent(const fit::Model& model) const {
    return exponent([&model](std::span<const double> at) { return model.value(at); });
  }

 private:
  std::vector<double> at_;
};

// The smallest value at any measured configuration of several ranks.
double smallest_measured(const fit::Series* series, double otherwise) {
  if (series == nullptr) return otherwise;
  double smallest = otherwise;
  bool any = false;
  for (const fit::Observation& o : series->observations) {
    if (o.at.front() < 2) continue;
    const double value = core::mean(o.values);
    smallest = any ? std::min(smallest, value) : value;
    any = true;
  }
  return smallest;
}

bool is_serial(const KernelModel& kernel) {
  return smallest_measured(kernel.data().find("concentration"), 0) >= kSerialShare;
}

Cause function_cause(const KernelModel& kernel, std::span<const double> target, Scaling scaling) {
  if (is_serial(kernel)) return {kSerial, "one rank does it while the others wait"};

  const AlongProcesses along(target);
  const double limit = scaling == Scaling::kWeak ? kWeakLimit : kStrongLimit;
  const double mean = along.exponent([&](std::span<const double> at) { return kernel.time_value(at); });
  const double slowest = along.exponent([&](std::span<const double> at) { return kernel.critical_value(at); });
  if (slowest - mean > kImbalanceExponent) {
    return {kImbalance,
            "the slowest rank's time goes as " + with_exponent(slowest) + ", the mean as " + with_exponent(mean)};
  }
  const fit::Model* instructions = kernel.model("instructions");
  if (instructions == nullptr) {
    const std::string time = "time per rank goes as " + with_exponent(mean) + " on all ranks alike";
    // Work that every rank repeats takes the same time whatever P is; stalls would have to grow just as fast as the
    // work shrinks. Any other slope can come from either.
    if (scaling == Scaling::kStrong && mean > kRepeatedWork) {
      return {kWork, time + "; instructions were not counted, so memory stalls are not excluded"};
    }
    return {"", time + ": more work or memory stalls, which `scalediag profile --counters simulated` tells apart"};
  }
  const double work = along.exponent(*instructions);
  if (work > limit) return {kWork, "instructions per rank go as " + with_exponent(work)};
  const fit::Model* memory = kernel.model("t_mem_s");
  if (memory != nullptr && memory->value(along.target()) < kLittleMemory * kernel.time_value(along.target())) {
    return {"", "instructions per rank go as " + with_exponent(work) + ", time as " + with_exponent(mean) +
                    ", and its memory accesses would take less than 1 % of it"};
  }
  if (const fit::Model* stalls = kernel.model("t_stall_s"); stalls != nullptr) {
    const double stalling = along.exponent(*stalls);
    return {stalling > limit ? kMemory : "",
            "instructions per rank go as " + with_exponent(work) + ", stalls as " + with_exponent(stalling)};
  }
  return {kMemory, "instructions per rank go as " + with_exponent(work) + ", time as " + with_exponent(mean)};
}

// Whom the ranks wait for in an operation, where elapsed times say that they mostly wait.
Cause waiting_cause(const ApplicationModel& application, const KernelModel& kernel) {
  const fit::ConfigurationPoint& largest = application.data().configurations.back();
  const auto at_largest = [&largest](const fit::Series* series) {
    if (series == nullptr) return 0.0;
    for (const fit::Observation& o : series->observations) {
      if (o.at == largest.at) return core::mean(o.values);
    }
    return 0.0;
  };
  const double elapsed = at_largest(kernel.data().find("elapsed_s"));
  const double blocked = at_largest(kernel.data().find("blocked_s"));
  if (application.data().clock != core::Clock::kWall || !(blocked > 0.5 * elapsed)) return {};
  for (const KernelModel& other : application.kernels()) {
    if (other.data().kind == KernelKind::kMpi || other.data().kind == KernelKind::kWaiting || !is_serial(other)) {
      continue;
    }
    if (at_largest(other.data().find("critical_s")) > 0.5 * blocked) {
      return {kSerial, "ranks wait for " + other.data().name + ", which one rank does"};
    }
  }
  const auto& totals = application.data().totals;
  const double excess = at_largest(&totals.at("computation_max_s")) - at_largest(&totals.at("computation_s"));
  if (excess > 0.5 * blocked) return {kImbalance, "ranks wait for the slowest one's computation"};
  return {};
}

Cause operation_cause(const ApplicationModel& application, const KernelModel& kernel, std::span<const double> target) {
  if (Cause waiting = waiting_cause(application, kernel); !waiting.name.empty()) return waiting;
  if (kernel.calls() == nullptr || kernel.bytes() == nullptr) return {};
  const AlongProcesses along(target);
  const bool to_all = core::is_all_to_all(kernel.data().name);
  const auto calls_of = [&](std::span<const double> at) { return kernel.calls()->evaluate(at).value / at.front(); };
  const auto bytes_of = [&](std::span<const double> at) { return kernel.bytes()->evaluate(at).value / at.front(); };
  const auto messages_of = [&](std::span<const double> at) { return calls_of(at) * (to_all ? at.front() - 1 : 1); };
  const double bytes = along.exponent(bytes_of), messages = along.exponent(messages_of);
  const double messages_there = messages_of(target);
  if (!(messages_there > 0)) return {};
  const double size = bytes_of(target) / messages_there;
  const char* of_one = to_all ? "message" : "call";
  char text[160];
  if (bytes > kVolumeExponent && along.exponent(calls_of) < kFewMoreMessages && size >= kShortMessage) {
    std::snprintf(text, sizeof text, "bytes per rank go as %s, %.3g bytes a %s", with_exponent(bytes).c_str(), size,
                  of_one);
    return {kVolume, text};
  }
  std::snprintf(text, sizeof text, "%ss per rank go as %s, %.3g bytes a %s", of_one, with_exponent(messages).c_str(),
                size, of_one);
  return {messages > kMoreMessages || size < kShortMessage ? kLatency : "", text};
}

}  // namespace

namespace {

// Threads that wait while others work are idle; how much of that each rank has need not shrink with its work.
Cause thread_cause(const KernelModel& kernel, std::span<const double> target) {
  const double exponent =
      AlongProcesses(target).exponent([&](std::span<const double> at) { return kernel.time_value(at); });
  return {kIdleThreads, "threads wait for others of their rank: the time goes as " + with_exponent(exponent) +
                            ", as where a part of each rank's work is done by one thread"};
}

}  // namespace

Cause cause_of(const ApplicationModel& application, const KernelModel& kernel, std::span<const double> target,
               Scaling scaling) {
  if (kernel.data().kind == KernelKind::kMpi) return operation_cause(application, kernel, target);
  if (kernel.data().kind == KernelKind::kWaiting) return thread_cause(kernel, target);
  if (kernel.data().kind == KernelKind::kSystem || kernel.data().pooled > 0) return {};
  return function_cause(kernel, target, scaling);
}

}  // namespace scalediag::report
