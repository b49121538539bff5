#include "fit/data/tables/exported_csv.h"

#include <gtest/gtest.h>

#include <random>

#include "fit/data/measurement_file.h"
#include "tests/core/text_mutation.h"

namespace scalediag::fit {
namespace {

std::string text_of(const MeasurementSet& set) {
  std::string text;
  for (const Series& series : set.series) {
    text += series.kernel + " " + series.metric;
    for (const Observation& o : series.observations) {
      for (size_t p = 0; p < o.at.size(); ++p) {
        char number[60];
        std::snprintf(number, sizeof number, " %s=%g", series.parameter_names[p].c_str(), o.at[p]);
        text += number;
      }
      text += ":";
      for (const double value : o.values) {
        char number[40];
        std::snprintf(number, sizeof number, " %.10g", value);
        text += number;
      }
    }
    text += "\n";
  }
  return text;
}

std::string read(const std::string& text) {
  const auto set = parse_measurements(text, kind_of(text), "x.csv");
  return set ? text_of(set.value()) : set.error().message;
}

constexpr char kExported[] =
    "np,n,kernel,metric,repeat,value\n"
    "2,64,[all],run_s,0,1.5\n2,64,[all],run_s,1,1.25\n4,64,[all],run_s,0,0.75\n"
    "2,64,Grid::~Grid,time_s,0,4.2178e-05\n"
    "2,64,\"solve(int, double)\",calls,0,1000000\n"
    "2,64,'=copy,time_s,0,0\n";

constexpr char kValues[] =
    "[all] run_s np=2 n=64: 1.5 1.25 np=4 n=64: 0.75\n"
    "Grid::~Grid time_s np=2 n=64: 4.2178e-05\n"
    "solve(int, double) calls np=2 n=64: 1000000\n"
    "=copy time_s np=2 n=64: 0\n";

TEST(ExportedCsv, EveryMetricOfEveryKernelIsReadWithItsRepeats) {
  EXPECT_EQ(kind_of(kExported), FileKind::kExportedCsv);
  EXPECT_EQ(read(kExported), kValues);
}

TEST(ExportedCsv, ColumnsThatTheFirstLineOnlySeemsToHaveAreRefused) {
  EXPECT_NE(read("np;kernel,metric;repeat,value\n2;a;3\n4;a;2\n").find("x.csv"), std::string::npos);
}

// As a spreadsheet with a German locale writes the same values.
TEST(ExportedCsv, ASpreadsheetMayHaveWrittenItAnew) {
  EXPECT_EQ(read("\xEF\xBB\xBF\"np\";\"n\";\"kernel\";\"metric\";\"repeat\";\"value\"\r\n"
                 "2;64;[all];run_s;0;1,5\r\n2;64;[all];run_s;1;1,25\r\n4;64;[all];run_s;0;0,75\r\n"
                 "2;64;Grid::~Grid;time_s;0;4,2178E-05\r\n2;64;solve(int, double);calls;0;1000000\r\n"
                 "2;64;=copy;time_s;0;0\r\n"),
            kValues);
}

TEST(ExportedCsv, OtherTablesAreNone) {
  EXPECT_FALSE(is_exported_csv("kernel,metric,repeat,value\nsolve,time_s,0,1\n"));  // no parameter
  EXPECT_FALSE(is_exported_csv("np,kernel,value\n2,solve,1\n"));
  EXPECT_FALSE(is_exported_csv("np,mykernel,metric,repeat,value\n"));
}

TEST(ExportedCsv, ErrorsNameLineAndColumn) {
  EXPECT_EQ(read("np,kernel,metric,repeat,value\n2,a,time_s,0,1\nx,a,time_s,0,1\n"),
            "x.csv:3: 'x' of column 'np' is no number");
  EXPECT_EQ(read("np,kernel,metric,repeat,value\n2,a,time_s,0,1 s\n"), "x.csv:2: '1 s' of column 'value' is no number");
  EXPECT_EQ(read("np,kernel,metric,repeat,value\n2,a,time_s,0,1\n2,a,time_s,1\n"),
            "x.csv:3: 4 cells where the names in line 1 have 5");
}

// The result is a set or an error that names the file.
TEST(ExportedCsv, CutOffAndDamagedTextIsNeverMisread) {
  std::mt19937 random(11);
  const std::string seed = kExported;
  for (size_t end = 0; end < seed.size(); ++end) (void)read(seed.substr(0, end));
  for (int i = 0; i < 2000; ++i) {
    const std::string damaged = core::mutate_text(seed, random);
    if (!is_exported_csv(damaged)) continue;
    const auto set = read_exported_csv(damaged, "x.csv");
    if (!set.ok()) {
      EXPECT_EQ(set.error().message.find("x.csv"), 0U) << set.error().message;
    }
  }
}

}  // namespace
}  // namespace scalediag::fit
