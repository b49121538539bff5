#include "collector/merge/samples/sample_weights.h"

#include "collector/merge/rank_times.h"

namespace scalediag::merge {

SampleWeights::SampleWeights(const RankRecord& record) {
  if (!record.identity || record.identity->sampler != "cpus" || !has_clock_points(record)) return;
  double sampled_main = 0;
  double sampled_others = 0;
  for (const auto& [key, totals] : record.samples) {
    (key.thread_class == raw::kMainThread ? sampled_main : sampled_others) += 1e-9 * static_cast<double>(totals.cpu_ns);
  }
  const WindowCpuTime cpu = cpu_time_of_window(record);
  if (sampled_main > 0 && cpu.main_thread_s > 0) main_ = cpu.main_thread_s / sampled_main;
  if (sampled_others > 0 && cpu.other_threads_s > 0) others_ = cpu.other_threads_s / sampled_others;
}

}  // namespace scalediag::merge
