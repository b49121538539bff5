#include "raw_bytes_check.h"

#include <cmath>

#include "collector/merge/memory_and_files.h"
#include "collector/merge/operation_table.h"
#include "collector/merge/rank_blocks.h"
#include "collector/merge/rank_times.h"
#include "collector/merge/raw/raw_reader.h"
#include "collector/merge/run_warnings.h"
#include "collector/merge/samples/sample_attribution.h"
#include "collector/merge/sites/site_resolver.h"

namespace scalediag::fuzz {
namespace {

constexpr uint32_t kRanks = 300;  // more than core::kMaxPeerBlocks

std::string_view check_times(const merge::RankRecord& record) {
  for (const core::Clock clock : {core::Clock::kCpu, core::Clock::kWall}) {
    const merge::RankTimes t = merge::divide_time(record, clock, {}, merge::main_thread_operations_s(record));
    const double sum = t.computation_s + t.communication_s + t.others_s + t.unattributed_s;
    if (!std::isfinite(sum)) return "times are not finite";
    // Relative to the terms, which cancel where a clock runs backwards.
    const double scale = std::abs(t.total_s) + std::abs(t.computation_s) + std::abs(t.communication_s) +
                         std::abs(t.others_s) + std::abs(t.unattributed_s) + 1;
    if (std::abs(sum - t.total_s) > 1e-9 * scale) return "times do not add up";
  }
  return {};
}

}  // namespace

std::string_view check_raw_bytes(std::string_view bytes) {
  const merge::RawFile all = merge::parse_raw(bytes);
  const merge::RawFile totals = merge::parse_raw(bytes, merge::ReadScope::kTotals);
  for (const merge::RawFile* f : {&all, &totals}) {
    if ((f->state == merge::FileState::kFinished) != f->problem.empty()) return "state and problem disagree";
  }
  if (all.records.size() != totals.records.size() && all.state != merge::FileState::kDamaged) {
    return "the two ways to read find other ranks";
  }
  const std::map<merge::ClassKey, double> no_shortest_calls;
  const merge::RunCounts no_counts({});
  merge::OperationTable operations(core::Clock::kWall, no_shortest_calls, no_counts);
  merge::RankBlocks blocks(kRanks);
  merge::MemoryAndFiles files;
  merge::RunWarnings warnings;
  merge::SymbolCache symbols;
  for (const merge::RankRecord& r : all.records) {
    if (r.identity && r.identity->rank != r.rank) return "a record has two ranks";
    warnings.add(r);
    if (!merge::has_clock_points(r)) continue;
    const std::string_view wrong = check_times(r);
    if (!wrong.empty()) return wrong;
    if (r.rank >= kRanks) continue;
    merge::SampleAttributor attributor(r, false, symbols);
    merge::SiteCache known;
    merge::SiteResolver sites(r, attributor, known);
    operations.add(r, {}, sites);
    blocks.add(r, {});
    if (r.identity) files.add(r, sites);
  }
  core::Run run;
  blocks.finish(run);
  operations.finish(kRanks);
  files.finish(kRanks, run);
  warnings.finish();
  return {};
}

}  // namespace scalediag::fuzz
