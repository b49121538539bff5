// The number of processes for a job, out of the rows of a scaling table: the cheapest one, the fastest one, and the
// largest one up to which efficiency stays at or above a bound.
#pragma once

#include <optional>
#include <string>

#include "report/scaling/scaling_table.h"

namespace scalediag::report {

// The reason why no larger row than `efficient` is chosen.
enum class EfficiencyEnd {
  kTable,    // it is the largest row
  kBound,    // the next row's efficiency is below the bound
  kUnknown,  // the next row has no efficiency, as rows in doubt
};

struct JobChoices {
  double bound = 0;  // of efficiency
  // Rows of the table; null where the table does not tell.
  const ScalingRow* cheapest = nullptr;   // the least node-hours a job
  const ScalingRow* fastest = nullptr;    // the least time of a job
  const ScalingRow* efficient = nullptr;  // the last one before efficiency falls below the bound or is not known
  const ScalingRow* efficient_measured = nullptr;  // the last measured one of these
  EfficiencyEnd end = EfficiencyEnd::kTable;
  const ScalingRow* beyond = nullptr;  // the row after `efficient`; null at the end of the table
  // The lower end of its efficiency is below the bound, or unknown.
  bool efficient_is_uncertain = false;
};

// In weak scaling each row is another problem, so that none is cheaper or faster than another, and CPU times tell
// neither what a job costs nor how long it takes: those two are null then. Rows in doubt are never chosen.
JobChoices job_choices(const ScalingTable& table, double bound);

// The cost by which rows are compared: node-hours, else core-hours; empty where neither is known.
const std::optional<Bounded>& cost_of(const ScalingTable& table, const ScalingRow& row);
// Its unit for people: "node-hours", "core-hours", "core-hours of CPU time".
std::string cost_unit(const ScalingTable& table);

// A budget for jobs at one number of processes.
struct BudgetRequest {
  double jobs = 0;
  std::optional<double> steps = {};           // of the main loop in a production job; empty: as many as were measured
  std::optional<double> measured_steps = {};  // in the measured runs
  int periods = 1;                            // that the jobs are spread over evenly
};

struct Budget {
  BudgetRequest request;
  Point at;
  bool predicted = false;
  Bounded job_cost;  // node-hours
  Bounded cost;      // of all jobs
  Bounded period_cost;
  Bounded job_s;         // of a production job
  std::string steps_of;  // the region that grows as the steps; empty: the run, set-up included
};

// A production job takes job_s + the time of the region, or of the main loop, x (steps / measured steps - 1); where the
// main loop is not known, start_end_s + time_s x steps / measured steps, with the program's set-up in time_s. Empty
// where the row, of `table`, has no node-hours.
std::optional<Budget> budget_of(const ScalingTable& table, const ScalingRow& row, const BudgetRequest& request);

}  // namespace scalediag::report
