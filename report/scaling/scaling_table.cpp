#include "report/scaling/scaling_table.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/profile/metric_names.h"
#include "core/profile/region_profile.h"
#include "core/profile/run_summary.h"
#include "core/raw/file_functions.h"
#include "core/statistics.h"
#include "fit/profile/run_series.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

constexpr double kSecondsPerHour = 3600;

// The machine that the complete runs of a configuration used.
struct UsedMachine {
  double nodes = 0;  // 0: not known
  int threads = 1;
  std::vector<const core::Run*> runs;
};

class TableBuilder {
 public:
  TableBuilder(const core::Profile& profile, const core::Experiment* experiment, const fit::ApplicationData& data,
               const Findings& findings, const ScalingTableOptions& options, const TableRegion* region)
      : data_(data),
        region_(region),
        findings_(findings),
        options_(options),
        host_cores_(experiment == nullptr ? 0 : experiment->host.cores) {
    for (const core::Run& run : profile.runs) {
      if (run.complete) add_use(fit::configuration_of(profile, run), run);
    }
    find_cores_per_node(experiment != nullptr && experiment->launcher.starts_with("srun"));
  }

  std::vector<ScalingTable> build() {
    for (const fit::ConfigurationPoint& point : data_.configurations) {
      const size_t i = table_of(point.at);
      tables_[i].rows.push_back(measured(point));
      for (const core::Run* run : used_[point.at].runs) problems_[i].loops.push_back(core::main_loop_of(*run));
    }
    for (size_t i = 0; i < tables_.size(); ++i) {
      ScalingTable& table = tables_[i];
      std::stable_sort(table.rows.begin(), table.rows.end(), [](const ScalingRow& a, const ScalingRow& b) {
        return process_count(a.at) < process_count(b.at);
      });
      table.base = process_count(table.rows.front().at);
      if (!core::can_be_one_loop(problems_[i].loops)) leave_out_loops(table);
      compare(table);
    }
    if (!options_.measured_only && !findings_.trust.tells_nothing()) {
      for (const TargetFindings& target : findings_.targets) add_predicted(target);
    }
    return std::move(tables_);
  }

 private:
  bool elapsed() const { return data_.clock == core::Clock::kWall; }
  bool counts_other_nodes() const { return is_said_ && cores_per_node_ != host_cores_; }

  void find_cores_per_node(bool is_slurm) {
    is_said_ = options_.cores_per_node || options_.ranks_per_node;
    if (options_.ranks_per_node) {
      cores_per_node_ = *options_.ranks_per_node * largest_threads_;
    } else if (options_.cores_per_node) {
      cores_per_node_ = *options_.cores_per_node;
    } else if (is_slurm || most_nodes_ > 1) {
      // In a Slurm job of several nodes host_cores_ are those of all of them.
      cores_per_node_ = host_cores_ > 0 && !(is_slurm && most_nodes_ > 1) ? host_cores_ : most_on_a_node_;
    }
  }
  // The data and findings whose times stand in the table.
  const fit::ApplicationData& timed_data() const { return region_ != nullptr ? region_->data : data_; }
  const Findings& timed_findings() const { return region_ != nullptr ? region_->findings : findings_; }

  void add_use(const std::vector<double>& at, const core::Run& run) {
    UsedMachine& use = used_[at];
    use.nodes = std::max(use.nodes, static_cast<double>(run.hosts.size()));
    use.threads = std::max(use.threads, run.threads_max);
    use.runs.push_back(&run);
    largest_threads_ = std::max(largest_threads_, run.threads_max);
    most_nodes_ = std::max(most_nodes_, use.nodes);
    if (!run.hosts.empty()) {
      const double ranks = std::ceil(static_cast<double>(run.np) / static_cast<double>(run.hosts.size()));
      most_on_a_node_ = std::max(most_on_a_node_, ranks * run.threads_max);
    }
  }

  // Whether other parameters change in every configuration, as in weak scaling: then no two share a problem.
  bool one_problem() const {
    for (const fit::ConfigurationPoint& a : data_.configurations) {
      for (const fit::ConfigurationPoint& b : data_.configurations) {
        if (&a != &b && same_problem(a.at, b.at, data_.processes)) return false;
      }
    }
    return true;
  }

  std::string label_of(const std::vector<double>& at) const {
    Point rest = point_of(data_.parameter_names, at);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(data_.processes));
    return text_of(rest);
  }

  // The index of the table of this configuration.
  size_t table_of(const std::vector<double>& at) {
    const bool together = one_problem();
    for (size_t i = 0; i < tables_.size(); ++i) {
      if (together || same_problem(problems_[i].at, at, data_.processes)) return i;
    }
    ScalingTable table;
    if (!together) table.label = label_of(at);
    if (region_ != nullptr) table.region = region_->name;
    table.clock = *data_.clock;
    table.scaling = findings_.scaling;
    table.cores_per_node = cores_per_node_;
    table.other_nodes = counts_other_nodes();
    tables_.push_back(std::move(table));
    problems_.push_back({at, {}});
    return tables_.size() - 1;
  }

  std::optional<Bounded> total(const fit::ApplicationData& data, const char* name,
                               const std::vector<double>& at) const {
    const auto series = data.totals.find(name);
    if (series == data.totals.end()) return std::nullopt;
    std::optional<Bounded> value = observed(series->second, at, 0, false);
    // Repeats of modelled times agree however far off these are.
    if (value && !elapsed()) value->low = value->high = std::nullopt;
    return value;
  }

  ScalingRow measured(const fit::ConfigurationPoint& point) const {
    ScalingRow row;
    row.at = point_of(data_.parameter_names, point.at);
    row.repeats = static_cast<size_t>(point.repeats);
    const auto use = used_.find(point.at);
    const int threads = use == used_.end() ? 1 : use->second.threads;
    row.cores = point.np * threads;
    if (cores_per_node_ > 0 && use != used_.end() && use->second.nodes > 0) row.nodes = use->second.nodes;
    if (counts_other_nodes() || (!elapsed() && row.nodes)) row.nodes = std::ceil(row.cores / cores_per_node_);
    if (use != used_.end()) {
      add_loop(use->second.runs, row);
      add_memory_and_files(use->second.runs, row);
    }
    row.doubt = findings_.trust.doubt_at(row.at);
    row.time_s = total(timed_data(), metric::kRun, point.at).value_or(Bounded{});
    for (const fit::Observation& o : timed_data().totals.at(metric::kRun).observations) {
      if (o.at == point.at && o.values.size() > 1) row.variation = core::coefficient_of_variation(o.values);
    }
    row.start_end_s = total(data_, metric::kOthers, point.at);
    row.job_s = total(data_, "total_s", point.at);
    take_predicted_totals(row);
    if (region_ != nullptr) row.start_end_s = rest_of_job(row);
    add_cost(row);
    return row;
  }

  // What `predict` says of the scale, where that is more than its runs show.
  void take_predicted_totals(ScalingRow& row) const {
    if (findings_.measured_totals.size() != findings_.measured.size()) return;
    const auto found = std::find(findings_.measured.begin(), findings_.measured.end(), row.at);
    if (found == findings_.measured.end()) return;
    const auto& totals = findings_.measured_totals[static_cast<size_t>(found - findings_.measured.begin())];
    row.time_s = {totals.run_s.value, std::nullopt, std::nullopt};
    row.job_s = {totals.total_s.value, std::nullopt, std::nullopt};
  }

  static std::optional<Bounded> rest_of_job(const ScalingRow& row) {
    if (!row.job_s) return std::nullopt;
    return Bounded{std::max(0.0, row.job_s->value - row.time_s.value), std::nullopt, std::nullopt};
  }

  void add_loop(const std::vector<const core::Run*>& runs, ScalingRow& row) const {
    if (!elapsed()) return;
    double sum_s = 0, iterations = 0;
    for (const core::Run* run : runs) {
      const core::Region* const loop = core::main_loop_of(*run);
      if (loop == nullptr) return;
      sum_s += loop->elapsed_s.mean;
      iterations += loop->count.mean;
    }
    row.loop_s = sum_s / static_cast<double>(runs.size());
    row.loop_iterations = iterations / static_cast<double>(runs.size());
  }

  static void leave_out_loops(ScalingTable& table) {
    for (ScalingRow& row : table.rows) row.loop_s = row.loop_iterations = std::nullopt;
  }

  static void add_memory_and_files(const std::vector<const core::Run*>& runs, ScalingRow& row) {
    const auto raise = [](std::optional<double>& most, double value) { most = std::max(most.value_or(0), value); };
    for (const core::Run* run : runs) {
      if (run->memory_peak_bytes) raise(row.memory_rank_bytes, run->memory_peak_bytes->max);
      if (run->memory_peak_node_bytes) raise(row.memory_node_bytes, *run->memory_peak_node_bytes);
      for (const core::FileOperation& o : core::file_operations(*run)) {
        const double share = 1 / static_cast<double>(runs.size());
        const raw::Transfer transfer = raw::transfer_of(o.operation);
        if (transfer == raw::Transfer::kRead) row.read_bytes += o.bytes.sum * share;
        if (transfer == raw::Transfer::kWrite) row.written_bytes += o.bytes.sum * share;
        row.files_s += o.time_s.mean * share;
      }
    }
  }

  void add_cost(ScalingRow& row) const {
    if (!row.job_s || row.doubt || !(cores_per_node_ > 0)) return;
    // With the CPU clock a rank's time holds all its threads.
    const double cores = elapsed() ? row.cores : process_count(row.at);
    row.core_hours = times(*row.job_s, cores / kSecondsPerHour);
    if (elapsed() && row.nodes) row.node_hours = times(*row.job_s, *row.nodes / kSecondsPerHour);
  }

  double growth(const ScalingTable& table, const ScalingRow& row) const {
    return table.scaling == Scaling::kWeak ? 1 : table.base / process_count(row.at);
  }

  void compare(ScalingTable& table) const {
    const Bounded base = table.rows.front().time_s;
    const std::optional<Bounded> base_job_s = table.rows.front().job_s;
    const double base_loop_s = table.rows.front().loop_s.value_or(0);
    if (table.rows.front().doubt) return;
    for (ScalingRow& row : table.rows) {
      if (!(base.value > 0) || !(row.time_s.value > 0) || row.doubt) continue;
      const bool is_base = &row == &table.rows.front();
      const Bounded ratio = is_base ? Bounded{1, 1, 1} : ratio_of(base, row.time_s);
      if (elapsed()) row.speedup = ratio;
      if (table.scaling == Scaling::kUnknown) continue;
      row.efficiency = times(ratio, growth(table, row));
      if (elapsed() && base_job_s && row.job_s && row.job_s->value > 0) {
        row.job_efficiency = base_job_s->value / row.job_s->value * growth(table, row);
      }
      if (base_loop_s > 0 && row.loop_s.value_or(0) > 0) {
        row.loop_efficiency = base_loop_s / *row.loop_s * growth(table, row);
      }
    }
  }

  // `target` is of the whole program.
  void add_predicted(const TargetFindings& job) {
    const std::vector<TargetFindings>& all = timed_findings().targets;
    const auto found = std::find_if(all.begin(), all.end(), [&](const TargetFindings& t) { return t.at == job.at; });
    if (found == all.end()) return;
    const TargetFindings& target = *found;
    if (!target.run_s || !(target.run_s->value > 0)) return;
    std::vector<double> at;
    for (const auto& parameter : target.at) at.push_back(parameter.second);
    for (size_t i = 0; i < tables_.size(); ++i) {
      if (!one_problem() && !same_problem(problems_[i].at, at, data_.processes)) continue;
      ScalingTable& table = tables_[i];
      const auto is_there = [&](const ScalingRow& row) { return row.at == target.at; };
      if (std::any_of(table.rows.begin(), table.rows.end(), is_there)) return;
      ScalingRow row;
      row.at = target.at;
      row.predicted = true;
      row.cores = process_count(row.at) * largest_threads_;
      if (cores_per_node_ > 0) row.nodes = std::ceil(row.cores / cores_per_node_);
      row.time_s = rule_value(*target.run_s);
      if (job.others_s) row.start_end_s = rule_value(*job.others_s);
      if (job.total_s) row.job_s = rule_value(*job.total_s);
      if (region_ != nullptr) row.start_end_s = rest_of_job(row);
      add_cost(row);
      // As `predict` gives them, where its base is this table's: the base counts as exact.
      if (target.efficiency_interval && !table.is_in_doubt() && table.rows.front().at == timed_findings().base) {
        row.efficiency = rule_value(*target.efficiency_interval);
        if (elapsed()) row.speedup = times(*row.efficiency, 1 / growth(table, row));
      }
      table.rows.push_back(std::move(row));
      return;
    }
  }

  const fit::ApplicationData& data_;
  const TableRegion* const region_;  // null: none
  const Findings& findings_;
  const ScalingTableOptions options_;
  const double host_cores_;  // 0: not known
  std::map<std::vector<double>, UsedMachine> used_;
  int largest_threads_ = 1;
  double most_on_a_node_ = 0, most_nodes_ = 0;
  double cores_per_node_ = 0;  // 0: not known
  bool is_said_ = false;       // and not the runs'
  // What the rows of a table have in common: the parameters but for the processes, and the main loops of its runs.
  struct Problem {
    std::vector<double> at;
    std::vector<const core::Region*> loops;
  };
  std::vector<ScalingTable> tables_;
  std::vector<Problem> problems_;  // of the same index
};

}  // namespace

std::vector<ScalingTable> scaling_tables(const core::Profile& profile, const core::Experiment* experiment,
                                         const fit::ApplicationData& data, const Findings& findings,
                                         const ScalingTableOptions& options, const TableRegion* region) {
  return TableBuilder(profile, experiment, data, findings, options, region).build();
}

Bounded ratio_of(const Bounded& numerator, const Bounded& denominator) {
  Bounded ratio{numerator.value / denominator.value, std::nullopt, std::nullopt};
  if (!numerator.low || !numerator.high || !denominator.low || !denominator.high || !(*numerator.low > 0)) {
    return ratio;
  }
  const auto apart = [](double a, double b) { return std::exp(std::hypot(std::log(a), std::log(b))); };
  ratio.low = ratio.value / apart(numerator.value / *numerator.low, *denominator.high / denominator.value);
  if (*denominator.low > 0) {
    ratio.high = ratio.value * apart(*numerator.high / numerator.value, denominator.value / *denominator.low);
  }
  return ratio;
}

Bounded times(const Bounded& value, double factor) {
  const auto scaled = [factor](const std::optional<double>& end) {
    return end ? std::optional(*end * factor) : std::nullopt;
  };
  return {value.value * factor, scaled(value.low), scaled(value.high)};
}

}  // namespace scalediag::report
