#include <gtest/gtest.h>

#include <random>

#include "fit/data/measurement_file.h"
#include "fit/data/mpip/mpip_report.h"
#include "fit/data/talp/talp_json.h"
#include "tests/core/text_mutation.h"
#include "tests/fit/data/run_values.h"

namespace scalediag::fit {
namespace {

const std::string kLine = "---------------------------------------------------------------------------\n";
const std::string kReport =
    "@ mpiP\n@ Command : ./app\n@ MPI Task Assignment      : 0 host\n@ MPI Task Assignment      : 1 host\n\n" + kLine +
    "@--- MPI Time (seconds) ---------------------------------------------------\n" + kLine +
    "Task    AppTime    MPITime     MPI%\n   0       10      2     20.00\n   1       10     4     40.00\n"
    "   *       20      6     30.00\n" +
    kLine + "@--- Callsites: 2 ---------------------------------------------------------\n" + kLine +
    " ID Lev File/Address        Line Parent_Funct             MPI_Call\n"
    "  1   0 halo.c              12 exchange                 Send\n  1   1 main.c              30 main\n"
    "  2   0 0x401000            [unknown]                Allreduce\n" +
    kLine + "@--- Callsite Time statistics (all, milliseconds): 4 ----------------------\n" + kLine +
    "Name              Site Rank  Count      Max     Mean      Min   App%   MPI%\n"
    "Send                 1    0    100       20       10        5   10.00  50.00\n"
    "Send                 1    1    100       30       20       10   20.00  50.00\n"
    "Send                 1    *    200       30       15        5   15.00  50.00\n"
    "Allreduce            2    *     10      300      200      100   10.00  33.33\n" +
    kLine + "@--- Callsite Message Sent statistics (all, sent bytes) -------------------\n" + kLine +
    "Name              Site Rank   Count       Max      Mean       Min       Sum\n"
    "Send                 1    0     100      6000      6000      6000     6e+05\n"
    "Send                 1    *     200      6000      6000      6000   1.2e+06\n";

const std::string kTalp = R"({"dlbVersion": "3.5", "resources": {"numCpus": 4, "numNodes": 1, "numMpiRanks": 2},
 "Application": {"Global": {"numCpus": 4, "numMpiRanks": 2, "cycles": -1, "instructions": 1000, "numMpiCalls": 48,
   "elapsedTime": 10000000000, "usefulTime": 24000000000, "mpiTime": 12000000000, "ompLoadImbalanceTime": 2000000000},
  "loop": {"elapsedTime": 5000000000}}})";

template <typename Result> std::string error_of(const Result& run) { return run ? "" : run.error().message; }

TEST(Mpip, TimesAreThoseOfTheMeanRankByCallers) {
  EXPECT_EQ(kind_of(kReport), FileKind::kMpip);
  const auto run = read_mpip(kReport, "a.mpiP");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run.value().processes, 2);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[computation]", "time"), 7);  // (10 - 2 + 10 - 4) / 2
  // 100 calls of 10 ms and 100 of 20 ms, over two ranks.
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->exchange->MPI_Send", "time"), 1.5);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->exchange->MPI_Send", "calls"), 100);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->exchange->MPI_Send", "bytes"), 600000);
  // Only the line for all ranks: 10 calls of 200 ms.
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[unknown]->MPI_Allreduce", "time"), 1);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[MPI, other]", "time"), 0.5);  // (2 + 4) / 2 - 1.5 - 1
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[whole program]", "total_time"), 10);
}

std::string with(const std::string& text, const std::string& from, const std::string& to) {
  const size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? text : text.substr(0, place) + to + text.substr(place + from.size());
}

TEST(Mpip, RanksBelowTheThresholdCountInTheLineOfAll) {
  // Of 200 calls the file has the lines of rank 0 only.
  const auto run = read_mpip(
      with(kReport, "Send                 1    1    100       30       20       10   20.00  50.00\n", ""), "a");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->exchange->MPI_Send", "time"), 1.5);  // 200 calls of 15 ms, two ranks
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->exchange->MPI_Send", "calls"), 100);
}

TEST(Mpip, NamesOfFunctionsMayHaveBlanks) {
  const std::string text = with(kReport, "exchange      ", "halo(int, char*)");
  const auto run = read_mpip(with(text, "[unknown]     ", "run() const"), "a");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->halo(int, char*)->MPI_Send", "time"), 1.5);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "run() const->MPI_Allreduce", "time"), 1);
}

TEST(Mpip, WithoutDetailsOfSitesTheTopTwentyAreTaken) {
  const std::string text = kReport.substr(0, kReport.find(kLine + "@--- Callsites")) + kLine +
                           "@--- Aggregate Time (top twenty, descending, milliseconds) ----------------\n" + kLine +
                           "Call                 Site       Time    App%    MPI%      Count    COV\n"
                           "Send                    1      3e+03   15.00   50.00        200   0.20\n"
                           "Allreduce               2      1e+03    5.00   16.67         10   0.10\n"
                           "Send                    3        500    2.50    8.33         20   0.00\n";
  const auto run = read_mpip(text, "a");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_DOUBLE_EQ(value_of(run.value(), "MPI_Send", "time"), 1.75);  // 3000 and 500 ms over two ranks
  EXPECT_DOUBLE_EQ(value_of(run.value(), "MPI_Allreduce", "time"), 0.5);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[MPI, other]", "time"), 0.75);  // (2 + 4) / 2 - 1.75 - 0.5
  // Where sites have their details, the same section adds nothing.
  const std::string section = text.substr(text.find("@--- Aggregate"));
  const auto both = read_mpip(kReport + kLine + section, "a");
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_DOUBLE_EQ(value_of(both.value(), "[MPI, other]", "time"), 0.5);
}

TEST(Mpip, TheConciseReportHasTimesOfRanks) {
  const std::string text =
      "@ mpiP\n@ Command : ./app\n\n" + kLine +
      "@--- Task Time Statistics (seconds) ---------------------------------------\n" + kLine +
      "                     AppTime           MPITime   MPI%   App Task   MPI Task\n"
      "Max                10.500000          4.000000                 1          1\n"
      "Mean               10.000000          3.000000\n"
      "Min                 9.500000          2.000000                 0          0\n"
      "Stddev              0.707107          1.414214\n"
      "Aggregate          20.000000          6.000000  30.00\n" +
      kLine + "@--- Callsites: 1 ---------------------------------------------------------\n" + kLine +
      " ID Lev File/Address        Line Parent_Funct             MPI_Call\n"
      "  1   0 halo.c              12 exchange                 Send\n" +
      kLine + "@--- Callsite Time statistics (all callsites, milliseconds): 1 ------------\n" + kLine +
      "Name              Site   Tasks       Max      Mean       Min MaxRnk MinRnk\n"
      "Send                 1       2      3000      2500      2000      1      0\n" +
      kLine + "@--- Callsite Message Sent statistics (all callsites, sent bytes): 1 ------\n" + kLine +
      "Name              Site   Tasks       Max      Mean       Min MaxRnk MinRnk\n"
      "Send                 1       1      6000      6000      6000      0      0\n";
  const auto run = read_mpip(text, "a");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run.value().processes, 2);  // 20 s of all and 10 s of the mean rank
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[computation]", "time"), 7);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "exchange->MPI_Send", "time"), 2.5);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "exchange->MPI_Send", "bytes"), 3000);  // 6000 of one of two ranks
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[MPI, other]", "time"), 0.5);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[whole program]", "total_time"), 10);
  EXPECT_EQ(error_of(read_mpip(with(text, "Mean               10.000000", "Mean                0.000000"), "a")),
            "a:12: the mean AppTime is not above zero");
}

TEST(Mpip, ErrorsNameTheLine) {
  const auto changed = [](const std::string& from, const std::string& to) {
    return error_of(read_mpip(with(kReport, from, to), "a"));
  };
  // The first line of a task is the 10th.
  EXPECT_EQ(changed("0       10      2", "0       ten      2"), "a:10: 'ten' is not a number");
  EXPECT_EQ(changed("0       10      2", "0       2"), "a:10: a task has 4 values: Task, AppTime, MPITime, MPI%");
  EXPECT_EQ(changed("Send                 1    0", "Send                 7    0"),
            "a:24: site 7 is not among the callsites");
  EXPECT_EQ(error_of(read_mpip("@ mpiP\n", "a")), "a has no tasks in its section of MPI time");
}

TEST(Talp, TimesOfAllCpusAddUpToTheElapsedTime) {
  EXPECT_EQ(kind_of(kTalp), FileKind::kTalp);
  const auto run = read_talp(kTalp, "talp.json");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run.value().processes, 2);
  EXPECT_EQ(run.value().metadata.at("threads"), 2);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[computation]", "time"), 6);  // 24 s over 4 CPUs
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[MPI]", "time"), 3);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[OpenMP, imbalance]", "time"), 0.5);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[other]", "time"), 0.5);  // 10 - 6 - 3 - 0.5
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[whole program]", "total_time"), 10);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[whole program]", "instructions"), 500);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "loop", "elapsed_time"), 5);
}

TEST(Talp, ATimeThatIsThereUnderBothNamesCountsOnce) {
  const std::string useful = "\"usefulTime\":";
  std::string text = kTalp;
  const size_t place = text.find(useful);
  ASSERT_NE(place, std::string::npos);
  text.insert(place, "\"totalUsefulTime\": 24000000000, ");
  const auto both = read_talp(text, "talp.json");
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_DOUBLE_EQ(value_of(both.value(), "[computation]", "time"), 6);  // 24 s over 4 CPUs, as with one name
}

TEST(Talp, WorkersThatAreIdleDuringMpiAreNoOtherTime) {
  const auto run = read_talp(with(kTalp, "\"mpiTime\"", "\"mpiWorkerIdleTime\": 1000000000, \"mpiTime\""), "talp.json");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[MPI, idle workers]", "time"), 0.25);  // 1 s over 4 CPUs
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[MPI]", "time"), 3);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[other]", "time"), 0.25);  // 10 - 6 - 3 - 0.5 - 0.25
}

TEST(Talp, ErrorsNameThePlace) {
  const auto changed = [](const std::string& from, const std::string& to) {
    return error_of(read_talp(with(kTalp, from, to), "a"));
  };
  EXPECT_EQ(changed("12000000000", "-1"), "a: Global.mpiTime: expected a number that is not negative");
  EXPECT_EQ(changed("\"elapsedTime\": 5000000000", ""), "a: loop: there is no elapsedTime");
  EXPECT_EQ(changed("Global", "other"),
            "a: Application: none of the regions is the implicit one, Global, Application or MPI Execution");
  EXPECT_EQ(error_of(read_talp(R"({"dlbVersion": "3.5", "Application": {}})", "a")),
            "a: Application: there are no regions");
}

TEST(MpipAndTalp, NoDamageBreaksTheReaders) {
  std::mt19937 random(20260103);
  for (const std::string& seed : {kReport, kTalp}) {
    for (size_t length = 0; length < seed.size(); ++length) {
      (void)read_mpip(seed.substr(0, length), "a").ok();
      (void)read_talp(seed.substr(0, length), "a").ok();
    }
    for (int i = 0; i < 5000; ++i) {
      const std::string text = core::mutate_text(seed, random);
      (void)read_mpip(text, "a").ok();
      (void)read_talp(text, "a").ok();
    }
  }
}

}  // namespace
}  // namespace scalediag::fit
