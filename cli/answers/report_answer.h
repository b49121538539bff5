// The page that `report` and `profile --report` write.
#pragma once

#include <string>

#include "cli/inputs/measurement_input.h"
#include "cli/inputs/prediction.h"
#include "core/result.h"
#include "report/findings/findings.h"
#include "report/scaling/scaling_curve.h"

namespace scalediag::cli {

struct ReportOptions {
  PredictionRequest prediction;
  std::string html = "report.html";
  std::string json;  // empty: none is written
  double bound = report::kEfficiencyBound;
};

struct ReportedFindings {
  MeasurementInput input;
  report::Findings findings;
};

// The findings with their evidence. Errors: as of load_measurement_input(), choose_region() and findings_of().
Result<ReportedFindings> reported_findings(const ReportOptions& options);

// Writes `text` and says so on stderr. Error: the one that `text` is, or that it could not be written.
Status write_answer(const std::string& path, const Result<std::string>& text);

// Writes the page, and the JSON where that was asked for. Returns the verdict, a sentence a line. Errors: as of
// scaling_tables_of(); a file cannot be written.
Result<std::string> write_report(const ReportOptions& options, ReportedFindings reported);

}  // namespace scalediag::cli
