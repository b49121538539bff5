#include "fit/data/caliper/caliper_run.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "core/text/join.h"
#include "fit/data/number_text.h"
#include "fit/data/shown_text.h"
#include "fit/data/tables/cell_text.h"

namespace scalediag::fit {
namespace {

using core::Error;
using core::ErrorCode;

enum class Over { kMeanRank, kAllRanks, kEachRank };

// The columns that hold times, the better ones first. A name with an alias stands for the same column in JSON.
struct TimeColumn {
  std::string_view name;
  Over over;
  bool inclusive;
};
constexpr TimeColumn kTimeColumns[] = {
    {"avg#sum#time.duration", Over::kMeanRank, false},
    {"avg#inclusive#sum#time.duration", Over::kMeanRank, true},
    {"Avg time/rank", Over::kMeanRank, false},
    {"Avg time/rank (exc)", Over::kMeanRank, false},
    {"Avg time/rank (inc)", Over::kMeanRank, true},
    {"sum#sum#time.duration", Over::kAllRanks, false},
    {"sum#inclusive#sum#time.duration", Over::kAllRanks, true},
    {"Total time", Over::kAllRanks, false},
    {"Total time (inc)", Over::kAllRanks, true},
    {"sum#time.duration", Over::kEachRank, false},
    {"time", Over::kEachRank, false},
    {"time (exc)", Over::kEachRank, false},
    {"inclusive#sum#time.duration", Over::kEachRank, true},
    {"time (inc)", Over::kEachRank, true},
    // The host's time by CALI_CONFIG=cuda-activity-profile.
    {"scale#sum#cupti.host.duration", Over::kEachRank, false},
    {"inclusive#scale#sum#cupti.host.duration", Over::kAllRanks, true},
};

// Those of the event-trace service: a record is one event.
constexpr std::string_view kTraceColumns[] = {"time.inclusive.duration", "time.duration", "time.offset"};

std::optional<double> global_number(const CaliperData& data, const char* name) {
  const auto found = data.globals.find(name);
  return found == data.globals.end() ? std::nullopt : parse_number(trimmed(found->second));
}

std::optional<size_t> column_named(const CaliperData& data, std::string_view name) {
  // A column of nanoseconds says so in its name.
  const std::string in_ns = std::string(name) + ".ns";
  const auto found = std::find_if(data.columns.begin(), data.columns.end(), [&](const CaliperColumn& column) {
    return column.name == name || column.name == in_ns;
  });
  if (found == data.columns.end()) return std::nullopt;
  return static_cast<size_t>(found - data.columns.begin());
}

// Columns that are about times or tell where a record belongs, which are no metrics of their own.
bool is_metric(const std::string& name) {
  constexpr std::string_view kNot[] = {"time", "slot", "order", "rank", "thread", "channel", "offset", "Time"};
  return std::none_of(std::begin(kNot), std::end(kNot),
                      [&name](std::string_view part) { return name.find(part) != name.npos; });
}

class RunMaker {
 public:
  RunMaker(const CaliperData& data, const std::string& file) : data_(data) { run_.file = file; }

  core::Result<MeasuredRun> make() {
    take_ranks();
    if (const core::Status chosen = choose_time(); !chosen) return chosen.error();
    take_times();
    take_metrics();
    for (const auto& [name, text] : data_.globals) {
      if (const auto value = parse_number(trimmed(text)); value && std::isfinite(*value)) run_.metadata[name] = *value;
    }
    // These are the number of processes again.
    for (const char* same : {"jobsize", "mpi.world.size", "numranks", "num_procs"}) run_.metadata.erase(same);
    return std::move(run_);
  }

 private:
  void take_ranks() {
    for (const char* name : {"mpi.rank", "rank"}) {
      if (!rank_column_) rank_column_ = column_named(data_, name);
    }
    std::set<double> seen;
    if (rank_column_) {
      for (const CaliperRecord& record : data_.records) {
        for (const auto& [column, value] : record.cells) {
          if (column == *rank_column_) seen.insert(value);
        }
      }
    }
    for (const char* name : {"mpi.world.size", "jobsize", "numranks", "num_procs"}) {
      if (!run_.processes) run_.processes = global_number(data_, name);
    }
    if (!run_.processes && !seen.empty()) run_.processes = static_cast<double>(seen.size());
    if (run_.processes && !(*run_.processes >= 1)) run_.processes.reset();
    told_ranks_ = seen.size();
  }

  core::Status choose_time() {
    std::string refused;
    for (const TimeColumn& time : kTimeColumns) {
      const auto column = column_named(data_, time.name);
      if (!column || !has_values(*column)) continue;
      // The values of each rank need its number beside them.
      const bool clear = time.over == Over::kMeanRank || time.over == Over::kAllRanks ||
                         (time.over == Over::kEachRank && (told_ranks_ > 0 || run_.processes.value_or(1) == 1));
      if (clear) {
        time_ = time;
        time_column_ = *column;
        if (time.over == Over::kAllRanks && !run_.processes) {
          run_.notes.push_back("the file tells of no MPI ranks: its times are taken as those of one process");
        }
        return set_unit();
      }
      refused = time.name;
    }
    if (!refused.empty()) {
      return Error{
          ErrorCode::kInput, run_.file + " has " + refused + " and does not tell of how many ranks it is the sum",
          "let Caliper aggregate: CALI_CONFIG=runtime-report,output=cali or spot, or keep mpi.rank", run_.file};
    }
    const bool is_trace = std::any_of(std::begin(kTraceColumns), std::end(kTraceColumns),
                                      [this](std::string_view name) { return column_named(data_, name).has_value(); });
    return Error{ErrorCode::kInput,
                 run_.file + (is_trace ? " is a trace of single events by Caliper, without sums of regions"
                                       : " is a file of Caliper without times of regions"),
                 "CALI_CONFIG=spot, hatchet-region-profile or runtime-profile record these", run_.file};
  }

  bool has_values(size_t column) const {
    return std::any_of(data_.records.begin(), data_.records.end(), [column](const CaliperRecord& record) {
      return std::any_of(record.cells.begin(), record.cells.end(),
                         [column](const auto& c) { return c.first == column; });
    });
  }

  core::Status set_unit() {
    const std::string& unit = data_.columns[time_column_].unit;
    if (const auto seconds = seconds_per(unit)) return set_factor(*seconds);
    if (data_.columns[time_column_].name.ends_with(".ns")) return set_factor(1e-9);
    if (!unit.empty()) {
      return Error{ErrorCode::kInput, run_.file + ": the unit of times is '" + shown(unit) + "', which is not known",
                   "units are sec, msec, usec, nsec", run_.file};
    }
    // Versions that did not yet write their number measured in microseconds.
    if (data_.globals.count("cali.caliper.version") != 0) return core::Done{};
    run_.notes.push_back(
        "times have no unit, and the file no version of Caliper: they are taken as microseconds, as old versions "
        "wrote");
    return set_factor(1e-6);
  }

  core::Status set_factor(double factor) {
    factor_ = factor;
    return core::Done{};
  }

  // The value of the mean rank is added up from the records of all ranks.
  double share_of_a_rank() const {
    if (time_.over == Over::kMeanRank) return 1;
    return time_.over == Over::kAllRanks ? run_.processes.value_or(1)
                                         : std::max<double>(1, static_cast<double>(told_ranks_));
  }

  void take_times() {
    std::vector<std::string> order;
    std::unordered_map<std::string, double> own;
    const double divide_by = share_of_a_rank();
    for (const CaliperRecord& record : data_.records) {
      for (const auto& [column, value] : record.cells) {
        if (column != time_column_) continue;
        const auto [place, is_new] = own.try_emplace(record.path, 0);
        if (is_new) order.push_back(record.path);
        place->second += value * factor_ / divide_by;
      }
    }
    std::unordered_map<std::string, double> inclusive = own;
    if (time_.inclusive) {
      for (const std::string& path : order) {
        // The nearest caller that has a record.
        for (size_t arrow = path.rfind("->"); arrow != path.npos && arrow > 0; arrow = path.rfind("->", arrow - 1)) {
          const auto caller = own.find(path.substr(0, arrow));
          if (caller == own.end()) continue;
          caller->second -= inclusive.at(path);
          break;
        }
      }
    }
    size_t negative = 0;
    for (const std::string& path : order) {
      double& value = own.at(path);
      // Files have six digits behind the point, so that callees can add up to slightly more than their caller.
      if (time_.inclusive && value < 0) {
        if (value < -0.01 * inclusive.at(path) - 1e-5) ++negative;
        value = 0;
      }
      run_.add(path.empty() ? kNoRegion : path, kRunTime, value);
    }
    if (negative > 0) {
      run_.notes.push_back("regions whose callees took longer than they did have no time of their own: " +
                           std::to_string(negative));
    }
  }

  // A metric that Caliper has aggregated is left out: without its ranks, with that of callees, or as an extreme it is
  // no value of the mean rank.
  void take_metrics() {
    std::set<std::string> left_out;
    for (const CaliperRecord& record : data_.records) {
      for (const auto& [column, value] : record.cells) {
        const std::string& name = data_.columns[column].name;
        if (column == time_column_ || !is_metric(name)) continue;
        const bool is_sum = (name.starts_with("sum#sum#") || name.starts_with("sum#scale#")) && told_ranks_ == 0 &&
                            run_.processes.value_or(1) > 1;
        const bool is_other =
            name.find("inclusive#") != name.npos || name.find("min#") != name.npos || name.find("max#") != name.npos;
        if (is_other) {
          left_out.insert(shown(name));
          continue;
        }
        const double ranks = is_sum ? *run_.processes : std::max<double>(1, static_cast<double>(told_ranks_));
        run_.add(record.path.empty() ? kNoRegion : record.path, name, value / ranks);
      }
    }
    if (!left_out.empty()) {
      run_.notes.push_back("metrics that are no values of the mean rank are left out: " + core::join(left_out));
    }
  }

  const CaliperData& data_;
  MeasuredRun run_;
  TimeColumn time_ = kTimeColumns[0];
  size_t time_column_ = 0;
  double factor_ = 1;
  std::optional<size_t> rank_column_;
  size_t told_ranks_ = 0;
};

}  // namespace

core::Result<MeasuredRun> run_of_caliper(const CaliperData& data, const std::string& file) {
  return RunMaker(data, file).make();
}

}  // namespace scalediag::fit
