// The cost of a report of 3,000 kernels at 12 scales, step by step (models, findings, JSON, page), and its size.
//
//   report_bench [KERNELS [SCALES]]
//
// The time that a browser takes to open it is printed by tests/browser.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "fit/application/application.h"
#include "fit/profile/profile_data.h"
#include "report/findings/application_findings.h"
#include "report/render/html/page.h"
#include "report/render/json/report_json.h"
#include "tests/report/example_report.h"

namespace {

class Stopwatch {
 public:
  void lap(const char* what) {
    const auto now = std::chrono::steady_clock::now();
    std::printf("%-28s %8.3f s\n", what, std::chrono::duration<double>(now - last_).count());
    last_ = std::chrono::steady_clock::now();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

int main(int argc, char** argv) {
  using namespace scalediag;
  const int kernels = argc > 1 ? std::atoi(argv[1]) : 3000;
  const int scales = argc > 2 ? std::atoi(argv[2]) : 12;
  if (kernels < 1 || scales < 2 || scales > 24) return 2;
  const core::Profile profile = report::large_profile(kernels, scales);
  Stopwatch watch;
  auto data = fit::application_data(profile);
  if (!data) return 1;
  watch.lap("data");
  const auto model = fit::fit_application(std::move(data).value());
  if (!model) return 1;
  watch.lap("models");
  report::FindingsOptions options;
  const double largest = 2.0 * (1 << (scales - 1));
  const std::vector<std::vector<double>> targets = {{2 * largest}, {16 * largest}};
  report::application_findings(model.value(), targets, options);
  watch.lap("findings");
  options.detailed = true;
  report::Findings findings = report::application_findings(model.value(), targets, options);
  watch.lap("findings with evidence");
  findings.traffic = report::traffic_findings(profile);
  findings.provenance = report::provenance_of(profile, nullptr);
  watch.lap("traffic, provenance");
  const auto json = report::report_json(findings, report::JsonLayout::kReadable);
  watch.lap("report.json");
  const auto page = report::report_html(findings);
  watch.lap("report.html");
  if (!json || !page) return 1;
  std::printf("report.json %.2f MB, report.html %.2f MB\n", static_cast<double>(json.value().size()) / 1e6,
              static_cast<double>(page.value().size()) / 1e6);
  return 0;
}
