#include "core/experiment/experiment.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "tests/core/example_profile.h"
#include "tests/core/temporary_folder.h"

namespace scalediag::core {
namespace {

using nlohmann::json;

TEST(RunId, HasFourDigitsOrMoreAndParametersByName) {
  EXPECT_EQ(run_id({4, {{"grid", 64}}}, 0), "np0004.grid64.r0");
  EXPECT_EQ(run_id({1, {}}, 12), "np0001.r12");
  EXPECT_EQ(run_id({131072, {{"b", 0.5}, {"a", 1e6}}}, 3), "np131072.a1000000.b0.5.r3");
  EXPECT_EQ(run_id({16, {{"dt", -1e-7}}}, 0), "np0016.dt-1e-07.r0");
}

TEST(Experiment, RoundTripKeepsEveryField) {
  const TemporaryFolder temporary;
  const ExperimentFolder folder(temporary.path());
  const Experiment written = example_experiment();
  ASSERT_TRUE(folder.save(written).ok());
  const Result<Experiment> read = folder.load();
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Experiment& e = read.value();
  EXPECT_EQ(e.scalediag_version, written.scalediag_version);
  EXPECT_EQ(e.created, written.created);
  EXPECT_EQ(e.command, written.command);
  EXPECT_EQ(e.executable, written.executable);
  EXPECT_EQ(e.executable_fingerprint, written.executable_fingerprint);
  EXPECT_EQ(e.working_directory, written.working_directory);
  EXPECT_EQ(e.launcher, written.launcher);
  EXPECT_EQ(e.mpi_flavour, written.mpi_flavour);
  EXPECT_EQ(e.mpi_library, written.mpi_library);
  EXPECT_EQ(e.clock, written.clock);
  EXPECT_EQ(e.sampler, written.sampler);
  EXPECT_EQ(e.counters, written.counters);
  EXPECT_EQ(e.events, written.events);
  EXPECT_EQ(e.events_precise, written.events_precise);
  EXPECT_EQ(e.rate_hz, written.rate_hz);
  EXPECT_EQ(e.traced, written.traced);
  EXPECT_EQ(e.traced_series, written.traced_series);
  EXPECT_EQ(e.stdin_file, written.stdin_file);
  EXPECT_EQ(e.input_files, written.input_files);
  EXPECT_EQ(e.environment, written.environment);
  EXPECT_EQ(e.parameter_names, written.parameter_names);
  EXPECT_EQ(e.words, written.words);
  EXPECT_EQ(e.refused, written.refused);
  EXPECT_EQ(e.launcher_trials, written.launcher_trials);
  EXPECT_EQ(e.nodes, written.nodes);
  EXPECT_EQ(e.ranks_per_node, written.ranks_per_node);
  EXPECT_EQ(e.program, written.program);
  EXPECT_EQ(e.program_fingerprint, written.program_fingerprint);
  EXPECT_EQ(e.host.name, written.host.name);
  EXPECT_EQ(e.host.kernel, written.host.kernel);
  EXPECT_EQ(e.host.cpu, written.host.cpu);
  EXPECT_EQ(e.host.cores, written.host.cores);
  EXPECT_EQ(e.host.memory_bytes, written.host.memory_bytes);
  ASSERT_EQ(e.runs.size(), written.runs.size());
  for (size_t i = 0; i < e.runs.size(); ++i) {
    EXPECT_EQ(e.runs[i].configuration, written.runs[i].configuration);
    EXPECT_EQ(e.runs[i].repeat, written.runs[i].repeat);
    EXPECT_EQ(e.runs[i].state, written.runs[i].state);
    EXPECT_EQ(e.runs[i].reason, written.runs[i].reason);
    EXPECT_EQ(e.runs[i].exit_status, written.runs[i].exit_status);
    EXPECT_EQ(e.runs[i].started, written.runs[i].started);
    EXPECT_EQ(e.runs[i].elapsed_s, written.runs[i].elapsed_s);
    EXPECT_EQ(e.runs[i].command, written.runs[i].command);
  }
}

TEST(Experiment, WithoutARecordOfInputsNothingIsKnownOfThem) {
  const TemporaryFolder temporary;
  const ExperimentFolder folder(temporary.path());
  ASSERT_TRUE(folder.save(example_experiment()).ok());
  json document = json::parse(read_file(folder.experiment_file()).value());
  document.erase("input_files");
  document.erase("environment");
  const Result<Experiment> older = parse_experiment(document.dump(), folder.experiment_file());
  ASSERT_TRUE(older.ok()) << older.error().message;
  EXPECT_FALSE(older.value().input_files.has_value());
  EXPECT_FALSE(older.value().environment.has_value());
  // After another write the record is still absent, rather than claiming that there was no such file or variable.
  ASSERT_TRUE(folder.save(older.value()).ok());
  const Result<Experiment> again = folder.load();
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_FALSE(again.value().input_files.has_value());
  EXPECT_FALSE(again.value().environment.has_value());
}

TEST(Experiment, EveryStateHasItsName) {
  const TemporaryFolder temporary;
  const ExperimentFolder folder(temporary.path());
  for (const RunState state :
       {RunState::kPlanned, RunState::kRunning, RunState::kComplete, RunState::kIncomplete, RunState::kFailed}) {
    Experiment e = example_experiment();
    e.runs[0].state = state;
    ASSERT_TRUE(folder.save(e).ok());
    const Result<Experiment> read = folder.load();
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read.value().runs[0].state, state);
  }
}

TEST(Experiment, TruncationAtEveryByteIsAnErrorThatNamesTheFile) {
  const TemporaryFolder temporary;
  const ExperimentFolder folder(temporary.path());
  ASSERT_TRUE(folder.save(example_experiment()).ok());
  const std::string text = read_file(folder.experiment_file()).value();
  for (size_t n = 0; n + 2 <= text.size(); ++n) {
    const Result<Experiment> read = parse_experiment(text.substr(0, n), folder.experiment_file());
    ASSERT_FALSE(read.ok()) << "after " << n << " bytes";
    ASSERT_EQ(read.error().where, folder.experiment_file());
  }
}

TEST(Experiment, ErrorsTellThePathAndWhatWasExpected) {
  const TemporaryFolder temporary;
  const ExperimentFolder folder(temporary.path());
  ASSERT_TRUE(folder.save(example_experiment()).ok());
  const json document = json::parse(read_file(folder.experiment_file()).value());
  const auto message_after = [&](auto change) -> std::string {
    json changed = document;
    change(changed);
    const Result<Experiment> read = parse_experiment(changed.dump(), folder.experiment_file());
    return read.ok() ? "no error" : read.error().message;
  };
  const std::string damaged = folder.experiment_file() + " is damaged: ";
  EXPECT_EQ(message_after([](json& d) { d["runs"][1]["state"] = "done"; }),
            damaged +
                "runs[1].state: expected \"planned\", \"running\", \"complete\", \"incomplete\" or \"failed\", found "
                "\"done\"");
  EXPECT_EQ(message_after([](json& d) { d["host"].erase("cores"); }), damaged + "host.cores: is missing");
  EXPECT_EQ(message_after([](json& d) { d["runs"][0]["exit_status"] = "0"; }),
            damaged + "runs[0].exit_status: expected a whole number, found string");
  EXPECT_EQ(message_after([](json& d) { d["runs"][0]["np"] = 5; }),
            damaged + "runs[0].id: expected \"np0005.grid64.r0\", found \"np0004.grid64.r0\"");
  EXPECT_EQ(message_after([](json& d) { d["runs"] = 3; }), damaged + "runs: expected an array, found 3");
  EXPECT_NE(message_after([](json& d) {
              d["schema"] = "scalediag-experiment/7";
            }).find("scalediag-experiment/7, newer than scalediag-experiment/1"),
            std::string::npos);
}

TEST(Experiment, AFolderOfAVersionThatCouldNotCountSaysThatNothingWasCounted) {
  const TemporaryFolder temporary;
  const ExperimentFolder folder(temporary.path());
  ASSERT_TRUE(folder.save(example_experiment()).ok());
  json document = json::parse(read_file(folder.experiment_file()).value());
  document.erase("counters");
  document.erase("events");
  document.erase("events_precise");
  const Result<Experiment> read = parse_experiment(document.dump(), folder.experiment_file());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().counters, "none");
  EXPECT_TRUE(read.value().events.empty());
}

TEST(Experiment, AFolderWithoutExperimentJsonGetsAHint) {
  const TemporaryFolder temporary;
  const Result<Experiment> empty = ExperimentFolder(temporary.path()).load();
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.error().message.find("not an experiment folder"), std::string::npos) << empty.error().message;
  EXPECT_FALSE(empty.error().hint.empty());
  const Result<Experiment> missing = ExperimentFolder(temporary.file("missing")).load();
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("there is no experiment folder"), std::string::npos);
}

}  // namespace
}  // namespace scalediag::core
