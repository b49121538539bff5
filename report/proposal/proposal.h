// The scaling section of a proposal for computing time, as data: one or several experiments of one program, what they
// allow to say and what they do not, and the jobs that follow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "report/findings/findings.h"
#include "report/findings/provenance.h"
#include "report/proposal/job_choice.h"
#include "report/proposal/study.h"
#include "report/scaling/scaling_table.h"

namespace scalediag::report {

struct ProposalOptions {
  double efficiency_bound = 0.7;
  std::optional<BudgetRequest> budget;
  std::optional<double> job_processes;  // of the budget; empty: the largest that keeps the bound
};

struct Proposal {
  std::vector<Study> studies;  // at least one
  ProposalOptions options;
  std::vector<std::string> remarks;  // on the studies together
};

// Error (kInput): one number of processes was measured, which shows no scaling.
core::Status check_scales(const std::string& input, const fit::ApplicationData& data);

// The runs of a study and their data. `region`: whose times the tables have, if not the run's.
struct StudyParts {
  std::string input;
  const core::Profile& profile;
  const core::Experiment* experiment;
  const fit::ApplicationData& data;
  std::optional<TableRegion> region;
  std::string why_run;  // Study::why_run
};

// `findings` are of the whole program. Error: as check_scales(), for every problem.
core::Result<Study> study_of(const StudyParts& parts, Findings findings, const ScalingTableOptions& options);

// Errors: the studies are of different programs, clocks or kinds of scaling, which no section can compare (kInput); a
// budget at a number of processes that no table has (kUsage).
core::Result<Proposal> proposal_of(std::vector<Study> studies, const ProposalOptions& options);

// The conclusion about runs that nobody made, as weakened() says it; empty where the grade is sure enough.
std::string weakened_conclusions(const Study& study);

// The row whose jobs the budget is for, and its table; null where there is none.
struct BudgetRow {
  const ScalingTable* table = nullptr;
  const ScalingRow* row = nullptr;
};
BudgetRow budget_row(const Proposal& proposal);

// Of all studies, which agree in both.
bool is_weak(const Proposal& proposal);
bool is_elapsed(const Proposal& proposal);

// The name of a study's problem in tables and figures: of several studies their input's, and of several problems their
// parameters.
std::string problem_name(const Proposal& proposal, const Study& study, const ScalingTable& table);

}  // namespace scalediag::report
