#include <gtest/gtest.h>

#include <random>

#include "fit/data/measurement_file.h"
#include "fit/data/sampled/gprof_profile.h"
#include "fit/data/sampled/perf_report.h"
#include "tests/core/text_mutation.h"
#include "tests/fit/data/run_values.h"

namespace scalediag::fit {
namespace {

// The manual of gprof describes the columns; the three numbers of calls may be blank.
const std::string kGprof =
    "Flat profile:\n\nEach sample counts as 0.01 seconds.\n"
    "  %   cumulative   self              self     total           \n"
    " time   seconds   seconds    calls  ms/call  ms/call  name    \n"
    " 75.00      3.00     3.00      100    30.00    40.00  grid::sweep(int, double)\n"
    " 20.00      3.80     0.80                             operator new(unsigned long)\n"
    "  5.00      4.00     0.20       10    20.00    20.00  norm <cycle 1>\n"
    "\n %         the percentage of the total running time of the\ntime       program used by this function.\n"
    "\f\n\t\t     Call graph (explanation follows)\n";

const std::string kPerf =
    "# To display the perf.data header info, please use --header/--header-only options.\n#\n#\n"
    "# Total Lost Samples: 0\n#\n# Samples: 8K of event 'cpu-clock:ppp'\n# Event count (approx.): 2000000000\n#\n"
    "# Overhead  Command  Shared Object      Symbol                 \n"
    "# ........  .......  .................  .......................\n#\n"
    "    75.00%  my app   app                [.] sweep(int, double)\n"
    "    12.50%  my app   libmpi.so.40       [.] 0x00007f1122334455\n"
    "     6.25%  my app   libmpi.so.40       [.] 0x00007f1122334466\n"
    "     3.75%  my app   [kernel.kallsyms]  [k] copy_page\n\n\n#\n# (Tip: ...)\n#\n";

template <typename Result>
std::string error_of_sampled(const Result& run) {
  return run ? "" : run.error().message;
}

TEST(Gprof, TimesAreThoseOfTheFunctionsThemselves) {
  EXPECT_EQ(kind_of(kGprof), FileKind::kGprof);
  EXPECT_TRUE(may_begin_run(kGprof));
  const auto run = read_gprof(kGprof, "a");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_DOUBLE_EQ(value_of(run.value(), "grid::sweep(int, double)", "cpu_time"), 3);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "grid::sweep(int, double)", "calls"), 100);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "operator new(unsigned long)", "cpu_time"), 0.8);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "norm", "cpu_time"), 0.2);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[whole program]", "total_cpu_time"), 4);
  // Two values of each function with calls, one of the other, and the total.
  EXPECT_EQ(run.value().values().size(), 6u);
}

TEST(Gprof, ErrorsNameTheLine) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kGprof;
    text.replace(text.find(from), from.size(), to);
    return error_of_sampled(read_gprof(text, "a"));
  };
  EXPECT_EQ(changed(" time   seconds   seconds", " time     ticks     ticks"), "a:5: times are not in seconds");
  EXPECT_EQ(changed("3.80     0.80 ", "3.80     x.80 "),
            "a:7: '20.00      3.80     x.80                ...' is no row: % time, cumulative seconds, self seconds, "
            "calls, time per call twice, name");
  EXPECT_EQ(error_of_sampled(read_gprof(kGprof.substr(0, kGprof.find(" 75.00")), "a")),
            "a has a flat profile without functions");
}

TEST(PerfReport, SharesOfAClockAreSeconds) {
  EXPECT_EQ(kind_of(kPerf), FileKind::kPerfReport);
  EXPECT_TRUE(may_begin_run(kPerf));
  const auto run = read_perf_report(kPerf, "a");
  ASSERT_TRUE(run.ok()) << run.error().message;
  // The clock counted 2e9 ns; both addresses are of one library.
  EXPECT_DOUBLE_EQ(value_of(run.value(), "sweep(int, double)", "cpu_time"), 1.5);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[libmpi.so.40, no symbol]", "cpu_time"), 0.375);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "copy_page", "cpu_time"), 0.075);
  EXPECT_NEAR(value_of(run.value(), "[other]", "cpu_time"), 0.05, 1e-12);  // 100 - 97.5 % of 2 s
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[whole program]", "total_cpu_time"), 2);
}

TEST(PerfReport, PeriodsOfEveryEventCountWithoutCallees) {
  const std::string text =
      "# Samples: 2 of event 'cycles:u'\n# Event count (approx.): 1000\n#\n"
      "# Children      Self        Period  Command  Symbol\n# ........  ........  ............  .......  ......\n#\n"
      "   100.00%     0.00%             0  app      [.] main\n            |\n            ---main\n"
      "               |--70.00%--solve\n\n    70.01%    70.01%           701  app      [.] solve\n\n"
      "# Samples: 1 of event 'task-clock'\n# Event count (approx.): 4000000\n#\n"
      "# Children      Self        Period  Command  Symbol\n#\n"
      "    50.00%    50.00%       2000000  app      [.] solve\n";
  const auto run = read_perf_report(text, "a");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(value_of(run.value(), "main", "cycles"), 0);
  EXPECT_EQ(value_of(run.value(), "solve", "cycles"), 701);
  EXPECT_EQ(value_of(run.value(), "[other]", "cycles"), 299);
  EXPECT_EQ(value_of(run.value(), "[whole program]", "cycles"), 1000);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "solve", "cpu_time"), 2e-3);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[whole program]", "total_cpu_time"), 4e-3);
}

TEST(PerfReport, ErrorsNameTheLine) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kPerf;
    text.replace(text.find(from), from.size(), to);
    return error_of_sampled(read_perf_report(text, "a"));
  };
  EXPECT_EQ(changed("event 'cpu-clock:ppp'", "events 'anon group { a, b }'"),
            "a:6: 'Samples: 8K of events 'anon group { a, b...' is not of one event");
  EXPECT_EQ(changed("2000000000", "many"), "a:7: 'many' is not a number");
  EXPECT_EQ(changed("Symbol   ", "Source   "), "a:9: there is no column Overhead or Self, or none of Symbol");
  EXPECT_EQ(changed("# Event count (approx.): 2000000000\n", ""),
            "a:8: no event and its count are named above this table");
  EXPECT_EQ(changed("my app   app                [.] sweep(int, double)", "my app"),
            "a:12: '75.00%  my app' has fewer cells than the table has columns");
  EXPECT_EQ(error_of_sampled(read_perf_report(kPerf.substr(0, kPerf.find("    75.00%")), "a")),
            "a has no row of a symbol");
}

TEST(GprofAndPerf, NoDamageBreaksTheReaders) {
  std::mt19937 random(20260119);
  for (const std::string& seed : {kGprof, kPerf}) {
    for (size_t length = 0; length < seed.size(); ++length) {
      (void)read_gprof(seed.substr(0, length), "a").ok();
      (void)read_perf_report(seed.substr(0, length), "a").ok();
    }
    for (int i = 0; i < 5000; ++i) {
      const std::string text = core::mutate_text(seed, random);
      (void)read_gprof(text, "a").ok();
      (void)read_perf_report(text, "a").ok();
    }
  }
}

}  // namespace
}  // namespace scalediag::fit
