#include "report/proposal/proposal.h"

#include <algorithm>
#include <set>

#include "core/text/join.h"
#include "core/text/numbers.h"
#include "report/proposal/scaling_table_text.h"
#include "report/proposal/study_remarks.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

using core::Error;
using core::ErrorCode;

size_t measured_scales(const ScalingTable& table) {
  std::set<double> all;
  for (const ScalingRow& row : table.rows) {
    if (!row.predicted) all.insert(process_count(row.at));
  }
  return all.size();
}

Error one_scale(const std::string& input, double only) {
  return {ErrorCode::kInput,
          input + " was measured with " + core::to_text(only) + (only == 1 ? " process" : " processes") +
              " only: one number of processes shows no scaling",
          "measure further ones into the same folder: scalediag profile -n " + core::to_text(only) + "," +
              core::to_text(2 * only) + "," + core::to_text(4 * only) + "," + core::to_text(8 * only) + " -o " + input +
              " -- ...",
          input};
}

// The reason why two studies cannot stand in one section; no error: they can.
core::Status check_together(const Study& a, const Study& b) {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    return Error{ErrorCode::kInput, what, hint, b.input};
  };
  if (a.findings.application != b.findings.application) {
    return refuse(a.input + " is of the program " + a.findings.application + ", " + b.input + " of " +
                      b.findings.application + ": one section compares problems of one program",
                  "write a section for each, with its own -o");
  }
  if (a.findings.clock != b.findings.clock) {
    const Study& cpu = a.findings.clock == "cpu" ? a : b;
    return refuse(cpu.input + " has CPU time (" + cpu.findings.clock_reason + "), and the other one elapsed time",
                  "measure both with a core for each rank, or write a section for each");
  }
  if (a.findings.scaling != b.findings.scaling) {
    return refuse(a.input + " is " + name_of(a.findings.scaling) + " scaling and " + b.input + " " +
                      name_of(b.findings.scaling) + ": their efficiencies are not the same thing",
                  "write a section for each, or say --scaling strong or --scaling weak where that is wrong");
  }
  if (a.region != b.region) {
    const auto times_of = [](const Study& study) {
      return study.region.empty() ? std::string("whole runs") : name_of_region(study.region);
    };
    return refuse(
        "the times of " + a.input + " are of " + times_of(a) + " and those of " + b.input + " of " + times_of(b),
        "say --region run, or name a region that all experiments have");
  }
  return core::Done{};
}

// The differences between studies beyond their problem.
std::vector<std::string> differences(const std::vector<Study>& studies) {
  std::vector<std::string> remarks;
  const auto compare = [&](const std::string& what, std::string Study::*value) {
    std::set<std::string> all;
    for (const Study& study : studies) {
      if (!(study.*value).empty()) all.insert(study.*value);
    }
    if (all.size() > 1) remarks.push_back("The experiments differ in " + what + ": " + core::join(all, "; ") + ".");
  };
  compare("the machine", &Study::host);
  compare("the MPI library", &Study::mpi);
  std::set<std::string> builds;
  for (const Study& study : studies) {
    if (!study.executable_fingerprint.empty()) builds.insert(study.executable_fingerprint);
  }
  if (builds.size() > 1) remarks.push_back("The experiments were measured with different builds of the program.");
  return remarks;
}

// "big" of "path/big.scalediag/".
std::string name_of_input(std::string input) {
  while (input.size() > 1 && input.back() == '/') input.pop_back();
  input = input.substr(input.find_last_of('/') + 1);
  const std::string ending = ".scalediag";
  if (input.size() > ending.size() && input.ends_with(ending)) input.resize(input.size() - ending.size());
  return input;
}

}  // namespace

core::Status check_scales(const std::string& input, const fit::ApplicationData& data) {
  if (const std::vector<double> scales = data.scales(); scales.size() < 2) return one_scale(input, scales.front());
  return core::Done{};
}

core::Result<Study> study_of(const StudyParts& parts, Findings findings, const ScalingTableOptions& options) {
  const core::Profile& profile = parts.profile;
  const core::Experiment* const experiment = parts.experiment;
  const TableRegion* const region = parts.region ? &*parts.region : nullptr;
  Study study;
  study.input = parts.input;
  study.provenance = provenance_of(profile, experiment);
  if (region != nullptr) findings.trust.add(region->findings.trust);
  study.tables = scaling_tables(profile, experiment, parts.data, findings, options, region);
  study.region = region != nullptr ? region->name : "";
  study.why_run = parts.why_run;
  const Findings& timed = region != nullptr ? region->findings : findings;
  study.efficiencies = timed.efficiencies;
  if (!timed.targets.empty()) study.how_certain = how_certain(timed);
  std::vector<std::string> alone;  // problems that were measured at one number of processes
  for (const ScalingTable& table : study.tables) {
    if (measured_scales(table) == 1) alone.push_back(table.label);
  }
  std::erase_if(study.tables, [](const ScalingTable& table) { return measured_scales(table) < 2; });
  if (study.tables.empty()) return one_scale(parts.input, parts.data.scales().back());
  study.findings = std::move(findings);
  if (experiment != nullptr) {
    study.host = experiment->host.name + ", " + experiment->host.cpu;
    study.executable_fingerprint = experiment->executable_fingerprint;
  }
  for (const core::Run& run : profile.runs) {
    if (run.complete) study.mpi = run.mpi_library;
  }
  study.remarks = remarks_of(study, profile, experiment);
  if (!alone.empty()) {
    study.remarks.push_back("Measured with one number of processes, and left out: " + core::join(alone) + ".");
  }
  return study;
}

core::Result<Proposal> proposal_of(std::vector<Study> studies, const ProposalOptions& options) {
  for (const Study& study : studies) {
    if (const core::Status together = check_together(studies.front(), study); !together) return together.error();
  }
  Proposal proposal;
  proposal.remarks = differences(studies);
  proposal.studies = std::move(studies);
  proposal.options = options;
  if (options.budget && options.job_processes && budget_row(proposal).row == nullptr) {
    return Error{ErrorCode::kUsage,
                 "the table of the last problem has no " + core::to_text(*options.job_processes) +
                     " processes, for which the budget is asked",
                 "name one that was measured, or add it to --np or --at", ""};
  }
  return proposal;
}

std::string weakened_conclusions(const Study& study) {
  const Trust& trust = study.findings.trust;
  if (trust.grade() == Grade::kSure) return "";
  return weakened(trust, "What is concluded from these runs, because " + text_of(trust.reasons.front()) + ".",
                  "how the program scales");
}

BudgetRow budget_row(const Proposal& proposal) {
  // Of several problems the last one is the production's: experiments are given by rising size.
  const ScalingTable& table = proposal.studies.back().tables.back();
  if (!proposal.options.job_processes) {
    const JobChoices choices = job_choices(table, proposal.options.efficiency_bound);
    return {&table, choices.efficient_measured != nullptr ? choices.efficient_measured : choices.efficient};
  }
  for (const ScalingRow& row : table.rows) {
    if (process_count(row.at) == *proposal.options.job_processes) return {&table, &row};
  }
  return {};
}

bool is_weak(const Proposal& proposal) { return proposal.studies.front().findings.scaling == Scaling::kWeak; }

bool is_elapsed(const Proposal& proposal) { return proposal.studies.front().tables.front().is_elapsed(); }

std::string problem_name(const Proposal& proposal, const Study& study, const ScalingTable& table) {
  std::string name = proposal.studies.size() > 1 ? name_of_input(study.input) : "";
  if (!table.label.empty()) name += (name.empty() ? "" : ", ") + table.label;
  return name;
}

}  // namespace scalediag::report
