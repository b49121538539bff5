// Reports of the examples, for tests that read them with other programs.
//
//   write_reports FOLDER [NAME...]     NAME.html, NAME.json and NAME.txt (what `predict` prints); names: example,
//                                      hostile, large
#include <cstdio>
#include <string>
#include <vector>

#include "core/atomic_file.h"
#include "report/render/html/page.h"
#include "report/render/json/report_json.h"
#include "report/render/text/predict_text.h"
#include "tests/report/example_report.h"

namespace {

using scalediag::core::Profile;

bool write(const std::string& path, const scalediag::core::Result<std::string>& text) {
  if (text && scalediag::core::write_file_atomically(path, text.value())) return true;
  std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return false;
}

bool write_all(const std::string& name, const std::string& path) {
  namespace report = scalediag::report;
  const bool large = name == "large";
  const Profile profile = large               ? report::large_profile(3000, 12)
                          : name == "hostile" ? report::hostile_profile()
                                              : report::example_profile();
  const std::vector<std::vector<double>> targets =
      large ? std::vector<std::vector<double>>{{8192}, {65536}} : std::vector<std::vector<double>>{{64}, {256}, {1024}};
  const report::Findings findings = report::report_findings(profile, targets);
  report::TerminalOptions terminal;
  terminal.width = 1000;
  terminal.top = 0;
  return write(path + ".html", report::report_html(findings)) &&
         write(path + ".json", report::report_json(findings, report::JsonLayout::kReadable)) &&
         write(path + ".txt", report::findings_text(findings, terminal));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::vector<std::string> names(argv + 2, argv + argc);
  if (names.empty()) names = {"example", "hostile", "large"};
  for (const std::string& name : names) {
    if (!write_all(name, std::string(argv[1]) + "/" + name)) return 1;
  }
  return 0;
}
