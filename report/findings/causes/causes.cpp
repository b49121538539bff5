#include "report/findings/causes/causes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <set>
#include <vector>

#include "core/mpi_routines.h"
#include "core/profile/metric_names.h"
#include "core/statistics.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "fit/application/slowest_rank.h"
#include "fit/numerics/normal_quantile.h"
#include "report/findings/causes/gpu_causes.h"
#include "report/findings/kernel_verdict.h"
#include "report/scaling/measured_series.h"
#include "report/scaling/scaling_verdict.h"

namespace scalediag::report {
namespace {

using fit::ApplicationModel;
using fit::KernelKind;
using fit::KernelModel;

// The share of a kernel's time on one rank that makes it a serial part.
constexpr double kSerialShare = 0.9;
// A time per rank whose exponent of P is above this counts as constant: a doubling of the processes gains 7 % at most.
constexpr double kRepeatedWork = -0.1;
// A kernel does not stall for memory where its accesses' latencies add up to less than this share of its time.
constexpr double kLittleMemory = 0.01;
// A rank that takes this many times as long as the mean one is named as the cause.
constexpr double kManyMore = 2;
// Latency is the cause where the fixed cost of messages has this share of the whole cost, volume where their bytes have
// it.
constexpr double kTwoThirds = 2.0 / 3;
// The size in bytes at which the fixed cost of a message equals the cost of its bytes on usual networks and in shared
// memory: 1 us and 4 GB/s, within a factor of four. It is used where no measurement gives it.
constexpr double kUsualHalfCost = 4096;

// A count over the number of processes, over the last doubling up to `at`.
class AlongProcesses {
 public:
  AlongProcesses(std::span<const double> at) : at_(at.begin(), at.end()) {}

  double exponent(const std::function<double(std::span<const double>)>& value) const {
    std::vector<double> at = at_;
    return exponent_between(
        [&](double processes) {
          at.front() = processes;
          return value(at);
        },
        at_.front() / 2, at_.front());
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
    if (fit::process_count(o.at) < 2) continue;
    const double value = core::mean(o.values);
    smallest = any ? std::min(smallest, value) : value;
    any = true;
  }
  return smallest;
}

bool is_serial(const KernelModel& kernel) {
  return smallest_measured(kernel.data().find(metric::kConcentration), 0) >= kSerialShare;
}

// Work whose instructions grow more slowly than as this power of the processes cannot be told from work that stays.
constexpr double kGrowsByCounts = 0.1;
// A standard error of an exponent above this leaves open whether work stays.
constexpr double kKnownWell = 0.15;

CauseFinding work_cause(const Slope& work, double grows, const std::string& evidence) {
  if (work.exponent - fit::kNormal90 * work.error > grows) return {Cause::kGrowingWork, evidence, work.exponent};
  return {Cause::kWork, evidence};
}

// `at` is the largest measured configuration: causes are those of the measured scales, and the same at every target.
CauseFinding function_cause(const KernelModel& kernel, std::span<const double> at, Scaling scaling) {
  const fit::KernelData& data = kernel.data();
  const std::string who = rank_text(data.slowest_rank);
  if (is_serial(kernel)) return {Cause::kSerial, (who.empty() ? "one rank" : who) + " does it while the others wait"};

  const std::vector<double> largest(at.begin(), at.end());
  const double limit = limit_of(scaling);
  const Slope mean = measured_slope(kernel, data.main_series(), at);
  const Slope slowest = measured_slope(kernel, data.critical_series(), at);
  const double time_s = mean_at(&data.main_series(), largest);
  if (is_imbalance(kernel, at, limit)) {
    return {Cause::kImbalance, "the time of " + (who.empty() ? "the slowest rank" : who) + " goes as " +
                                   with_exponent(slowest.exponent) + ", the mean as " + with_exponent(mean.exponent)};
  }
  const fit::Series* instructions = data.find(metric::kInstructions);
  if (instructions == nullptr) {
    const std::string time = "time per rank goes as " + with_exponent(mean.exponent) + " on all ranks alike";
    // Work that every rank repeats takes the same time whatever P is; stalls would have to grow just as fast as the
    // work shrinks. Any other slope can come from either.
    if (scaling == Scaling::kStrong && mean.exponent > kRepeatedWork && mean.error < kKnownWell) {
      return work_cause(mean, kGrowsByTimes,
                        time + "; instructions were not counted, so memory stalls are not excluded");
    }
    return {Cause::kNone,
            time + ": more work or memory stalls, which `scalediag profile --counters simulated` tells apart"};
  }
  const Slope work = measured_slope(kernel, *instructions, at);
  const std::string counted = "instructions per rank" +
                              std::string(instructions->is_estimate ? ", estimated from few rounds," : "") + " go as " +
                              with_exponent(work.exponent);
  if (work.exponent > limit) {
    return work_cause({work.exponent, instructions->is_estimate ? work.error : 0}, kGrowsByCounts, counted);
  }
  const fit::Series* memory = data.find(metric::kMemory);
  if (memory != nullptr && mean_at(memory, largest) < kLittleMemory * time_s) {
    return {Cause::kNone, counted + ", time as " + with_exponent(mean.exponent) +
                              ", and its memory accesses would take less than 1 % of it"};
  }
  if (const fit::Series* stalls = data.find(metric::kStalled); stalls != nullptr && mean_at(stalls, largest) > 0) {
    const double stalling = measured_slope(kernel, *stalls, at).exponent;
    const std::set<std::string>& notes = data.resource_notes;
    const bool every_kind = notes.count("stalls_total") != 0;
    const std::string what = every_kind                           ? "stalls of every kind"
                             : notes.count("stalls_derived") != 0 ? "stalls, which are derived and not counted,"
                                                                  : "stalls for memory";
    return {stalling <= limit ? Cause::kNone
            : every_kind      ? Cause::kStalls
                              : Cause::kMemory,
            counted + ", " + what + " as " + with_exponent(stalling)};
  }
  return {Cause::kMemory, counted + ", time as " + with_exponent(mean.exponent)};
}

// The rank that the others wait for in an operation, where elapsed times show that they mostly wait.
CauseFinding waiting_cause(const ApplicationModel& application, const KernelModel& kernel) {
  const fit::ConfigurationPoint& largest = application.data().configurations.back();
  const auto at_largest = [&largest](const fit::Series* series) {
    if (series == nullptr) return 0.0;
    for (const fit::Observation& o : series->observations) {
      if (o.at == largest.at) return core::mean(o.values);
    }
    return 0.0;
  };
  const double elapsed = at_largest(kernel.data().find(metric::kElapsed));
  const double blocked = at_largest(kernel.data().find(metric::kBlocked));
  if (application.data().clock != core::Clock::kWall || !(blocked > 0.5 * elapsed)) return {};
  for (const KernelModel& other : application.kernels()) {
    const bool is_mpi = other.data().kind == KernelKind::kMpi;
    if (other.data().kind == KernelKind::kWaiting || other.data().kind == KernelKind::kGpu) continue;
    if (&other == &kernel || !(is_mpi ? is_rooted(other) : is_serial(other))) continue;
    if (!(at_largest(other.data().find(metric::kCritical)) > 0.5 * blocked)) continue;
    const std::string who = rank_text(other.data().slowest_rank);
    if (is_mpi) return {Cause::kRooted, "ranks wait for the " + other.data().name + " of " + who};
    return {Cause::kSerial,
            "ranks wait for " + other.data().name + ", which " + (who.empty() ? "one rank" : who) + " does"};
  }
  for (const KernelModel& other : application.kernels()) {
    const fit::KernelData& data = other.data();
    if (data.kind != KernelKind::kGpu || !ranks_differ(data, 0)) continue;
    if (!(at_largest(&data.critical_series()) - at_largest(&data.main_series()) > 0.5 * blocked)) continue;
    const std::string who = rank_text(data.slowest_rank);
    return {Cause::kImbalance, "ranks wait for " + (who.empty() ? "one" : who) + " that is in " + data.name};
  }
  const auto& totals = application.data().totals;
  const double excess =
      at_largest(&totals.at(metric::kSlowestComputation)) - at_largest(&totals.at(metric::kComputation));
  if (excess > 0.5 * blocked) return {Cause::kImbalance, "ranks wait for the slowest one's computation"};
  return {};
}

// Of one rank at the target.
struct Messages {
  double count = 0;  // calls; of an all-to-all the messages in them
  double bytes = 0;  // of all; gathered by all, what the others send
  double size = 0;   // of one message, in the mean
};

Messages messages_of(const fit::OperationLoad& load) {
  if (!(load.calls > 0)) return {};
  const fit::Transfer call = fit::transfer_of_call(load.operation, load.processes, load.bytes / load.calls);
  return {mpi::is(load.operation, mpi::Collective::kAlltoall) ? load.calls * call.messages : load.calls,
          mpi::is(load.operation, mpi::Collective::kAllgather) ? load.calls * call.bytes : load.bytes,
          call.bytes / call.messages};
}

// The share of the fixed cost in the cost of messages of that size; the rest is the cost of their bytes.
struct CostShare {
  double for_themselves = 0;
  const char* by = "";  // the source of the share
};

CostShare cost_share(const ApplicationModel& application, const KernelModel& kernel, const fit::OperationLoad& load) {
  if (kernel.on_given_network()) {
    fit::OperationLoad empty = load;
    empty.bytes = 0;
    const double all = application.cost().time_s(load).value_or(0),
                 latency = application.cost().time_s(empty).value_or(0);
    if (all > 0) return {std::min(1.0, latency / all), " on the network"};
  }
  const double size = messages_of(load).size;
  const auto& cost = kernel.data().message_cost;
  // Where nearly all of the smallest message's cost is that of its bytes, what is left for itself is no more than
  // scatter.
  constexpr double kScatter = 0.03;
  if (cost && cost->call_s > kScatter * cost->byte_s * cost->least_bytes) {
    const double all = cost->call_s + size * cost->byte_s;
    if (all > 0) return {cost->call_s / all, ", by the shortest calls that were measured"};
  }
  return {kUsualHalfCost / (kUsualHalfCost + size), " on usual networks"};
}

// By the part of messages' cost that is not their bytes'.
Cause cause_of_cost(double own_share) {
  return own_share >= kTwoThirds ? Cause::kLatency : own_share <= 1 - kTwoThirds ? Cause::kVolume : Cause::kMessages;
}

// The cause from the composition of a message's cost at the target. Counts and bytes do not decide it by how they
// change with the scale, since grids of processes alternate in shape.
CauseFinding message_cause(const ApplicationModel& application, const KernelModel& kernel,
                           std::span<const double> target) {
  const fit::OperationLoad load = *kernel.critical_load(target);
  const Messages there = messages_of(load);
  if (!(there.count > 0)) return {};
  const AlongProcesses along(target);
  const auto of_rank = [&](auto what) {
    return with_exponent(along.exponent([&](std::span<const double> at) { return what(*kernel.critical_load(at)); }));
  };
  const CostShare share = cost_share(application, kernel, load);
  char text[240];
  std::snprintf(text, sizeof text,
                "%s per rank go as %s and bytes as %s; of messages of %.3g bytes in the mean %.0f %% of the cost is "
                "their own%s",
                mpi::is(load.operation, mpi::Collective::kAlltoall) ? "messages" : "calls",
                of_rank([](const fit::OperationLoad& l) { return messages_of(l).count; }).c_str(),
                of_rank([](const fit::OperationLoad& l) { return messages_of(l).bytes; }).c_str(), there.size,
                100 * share.for_themselves, share.by);
  return {cause_of_cost(share.for_themselves), text};
}

// The operation whose messages these are the other ends of: one rank sends or receives nearly all of them by it.
const KernelModel* other_end(const ApplicationModel& application, const KernelModel& kernel,
                             std::span<const double> target) {
  // The least quotient of the bytes that two operations count of the same messages.
  constexpr double kNearlyAll = 0.9;
  if (mpi::is_collective(kernel.data().name)) return nullptr;
  const double bytes = kernel.bytes()->evaluate(target).value;
  for (const KernelModel& other : application.kernels()) {
    if (&other == &kernel || other.data().kind != KernelKind::kMpi || !is_rooted(other)) continue;
    const auto of_one = other.critical_load(target);
    if (!of_one || !(of_one->bytes > 0)) continue;
    if (std::min(of_one->bytes, bytes) >= kNearlyAll * std::max(of_one->bytes, bytes)) return &other;
  }
  return nullptr;
}

// The cause of calls that wait for messages which other calls carry. `simulated` is their operation; null: not known.
CauseFinding completion_cause(const predict::SimulatedOperation* simulated) {
  if (simulated == nullptr || !(simulated->time_s > 0)) {
    return {
        Cause::kNone,
        "it waits for messages that other calls carry, and no trace was simulated: `scalediag profile --trace`, and "
        "`--by simulation` where each rank had a core"};
  }
  const predict::AwaitedMessages& awaited = simulated->awaited;
  const auto share = [&](double seconds) { return core::spaced_percent(seconds / simulated->time_s, 0); };
  if (awaited.late_sender_s >= kTwoThirds * simulated->time_s) {
    return {Cause::kLateSender,
            "by simulation " + share(awaited.late_sender_s) + " of it goes by until messages are " + "sent" +
                (awaited.latest_rank < 0 ? ""
                                         : ", " + core::spaced_percent(awaited.latest_share, 0) + " of that for rank " +
                                               std::to_string(awaited.latest_rank))};
  }
  if (awaited.late_receiver_s >= kTwoThirds * simulated->time_s) {
    return {Cause::kLateReceiver,
            "by simulation " + share(awaited.late_receiver_s) + " of it goes by until receivers of messages are there"};
  }
  if (!(awaited.count > 0 && awaited.cost_s > 0)) return {Cause::kNone, "it waits for no message, by simulation"};
  const double own_share = std::max(0.0, 1 - awaited.cost_of_bytes_s / awaited.cost_s);
  return {cause_of_cost(own_share), "it waits for messages of " + core::four_digits(awaited.bytes / awaited.count) +
                                        " bytes in the mean, by simulation " +
                                        share(awaited.late_sender_s + awaited.late_receiver_s) +
                                        " of the time for the other rank; " + core::spaced_percent(own_share, 0) +
                                        " of their cost is their own on the network"};
}

CauseFinding operation_cause(const ApplicationModel& application, const KernelModel& kernel,
                             std::span<const double> target, const predict::SimulatedCommunication* simulated) {
  const mpi::Routine* routine = mpi::find_routine(kernel.data().name);
  const bool is_of_files = routine != nullptr && routine->group == mpi::Group::kFile;
  if (is_of_files || (routine != nullptr && routine->rule == mpi::Rule::kSpawns)) {
    return {Cause::kNone, std::string("what its calls cost is that of ") +
                              (is_of_files ? "files" : "starting processes") +
                              ", which neither their number nor their bytes explain"};
  }
  if (kernel.calls() == nullptr || kernel.bytes() == nullptr) return waiting_cause(application, kernel);
  const std::string who = rank_text(kernel.data().slowest_rank);
  if (is_rooted(kernel) && kernel.critical_value(target) > kManyMore * kernel.time_value(target)) {
    const fit::OperationLoad load = *kernel.critical_load(target);
    char counts[120];
    std::snprintf(counts, sizeof counts, " makes %.4g of %.4g calls, and ", load.calls,
                  kernel.calls()->evaluate(target).value);
    return {Cause::kRooted, who + counts + "its " + message_cause(application, kernel, target).evidence};
  }
  if (CauseFinding waiting = waiting_cause(application, kernel); waiting.cause != Cause::kNone) return waiting;
  if (const KernelModel* root = is_rooted(kernel) ? nullptr : other_end(application, kernel, target)) {
    return {Cause::kRooted,
            "the other ends of the " + root->data().name + " of " + rank_text(root->data().slowest_rank)};
  }
  if (routine != nullptr && routine->group == mpi::Group::kCompletion && routine->can_wait()) {
    const auto end = simulated == nullptr ? decltype(simulated->operations.end())() : simulated->operations.end();
    const auto known = simulated == nullptr ? end : simulated->operations.find(kernel.data().name);
    return completion_cause(known == end ? nullptr : &known->second);
  }
  return with_idle_devices(application, message_cause(application, kernel, target));
}

}  // namespace

bool is_rooted(const KernelModel& kernel) {
  return kernel.data().slowest_rank && kernel.data().find("critical_calls") != nullptr;
}

namespace {

// The cause of threads that wait for others of their rank. Their idle time on a rank need not shrink with its work.
CauseFinding thread_cause(const KernelModel& kernel, std::span<const double> at) {
  const double exponent = measured_slope(kernel, kernel.data().main_series(), at).exponent;
  return {Cause::kIdleThreads, "threads wait for others of their rank: the time goes as " + with_exponent(exponent) +
                                   ", as where a part of each rank's work is done by one thread"};
}

}  // namespace

CauseFinding cause_of(const ApplicationModel& application, const KernelModel& kernel, std::span<const double> at,
                      Scaling scaling, const predict::SimulatedCommunication* simulated) {
  // Counts follow exact formulas, by which the cost of messages turns from that of their bytes to their own.
  if (kernel.data().kind == KernelKind::kMpi) return operation_cause(application, kernel, at, simulated);
  const std::vector<double> measured = largest_configuration(kernel.data().main_series(), 0, at);
  if (kernel.data().kind == KernelKind::kWaiting) return thread_cause(kernel, measured);
  if (kernel.data().kind == KernelKind::kGpu) return host_gpu_cause(application, kernel, measured, scaling);
  if (kernel.data().kind == KernelKind::kDevice) return device_cause(kernel, measured, scaling);
  if (kernel.data().kind == KernelKind::kSystem || kernel.data().pooled > 0) return {};
  return function_cause(kernel, measured, scaling);
}

}  // namespace scalediag::report
