#include <gtest/gtest.h>

#include <random>

#include "fit/data/caliper/cali_stream.h"
#include "fit/data/caliper/caliper_json.h"
#include "fit/data/measurement_file.h"
#include "tests/core/text_mutation.h"
#include "tests/fit/data/run_values.h"

namespace scalediag::fit {
namespace {

// Regions main and solve below it (nested: property 276 = 256 + scope), inclusive averages over ranks, 27 ranks.
const std::string kCali =
    "__rec=node,id=12,attr=10,data=276,parent=3\n"
    "__rec=node,id=13,attr=8,data=region,parent=12\n"
    "__rec=node,id=14,attr=10,data=65,parent=5\n"
    "__rec=node,id=20,attr=8,data=attribute.unit,parent=3\n"
    "__rec=node,id=21,attr=20,data=sec,parent=14\n"
    "__rec=node,id=15,attr=8,data=avg#inclusive#sum#time.duration,parent=21\n"
    "__rec=node,id=16,attr=13,data=main\n"
    "__rec=node,id=17,attr=13,data=sol\\,ve,parent=16\n"
    "__rec=node,id=18,attr=10,data=512,parent=3\n"
    "__rec=node,id=19,attr=8,data=jobsize,parent=18\n"
    "__rec=node,id=22,attr=8,data=elems,parent=18\n"
    "__rec=ctx,ref=16,attr=15,data=5.5\n"
    "__rec=ctx,ref=17,attr=15,data=4.25\n"
    "__rec=ctx,attr=15,data=0.5\n"
    "__rec=globals,attr=19=22,data=27=1000\n";

// Two ranks with exclusive times in microseconds.
const std::string kJson = R"({"data": [[10, 0, null], [20, 1, null], [2000000, 0, 0], [4000000, 1, 0], [1000000, 1, 1]],
 "columns": ["time", "mpi.rank", "path"],
 "column_metadata": [{"is_value": true, "attribute.unit": "usec"}, {"is_value": true}, {"is_value": false}],
 "nodes": [{"label": "main", "column": "path"}, {"label": "solve", "column": "path", "parent": 0}], "jobsize": "2"})";

std::string caliper_error_of(const core::Result<MeasuredRun>& run) { return run ? "" : run.error().message; }

TEST(Caliper, InclusiveTimesOfCaliFilesLoseCallees) {
  EXPECT_EQ(kind_of(kCali), FileKind::kCali);
  const auto run = read_cali(kCali, "a.cali");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run.value().processes, 27);
  EXPECT_EQ(run.value().metadata.at("elems"), 1000);
  EXPECT_EQ(run.value().metadata.count("jobsize"), 0u);           // the number of processes again
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main", "time"), 1.25);  // 5.5 - 4.25
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->sol,ve", "time"), 4.25);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[no region]", "time"), 0.5);
}

std::string renamed(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// The host's times of 27 ranks together: (5.5 - 4.25) s / 27 and 4.25 s / 27. Those of a device are a metric.
TEST(Caliper, HostTimesOfCudaProfilesAreRead) {
  std::string all = renamed(kCali, "avg#inclusive#sum#time.duration", "inclusive#scale#sum#cupti.host.duration");
  all += "__rec=node,id=23,attr=8,data=sum#scale#cupti.activity.duration,parent=21\n__rec=ctx,ref=17,attr=23,data=54\n";
  const auto run = read_cali(all, "a.cali");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main", "time"), 1.25 / 27);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->sol,ve", "time"), 4.25 / 27);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->sol,ve", "sum#scale#cupti.activity.duration"), 2);
  const auto each = read_caliper_json(renamed(kJson, "\"time\"", "\"scale#sum#cupti.host.duration\""), "a.json");
  ASSERT_TRUE(each.ok()) << each.error().message;
  EXPECT_DOUBLE_EQ(value_of(each.value(), "main", "time"), 3);  // (2 s + 4 s) / 2 ranks
}

TEST(Caliper, ATraceOfEventsIsNamedSo) {
  EXPECT_EQ(caliper_error_of(
                read_cali(renamed(kCali, "avg#inclusive#sum#time.duration", "time.inclusive.duration"), "a.cali")),
            "a.cali is a trace of single events by Caliper, without sums of regions");
}

TEST(Caliper, TimesOfEachRankInJsonAreAveraged) {
  EXPECT_EQ(kind_of(kJson), FileKind::kCaliperJson);
  const auto run = read_caliper_json(kJson, "a.json");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run.value().processes, 2);
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main", "time"), 3);           // (2 s + 4 s) / 2 ranks
  EXPECT_DOUBLE_EQ(value_of(run.value(), "main->solve", "time"), 0.5);  // rank 0 was not there
  EXPECT_DOUBLE_EQ(value_of(run.value(), "[no region]", "time"), 15e-6);
}

TEST(Caliper, SumsOfUnknownRanksAreRefused) {
  std::string of_one_process = kCali;
  const size_t name = of_one_process.find("avg#inclusive#sum#time.duration");
  of_one_process.replace(name, 31, "sum#time.duration");
  EXPECT_EQ(caliper_error_of(read_cali(of_one_process, "a.cali")),
            "a.cali has sum#time.duration and does not tell of how many ranks it is the sum");
}

TEST(Caliper, ErrorsOfCaliFilesNameTheLine) {
  EXPECT_EQ(caliper_error_of(read_cali(kCali + "what\n", "a.cali")), "a.cali:16: 'what' is no record of Caliper");
  EXPECT_EQ(caliper_error_of(read_cali(kCali + "__rec=ctx,ref=99,attr=15,data=1\n", "a.cali")),
            "a.cali:16: node 99 is not there");
  EXPECT_EQ(caliper_error_of(read_cali(kCali + "__rec=ctx,attr=15=15,data=1\n", "a.cali")),
            "a.cali:16: there are not as many data as attributes");
  EXPECT_EQ(caliper_error_of(read_cali(kCali + "__rec=node,id=40,attr=13,data=a,parent=41\n", "a.cali")),
            "a.cali:16: node 41, the parent of 40, is not there");
  EXPECT_EQ(caliper_error_of(read_cali(kCali + "__rec=node,id=16,attr=13,data=a\n", "a.cali")),
            "a.cali:16: node 16 is there twice");
  EXPECT_EQ(caliper_error_of(read_cali(kCali + "__rec=ctx,attr=16,data=1\n", "a.cali")),
            "a.cali:16: attribute 16 is not there");
  EXPECT_EQ(caliper_error_of(read_cali("__rec=globals\n", "a.cali")),
            "a.cali is a file of Caliper without times of regions");
}

TEST(Caliper, ErrorsOfJsonNameThePlace) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kJson;
    text.replace(text.find(from), from.size(), to);
    return caliper_error_of(read_caliper_json(text, "a"));
  };
  EXPECT_EQ(changed("[10, 0, null]", "[10, 0]"), "a: data[0]: expected a list of 3 values");
  EXPECT_EQ(changed("[10, 0, null]", "[10, 0, 2]"), "a: data[0]: it refers to a node that is not there");
  EXPECT_EQ(changed("\"parent\": 0", "\"parent\": 1"), "a: nodes[1]: its parent is no earlier node");
  EXPECT_EQ(changed("\"usec\"", "\"fortnight\""), "a: the unit of times is 'fortnight', which is not known");
  EXPECT_EQ(changed("\"columns\": [", "\"columns\": [\"a\", "), "a: column_metadata: there are not as many as columns");
}

TEST(Caliper, NoDamageBreaksTheReaders) {
  std::mt19937 random(20260102);
  for (const std::string& seed : {kCali, kJson}) {
    for (size_t length = 0; length < seed.size(); ++length) {
      (void)read_cali(seed.substr(0, length), "a").ok();
      (void)read_caliper_json(seed.substr(0, length), "a").ok();
    }
    for (int i = 0; i < 5000; ++i) {
      const std::string text = core::mutate_text(seed, random);
      (void)read_cali(text, "a").ok();
      (void)read_caliper_json(text, "a").ok();
    }
  }
}

}  // namespace
}  // namespace scalediag::fit
