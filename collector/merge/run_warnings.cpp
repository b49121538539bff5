#include "collector/merge/run_warnings.h"

#include <algorithm>

#include "core/text/quantities.h"

namespace scalediag::merge {
namespace {

constexpr double kTolerableLoss = 0.01;

// The largest cost of a sample, measured in a virtual machine, where nearly all of it is the timer's interrupt; without
// one it is about a tenth.
constexpr double kCostOfSampleS = 35e-6;

std::string ranks_text(int n) { return n == 1 ? "1 rank" : std::to_string(n) + " ranks"; }

}  // namespace

void RunWarnings::add(const RankRecord& record) {
  Sampler& sampler = samplers_[record.identity ? record.identity->sampler : "none"];
  ++sampler.ranks;
  if (sampler.reason.empty() && record.identity) sampler.reason = record.identity->sampler_reason;
  losses_.lost_samples += record.losses.lost_samples;
  losses_.unsampled_threads += record.losses.unsampled_threads;
  losses_.dropped_keys += record.losses.dropped_keys;
  losses_.uncounted_calls += record.losses.uncounted_calls;
  uint64_t samples = 0;
  for (const auto& [key, totals] : record.samples) samples += totals.samples;
  samples_ += samples;
  ++ranks_;
  if (record.identity) {
    hosts_.insert(record.identity->host);
    cpus_of_a_host_ = std::max<uint64_t>(cpus_of_a_host_, record.identity->online_cpus);
    taking_samples_s_ += static_cast<double>(samples) * kCostOfSampleS;
  }
  if (record.last_point) cpu_s_ += 1e-9 * static_cast<double>(record.last_point->process_cpu_ns);
  if (!record.point(raw::Phase::kFinalizeBegin)) ++never_finalised_;
  spawned_ += record.spawned;
}

// Warns of the sampler's cost, since it cannot be taken out of the totals again.
void RunWarnings::warn_of_cost(std::vector<std::string>& w) const {
  constexpr double kTolerable = 0.05;
  if (cpu_s_ > 0 && taking_samples_s_ > kTolerable * cpu_s_) {
    w.push_back("taking samples so often cost up to " + core::spaced_percent(taking_samples_s_ / cpu_s_) +
                " of the CPU time, which is in all totals; a lower --rate costs less");
  }
  const bool has_events_of_threads = samplers_.count("perf") + samplers_.count("perf-user") > 0;
  if (has_events_of_threads && cpus_of_a_host_ > 0 && ranks_ > cpus_of_a_host_ * hosts_.size()) {
    w.push_back(
        "ranks share cores, and events of threads make switching between them about three times as dear: totals, MPI's "
        "most of all, may be up to three times too large; --sampler cpus or timer costs less");
  }
}

std::vector<std::string> RunWarnings::finish() const {
  std::vector<std::string> w;
  for (const auto& [name, sampler] : samplers_) {
    const std::string where = samplers_.size() > 1 ? " on " + ranks_text(sampler.ranks) : std::string();
    const std::string why = sampler.reason.empty() ? std::string() : " (" + sampler.reason + ")";
    if (name == "none") {
      w.push_back("nothing was sampled" + where + why +
                  ": there are no kernels, and time outside MPI is unattributed; with the CPU clock so is time inside");
    } else if (name == "perf-user") {
      w.push_back("the sampler does not see kernel mode" + where + why +
                  ": time in system calls and page faults is charged to the code after them");
    } else if (!why.empty()) {
      w.push_back("the sampler is \"" + name + "\"" + where + why);
    }
  }
  warn_of_cost(w);
  const double lost = static_cast<double>(losses_.lost_samples);
  const double share = lost / (lost + static_cast<double>(samples_));
  if (lost > 0 && share > kTolerableLoss) {
    w.push_back(core::spaced_percent(share) + " of the samples were lost; their time is charged to other samples");
  }
  if (losses_.unsampled_threads > 0) {
    w.push_back(std::to_string(losses_.unsampled_threads) +
                " threads were not sampled; their CPU time is unattributed");
  }
  if (losses_.dropped_keys > 0) {
    w.push_back(std::to_string(losses_.dropped_keys) +
                " places in the code or classes of calls were dropped because memory ran out; their time is "
                "unattributed");
  }
  if (spawned_ > 0) {
    w.push_back((spawned_ == 1
                     ? "1 process that the program spawned (MPI_Comm_spawn) is"
                     : std::to_string(spawned_) + " processes that the program spawned (MPI_Comm_spawn) are") +
                std::string(" not measured: what they do is in none of these numbers"));
  }
  if (losses_.uncounted_calls > 0) {
    w.push_back(std::to_string(losses_.uncounted_calls) + " MPI calls could not be counted");
  }
  if (never_finalised_ > 0) {
    w.push_back(ranks_text(never_finalised_) +
                " never called MPI_Finalize; all time after MPI_Init counts as the "
                "program's own");
  }
  return w;
}

}  // namespace scalediag::merge
