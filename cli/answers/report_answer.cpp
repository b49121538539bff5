#include "cli/answers/report_answer.h"

#include <utility>
#include <vector>

#include "cli/answers/prediction_answer.h"
#include "cli/diagnostics.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/size_input.h"
#include "cli/inputs/study_input.h"
#include "cli/standard_output.h"
#include "core/atomic_file.h"
#include "core/text/quantities.h"
#include "core/text/wrapping.h"
#include "predict/evidence/traces.h"
#include "report/render/html/page.h"
#include "report/render/json/report_json.h"
#include "report/render/verdict.h"

namespace scalediag::cli {
namespace {

void add_measurement(const MeasurementInput& input, report::Findings& findings) {
  if (!input.profile) return;
  findings.traffic = report::traffic_findings(*input.profile);
  findings.regions = report::region_findings(*input.profile);
  findings.openmp = report::openmp_findings(*input.profile);
  findings.call_tree = report::call_tree_of(*input.profile);
  findings.provenance = report::provenance_of(*input.profile, input.experiment ? &*input.experiment : nullptr);
}

// The phases where there are traces of several numbers of processes, and no other parameter that traces could differ
// in.
void add_phases(const MeasurementInput& input, report::Findings& findings) {
  if (!input.experiment || !input.profile || findings.measured.front().size() > 1) return;
  if (predict::traced_scales(input.path, *input.experiment).size() < 2) return;
  predict::Remarks remarks;
  const auto model =
      predict::read_scaling_model(input.path, {}, 0, remarks, {}, {predict::kFewPairs, "`scalediag phases` does it"});
  tell(remarks);
  if (!model) return warn("the report has no phases: " + model.error().message);
  findings.phases = report::phase_findings(model.value(), *input.profile);
}

}  // namespace

Status write_answer(const std::string& path, const Result<std::string>& text) {
  if (!text) return text.error();
  TRY(core::write_file_atomically(path, text.value()));
  note("wrote " + path + " (" + core::bytes_text(static_cast<double>(text.value().size())) + ")");
  return Done{};
}

Result<ReportedFindings> reported_findings(const ReportOptions& options) {
  MeasurementInput input =
      TRY(load_measurement_input(options.prediction.input, options.prediction.more_inputs, options.prediction.columns));
  TRY(choose_region(input, options.prediction.region));
  PredictionRequest request = options.prediction;
  TRY(choose_size(input, request));
  report::FindingsOptions findings_options;
  findings_options.detailed = true;
  findings_options.efficiency_bound = options.bound;
  report::Findings findings = TRY(findings_of(input, request, findings_options));
  return ReportedFindings{std::move(input), std::move(findings)};
}

Result<std::string> write_report(const ReportOptions& options, ReportedFindings reported) {
  auto& [input, findings] = reported;
  const std::vector<report::ScalingTable> tables = TRY(scaling_tables_of(input, options.prediction, findings));
  add_measurement(input, findings);
  add_phases(input, findings);
  if (!options.json.empty()) {
    TRY(write_answer(options.json, report::report_json(findings, report::JsonLayout::kReadable)));
  }
  TRY(write_answer(options.html,
                   report::report_html(findings, tables, step_to_improve(input, options.prediction, findings))));
  std::string verdict;
  for (const std::string& sentence : report::verdict_of(findings)) {
    verdict += core::wrapped("", sentence, terminal_width(), 0);
  }
  if (findings.phases) verdict += text_of(*findings.phases) + "\n";
  return verdict;
}

}  // namespace scalediag::cli
