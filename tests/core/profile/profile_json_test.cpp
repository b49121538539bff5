#include "core/profile/profile_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "core/atomic_file.h"
#include "core/profile/profile.h"
#include "tests/core/example_profile.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::core {
namespace {

using nlohmann::json;

class ProfileJson : public testing::Test {
 protected:
  std::string path() const { return folder_.file("profile.json"); }
  std::string written(const Profile& profile) const {
    const Status status = write_profile(profile, path());
    EXPECT_TRUE(status.ok());
    return read_file(path()).value();
  }
  // From memory: thousands of variants need no disk.
  Result<Profile> read(const std::string& text) const { return parse_profile(text, path()); }
  // The message of reading the example after `change` was made to its document.
  template <class Change>
  std::string message_after(Change change) const {
    json document = json::parse(written(example_profile()));
    change(document);
    const Result<Profile> result = read(document.dump());
    if (result.ok()) return "no error";
    EXPECT_EQ(result.error().where, path());
    EXPECT_EQ(result.error().code, ErrorCode::kInput);
    EXPECT_EQ(result.error().message.rfind(path(), 0), 0u) << result.error().message;
    return result.error().message.substr(path().size());
  }

  TemporaryFolder folder_;
};

void expect_equal(const OverRanks& a, const OverRanks& b) {
  EXPECT_EQ(a.sum, b.sum);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_EQ(a.rank_of_min, b.rank_of_min);
  EXPECT_EQ(a.rank_of_max, b.rank_of_max);
  EXPECT_EQ(a.quantiles, b.quantiles);
}

void expect_equal(const RunTimes& a, const RunTimes& b) {
  expect_equal(a.total_s, b.total_s);
  expect_equal(a.computation_s, b.computation_s);
  expect_equal(a.communication_s, b.communication_s);
  expect_equal(a.others_s, b.others_s);
  expect_equal(a.unattributed_s, b.unattributed_s);
  expect_equal(a.wall_s, b.wall_s);
  expect_equal(a.cpu_s, b.cpu_s);
  expect_equal(a.collector_s, b.collector_s);
  for (const auto time : {&RunTimes::asleep_s, &RunTimes::children_s}) {
    ASSERT_EQ((a.*time).has_value(), (b.*time).has_value());
    if (a.*time) expect_equal(*(a.*time), *(b.*time));
  }
}

void expect_equal(const Kernel& a, const Kernel& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.module, b.module);
  EXPECT_EQ(a.file, b.file);
  EXPECT_EQ(a.line, b.line);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.samples, b.samples);
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (const auto& [name, value] : a.metrics) expect_equal(value, b.metrics.at(name));
  EXPECT_EQ(a.resources, b.resources);
  EXPECT_EQ(a.count_errors, b.count_errors);
  EXPECT_EQ(a.resource_notes, b.resource_notes);
}

void expect_equal(const std::vector<MpiClass>& a, const std::vector<MpiClass>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const MpiClass& x = a[i];
    const MpiClass& y = b[i];
    EXPECT_EQ(x.communicator_size, y.communicator_size);
    EXPECT_EQ(x.bytes_from, y.bytes_from);
    EXPECT_EQ(x.bytes_to, y.bytes_to);
    expect_equal(x.calls, y.calls);
    expect_equal(x.bytes, y.bytes);
    expect_equal(x.wall_s, y.wall_s);
    expect_equal(x.blocked_s, y.blocked_s);
    EXPECT_EQ(x.shortest_call_s, y.shortest_call_s);
    EXPECT_EQ(x.longest_call_s, y.longest_call_s);
  }
}

void expect_equal(const MpiSite& a, const MpiSite& b) {
  EXPECT_TRUE(static_cast<const CallSite&>(a) == static_cast<const CallSite&>(b));
  expect_equal(a.calls, b.calls);
  expect_equal(a.bytes, b.bytes);
  expect_equal(a.time_s, b.time_s);
  expect_equal(a.wall_s, b.wall_s);
  expect_equal(a.blocked_s, b.blocked_s);
  EXPECT_EQ(a.samples, b.samples);
  expect_equal(a.classes, b.classes);
}

void expect_equal(const MpiOperation& a, const MpiOperation& b) {
  EXPECT_EQ(a.operation, b.operation);
  expect_equal(a.calls, b.calls);
  expect_equal(a.bytes, b.bytes);
  expect_equal(a.time_s, b.time_s);
  expect_equal(a.wall_s, b.wall_s);
  expect_equal(a.cpu_s, b.cpu_s);
  expect_equal(a.blocked_s, b.blocked_s);
  EXPECT_EQ(a.samples, b.samples);
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (const auto& [name, value] : a.metrics) expect_equal(value, b.metrics.at(name));
  expect_equal(a.classes, b.classes);
  ASSERT_EQ(a.slowest.has_value(), b.slowest.has_value());
  if (a.slowest) {
    EXPECT_EQ(a.slowest->rank, b.slowest->rank);
    EXPECT_EQ(a.slowest->calls, b.slowest->calls);
    EXPECT_EQ(a.slowest->bytes, b.slowest->bytes);
    EXPECT_EQ(a.slowest->time_s, b.slowest->time_s);
  }
  ASSERT_EQ(a.sites.size(), b.sites.size());
  for (size_t i = 0; i < a.sites.size(); ++i) expect_equal(a.sites[i], b.sites[i]);
}

void expect_equal(const Run& a, const Run& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.np, b.np);
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.repeat, b.repeat);
  EXPECT_EQ(a.complete, b.complete);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.clock, b.clock);
  EXPECT_EQ(a.clock_reason, b.clock_reason);
  EXPECT_EQ(a.counters, b.counters);
  EXPECT_EQ(a.counters_reason, b.counters_reason);
  ASSERT_EQ(a.counter_events.size(), b.counter_events.size());
  for (size_t i = 0; i < a.counter_events.size(); ++i) {
    EXPECT_EQ(a.counter_events[i].event, b.counter_events[i].event);
    EXPECT_EQ(a.counter_events[i].metric, b.counter_events[i].metric);
    EXPECT_EQ(a.counter_events[i].derived, b.counter_events[i].derived);
    EXPECT_EQ(a.counter_events[i].formula_or_source, b.counter_events[i].formula_or_source);
  }
  EXPECT_EQ(a.counter_method, b.counter_method);
  ASSERT_EQ(a.sampled_events.size(), b.sampled_events.size());
  for (size_t i = 0; i < a.sampled_events.size(); ++i) {
    EXPECT_EQ(a.sampled_events[i].event, b.sampled_events[i].event);
    EXPECT_EQ(a.sampled_events[i].period, b.sampled_events[i].period);
    EXPECT_EQ(a.sampled_events[i].overflows, b.sampled_events[i].overflows);
    EXPECT_EQ(a.sampled_events[i].counted, b.sampled_events[i].counted);
  }
  EXPECT_EQ(a.counted_ranks, b.counted_ranks);
  EXPECT_EQ(a.measured_llc_bytes, b.measured_llc_bytes);
  EXPECT_EQ(a.sampler, b.sampler);
  EXPECT_EQ(a.sampling_rate_hz, b.sampling_rate_hz);
  EXPECT_EQ(a.mpi_library, b.mpi_library);
  EXPECT_EQ(a.hosts, b.hosts);
  EXPECT_EQ(a.threads_max, b.threads_max);
  EXPECT_EQ(a.memory_peak_node_bytes, b.memory_peak_node_bytes);
  ASSERT_EQ(a.memory_peak_bytes.has_value(), b.memory_peak_bytes.has_value());
  if (a.memory_peak_bytes) expect_equal(*a.memory_peak_bytes, *b.memory_peak_bytes);
  ASSERT_EQ(a.files.size(), b.files.size());
  for (size_t i = 0; i < a.files.size(); ++i) {
    EXPECT_EQ(a.files[i].operation, b.files[i].operation);
    expect_equal(a.files[i].calls, b.files[i].calls);
    expect_equal(a.files[i].bytes, b.files[i].bytes);
    expect_equal(a.files[i].time_s, b.files[i].time_s);
    ASSERT_EQ(a.files[i].sites.size(), b.files[i].sites.size());
    for (size_t s = 0; s < a.files[i].sites.size(); ++s) {
      const FileSite &in_a = a.files[i].sites[s], &in_b = b.files[i].sites[s];
      EXPECT_TRUE(static_cast<const CallSite&>(in_a) == static_cast<const CallSite&>(in_b));
      expect_equal(in_a.calls, in_b.calls);
      expect_equal(in_a.bytes, in_b.bytes);
      expect_equal(in_a.time_s, in_b.time_s);
    }
  }
  expect_equal(a.times, b.times);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.lost_samples, b.lost_samples);
  ASSERT_EQ(a.kernels.size(), b.kernels.size());
  for (size_t i = 0; i < a.kernels.size(); ++i) expect_equal(a.kernels[i], b.kernels[i]);
  ASSERT_EQ(a.operations.size(), b.operations.size());
  for (size_t i = 0; i < a.operations.size(); ++i) expect_equal(a.operations[i], b.operations[i]);
  EXPECT_EQ(a.ranks_per_block, b.ranks_per_block);
  ASSERT_EQ(a.peers.size(), b.peers.size());
  for (size_t i = 0; i < a.peers.size(); ++i) {
    EXPECT_EQ(a.peers[i].from, b.peers[i].from);
    EXPECT_EQ(a.peers[i].to, b.peers[i].to);
    EXPECT_EQ(a.peers[i].messages, b.peers[i].messages);
    EXPECT_EQ(a.peers[i].bytes, b.peers[i].bytes);
  }
  EXPECT_EQ(a.rank_computation_s, b.rank_computation_s);
  EXPECT_EQ(a.rank_communication_s, b.rank_communication_s);
  EXPECT_EQ(a.rank_total_s, b.rank_total_s);
  EXPECT_EQ(a.warnings, b.warnings);
}

TEST_F(ProfileJson, RoundTripKeepsEveryField) {
  Profile profile = example_profile();
  // Values that a careless number format would change.
  profile.runs[0].parameters["dt"] = 0.1 + 0.2;
  profile.runs[0].parameters["grid"] = 1.7976931348623157e308;
  profile.runs[0].operations[0].classes[0].shortest_call_s = 5e-324;
  profile.runs[0].samples = std::numeric_limits<uint64_t>::max();
  const std::string text = written(profile);
  const Result<Profile> read_back = read_profile(path());
  ASSERT_TRUE(read_back.ok()) << read_back.error().message;
  EXPECT_EQ(read_back.value().application, profile.application);
  EXPECT_EQ(read_back.value().command, profile.command);
  EXPECT_EQ(read_back.value().parameter_names, profile.parameter_names);
  ASSERT_EQ(read_back.value().runs.size(), profile.runs.size());
  for (size_t i = 0; i < profile.runs.size(); ++i) expect_equal(read_back.value().runs[i], profile.runs[i]);
  EXPECT_EQ(read_back.value().machine, profile.machine);
  // The same profile is the same bytes.
  EXPECT_EQ(written(read_back.value()), text);
}

TEST_F(ProfileJson, AnEmptyProfileIsValid) {
  written(Profile());
  const Result<Profile> read_back = read_profile(path());
  ASSERT_TRUE(read_back.ok());
  EXPECT_TRUE(read_back.value().runs.empty());
}

TEST_F(ProfileJson, TruncationIsAnErrorThatNamesTheFile) {
  Profile profile = example_profile();
  profile.runs.resize(1);
  const std::string text = written(profile);
  ASSERT_EQ(text.substr(text.size() - 2), "}\n");
  // Every byte of the beginning and of the end, every 13th between. Without the newline alone it is still the whole
  // document.
  for (size_t n = 0; n + 2 <= text.size(); n += n < 1000 || n + 1000 > text.size() ? 1 : 13) {
    const Result<Profile> result = read(text.substr(0, n));
    ASSERT_FALSE(result.ok()) << "after " << n << " bytes";
    ASSERT_EQ(result.error().where, path());
  }
}

TEST_F(ProfileJson, EveryKindOfValueReplacedByEveryOtherTypeIsSurvived) {
  Profile profile = example_profile();
  profile.runs.resize(1);
  const json document = json::parse(written(profile));
  const std::vector<json> others = {nullptr,         true, -1, 1.5, 1e300, "text", json::array(), json::object(),
                                    json::array({1})};
  // The leaves and, up to the root, the objects and arrays that hold them; one for all that differ only by places in
  // arrays.
  std::map<std::string, std::string> places;
  const json flat = document.flatten();
  for (const auto& [leaf, value] : flat.items()) {
    for (json::json_pointer at(leaf); !at.empty(); at = at.parent_pointer()) {
      places.emplace(std::regex_replace(at.to_string(), std::regex("/[0-9]+(?=/|$)"), "/*"), at.to_string());
    }
  }
  for (const auto& [kind, place] : places) {
    int errors = 0;
    for (const json& other : others) {
      json changed = document;
      changed[json::json_pointer(place)] = other;
      const Result<Profile> result = read(changed.dump());
      if (result.ok()) continue;
      ++errors;
      ASSERT_EQ(result.error().where, path());
      ASSERT_FALSE(result.error().message.empty());
    }
    // The most tolerant fields are numbers, which take three of the nine.
    EXPECT_GE(errors, 6) << place;
  }
}

// Fields that the first profiles did not have.
const std::set<std::string> kLaterFields = {"/machine",
                                            "/runs/0/regions",
                                            "/runs/0/openmp",
                                            "/runs/0/call_paths",
                                            "/scaling",
                                            "/runs/0/time/openmp_waiting_s",
                                            "/runs/0/time/gpu_s",
                                            "/runs/0/gpu",
                                            "/runs/0/gpu_busy",
                                            "/runs/0/time/asleep_s",
                                            "/runs/0/time/children_s",
                                            "/runs/0/counters_reason",
                                            "/runs/0/counter_events",
                                            "/runs/0/counter_method",
                                            "/runs/0/sampled_events",
                                            "/runs/0/counted_ranks",
                                            "/runs/0/measured_llc_bytes",
                                            "/runs/0/files",
                                            "/runs/0/files/0/sites",
                                            "/runs/0/mpi/0/sites",
                                            "/runs/0/mpi/0/slowest",
                                            "/runs/0/memory_peak_bytes",
                                            "/runs/0/memory_peak_node_bytes",
                                            "/runs/0/kernels/0/count_errors",
                                            "/runs/0/kernels/0/resources",
                                            "/runs/0/kernels/0/resource_notes",
                                            "/runs/0/mpi/0/metrics"};

TEST_F(ProfileJson, AProfileOfAVersionThatCouldNotCountIsRead) {
  json document = json::parse(written(example_profile()));
  document.erase("machine");
  for (json& run : document["runs"]) {
    for (const char* field : {"resources", "resource_notes", "count_errors"}) run["kernels"][0].erase(field);
    for (const char* field : {"counters_reason", "counter_events", "counter_method", "sampled_events", "counted_ranks",
                              "measured_llc_bytes"}) {
      run.erase(field);
    }
    for (json& operation : run["mpi"]) operation.erase("metrics");
  }
  const Result<Profile> result = read(document.dump());
  ASSERT_TRUE(result.ok()) << result.error().message;
  const scalediag::core::Run& run = result.value().runs.front();
  EXPECT_TRUE(run.counters_reason.empty());
  EXPECT_TRUE(run.counter_events.empty());
  EXPECT_TRUE(run.counted_ranks.empty());
  EXPECT_TRUE(run.operations.front().metrics.empty());
  EXPECT_TRUE(run.kernels.front().resources.empty());
  EXPECT_FALSE(result.value().machine.has_value());
}

TEST_F(ProfileJson, EveryMissingFieldIsNamed) {
  const json document = json::parse(written(example_profile()));
  const std::vector<std::string> objects = {"",
                                            "/machine",
                                            "/runs/0",
                                            "/runs/0/time",
                                            "/runs/0/time/total_s",
                                            "/runs/0/counter_events/0",
                                            "/runs/0/sampled_events/0",
                                            "/runs/0/kernels/0",
                                            "/runs/0/mpi/0",
                                            "/runs/0/mpi/0/classes/0",
                                            "/runs/0/peers",
                                            "/runs/0/ranks"};
  for (const std::string& object : objects) {
    const json::json_pointer at(object);
    for (const auto& [key, value] : document[at].items()) {
      const std::string field = object + "/" + key;
      if (kLaterFields.count(field) != 0) continue;
      json changed = document;
      changed[at].erase(key);
      const Result<Profile> result = read(changed.dump());
      ASSERT_FALSE(result.ok()) << field;
      EXPECT_NE(result.error().message.find(key), std::string::npos) << result.error().message;
    }
  }
}

TEST_F(ProfileJson, ErrorsTellThePathAndWhatWasExpected) {
  EXPECT_EQ(message_after([](json& d) { d["runs"][1]["np"] = "8"; }),
            " is damaged: runs[1].np: expected a whole number, found string");
  EXPECT_EQ(message_after([](json& d) { d["runs"][0]["time"]["total_s"]["mean"] = nullptr; }),
            " is damaged: runs[0].time.total_s.mean: expected a number, found null");
  EXPECT_EQ(message_after([](json& d) { d["runs"][0]["kernels"][0]["metrics"]["time_s"].erase("sum"); }),
            " is damaged: runs[0].kernels[0].metrics.time_s.sum: is missing");
  EXPECT_EQ(message_after([](json& d) { d["runs"][0]["clock"] = "sun"; }),
            " is damaged: runs[0].clock: expected \"cpu\" or \"wall\", found \"sun\"");
  EXPECT_EQ(message_after([](json& d) { d["runs"][0]["np"] = 0; }), " is damaged: runs[0].np: is out of range: 0");
  EXPECT_EQ(message_after([](json& d) { d["runs"][0]["np"] = 4294967298; }),
            " is damaged: runs[0].np: is out of range: 4294967298");
  EXPECT_EQ(message_after([](json& d) { d["runs"][0]["samples"] = -1; }),
            " is damaged: runs[0].samples: expected a whole number that is not negative, found -1");
  EXPECT_EQ(message_after([](json& d) {
              d["runs"][0]["peers"]["entries"][1] = {1, 0, 10};
            }),
            " is damaged: runs[0].peers.entries[1]: expected four values: from, to, messages, bytes");
}

TEST_F(ProfileJson, WhatCannotHaveBeenMeasuredIsRefusedWithTheCommandThatMendsIt) {
  json document = json::parse(written(example_profile()));
  document["runs"][1]["time"]["wall_s"]["min"] = -1;
  const auto error_of = [&](const std::string& file) { return parse_profile(document.dump(), file).error(); };
  const Error error = error_of("/data/app.scalediag/profile.json");
  EXPECT_EQ(error.message, "/data/app.scalediag/profile.json is damaged: runs[1].time.wall_s.min: -1 is negative");
  EXPECT_EQ(error.hint, "`scalediag merge /data/app.scalediag` makes it anew from the raw files");
  EXPECT_EQ(error_of("profile.json").hint, "`scalediag merge .` makes it anew from the raw files");
  EXPECT_EQ(error_of("it's/profile.json").hint, "`scalediag merge 'it'\\''s'` makes it anew from the raw files");
  EXPECT_EQ(error_of("it.c").hint,
            "if it is no profile: name the folder that `scalediag profile` wrote, or its profile.json");
  // Texts that are no JSON, no profile, or an older one.
  for (const char* text : {"{", R"({"schema": "scalediag-profile/1"})", R"({"schema": "scalediag-profile/0"})"}) {
    EXPECT_EQ(parse_profile(text, "a/profile.json").error().hint,
              "`scalediag merge a` makes it anew from the raw files");
  }
}

TEST_F(ProfileJson, OtherVersionsAreRefusedAndBothNamed) {
  const std::string newer = message_after([](json& d) { d["schema"] = "scalediag-profile/2"; });
  EXPECT_NE(newer.find("scalediag-profile/2, newer than scalediag-profile/1"), std::string::npos) << newer;
  const std::string much_newer = message_after([](json& d) { d["schema"] = "scalediag-profile/99999999999999999999"; });
  EXPECT_NE(much_newer.find("newer than scalediag-profile/1"), std::string::npos) << much_newer;
  const std::string older = message_after([](json& d) { d["schema"] = "scalediag-profile/0"; });
  EXPECT_NE(older.find("scalediag-profile/0, older than scalediag-profile/1"), std::string::npos) << older;
}

TEST_F(ProfileJson, AnotherKindOfFileIsNotAProfile) {
  for (const char* text : {"{}", "[]", "3", "{\"schema\": 1}", "{\"schema\": \"scalediag-experiment/1\"}",
                           "{\"schema\": \"scalediag-profile/\"}", "{\"schema\": \"scalediag-profile/x\"}"}) {
    const Result<Profile> result = read(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_NE(result.error().message.find("is not a scalediag-profile file"), std::string::npos)
        << result.error().message;
  }
}

// The document is so large that its runs are read at the same time, in threads.
TEST_F(ProfileJson, ALargeProfileIsReadAsASmallOneIs) {
  Profile profile = example_profile();
  const size_t n = profile.runs.size();
  const size_t times = 4'500'000 / written(profile).size() + 1;
  for (size_t i = n; i < n * times; ++i) {
    core::Run run = profile.runs[i % n];
    run.repeat = static_cast<int>(i);
    run.id = "run " + std::to_string(i);
    profile.runs.push_back(std::move(run));
  }
  std::string text = written(profile);
  ASSERT_GT(text.size(), 4'000'000U);
  const Result<Profile> result = read(text);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(written(result.value()), text);

  json document = json::parse(text);
  const size_t last = profile.runs.size() - 1;
  document["runs"][last]["np"] = "two";
  const Result<Profile> wrong = read(document.dump());
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("runs[" + std::to_string(last) + "].np: expected"), std::string::npos)
      << wrong.error().message;
  text.resize(text.size() - 10);
  EXPECT_NE(read(text).error().message.find("is not JSON from byte"), std::string::npos);
}

TEST_F(ProfileJson, FieldsOfLaterAdditionsAreIgnored) {
  EXPECT_EQ(message_after([](json& d) { d["runs"][0]["energy_j"] = 5; }), "no error");
}

TEST_F(ProfileJson, NumbersOutOfRangeAndDeepNestingAreErrors) {
  EXPECT_FALSE(read("{\"schema\": 1e999}").ok());
  EXPECT_FALSE(read(std::string(100'000, '[')).ok());
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_FALSE(read(deep).ok());
}

TEST_F(ProfileJson, WhatIsNotFiniteIsNeverWritten) {
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    written(example_profile());
    const std::string before = read_file(path()).value();
    Profile profile = example_profile();
    profile.runs[1].kernels[0].metrics["time_s"].max = value;
    const Status status = write_profile(profile, path());
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().message.find("runs[1].kernels[0].metrics.time_s.max"), std::string::npos)
        << status.error().message;
    EXPECT_EQ(read_file(path()).value(), before);
  }
}

TEST_F(ProfileJson, NamesThatAreNotUtf8DoNotSpoilTheFile) {
  Profile profile = example_profile();
  profile.runs[0].kernels[0].name = "caf\xE9";  // Latin-1
  written(profile);
  const Result<Profile> read_back = read_profile(path());
  ASSERT_TRUE(read_back.ok()) << read_back.error().message;
  EXPECT_EQ(read_back.value().runs[0].kernels[0].name, "caf\xEF\xBF\xBD");  // U+FFFD
}

}  // namespace
}  // namespace scalediag::core
