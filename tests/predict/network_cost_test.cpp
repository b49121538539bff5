#include "predict/sources/network_cost.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fit/application/application.h"
#include "fit/profile/profile_data.h"
#include "loggp/phases/scaling_model.h"
#include "loggp/simulator/program.h"
#include "predict/sources/simulated_communication.h"
#include "report/findings/application_findings.h"
#include "report/render/html/page.h"
#include "report/render/json/findings_json.h"
#include "report/render/text/predict_text.h"
#include "tests/fit/application/synthetic_application.h"
#include "tests/predict/fake_traces.h"

namespace scalediag::report {
namespace {

using predict::certainty_by_operation;
using predict::CertaintyShares;
using predict::network_cost;
using predict::simulated_communication;
using predict::SimulatedCommunication;

// A message from rank to rank takes 1 ms, and nothing else costs anything: a receive takes 1 ms, a send nothing.
loggp::Network one_millisecond() {
  loggp::Network network = loggp::uniform_network(loggp::Segment{}, 1e-3);
  network.name = "slow";
  return network;
}

fit::SyntheticApplication exchange(core::Clock clock) {
  fit::SyntheticApplication app;
  app.clock = clock;
  app.kernels = {{"work", [](int np, int) { return 40.0 / np; }}};
  // Ten messages a rank, of 10 us here.
  const auto calls = [](int np) { return 10.0 * np; };
  app.operations = {{"MPI_Recv", calls, [](int np) { return 80.0 * np; }, [](int) { return 10e-6; }},
                    {"MPI_Put", calls, [](int) { return 0.0; }, [](int) { return 50e-6; }}};
  return app;
}

fit::ApplicationModel model_on(const fit::SyntheticApplication& app, fit::ApplicationOptions options) {
  auto data = fit::application_data(app.profile({2, 4, 8, 16}));
  EXPECT_TRUE(data.ok());
  auto model = fit::fit_application(std::move(data).value(), options);
  EXPECT_TRUE(model.ok());
  return std::move(model).value();
}

fit::ApplicationOptions calculated_on(loggp::Network network) {
  fit::ApplicationOptions options;
  auto cost = network_cost(std::move(network), "network.json");
  EXPECT_TRUE(cost.ok());
  options.network = std::move(cost).value();
  return options;
}

const KernelFinding& finding(const Findings& findings, const std::string& name) {
  for (const KernelFinding& k : findings.targets.front().kernels) {
    if (k.name == name) return k;
  }
  ADD_FAILURE() << "no kernel " << name;
  return findings.targets.front().kernels.front();
}

TEST(NetworkCost, PricesCallsByTheirMeanSize) {
  auto made = network_cost(one_millisecond(), "network.json");
  ASSERT_TRUE(made.ok());
  const auto& cost = *made.value();
  EXPECT_NEAR(*cost.time_s({"MPI_Recv", 64, 10, 80}), 10e-3, 1e-12);
  EXPECT_NEAR(*cost.time_s({"MPI_Send", 64, 10, 80}), 0, 1e-12);
  EXPECT_EQ(cost.time_s({"MPI_Put", 64, 10, 80}), std::nullopt);
  EXPECT_EQ(cost.description(), "LogGP on network.json (slow), algorithms of Open MPI 4.1");
}

TEST(NetworkCost, ReplacesWhatWasMeasuredAndLeavesTheRest) {
  const auto model = model_on(exchange(core::Clock::kCpu), calculated_on(one_millisecond()));
  const Findings findings = application_findings(model, {{64}});
  EXPECT_NEAR(finding(findings, "MPI_Recv").estimate.value, 10e-3, 1e-6);  // ten messages of 1 ms
  EXPECT_NEAR(finding(findings, "MPI_Put").estimate.value, 500e-6, 5e-6);  // no cost: ten calls as measured
  EXPECT_EQ(finding(findings, "MPI_Recv").cost, "L + G b + o_r + O b");
  const auto tells = [&](const std::string& what) {
    return std::any_of(findings.notes.begin(), findings.notes.end(),
                       [&](const std::string& note) { return note.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(tells("no cost for MPI_Put"));
  EXPECT_TRUE(tells("communication is what the network takes for the calls"));
  EXPECT_FALSE(tells("communication is what the calls cost at their shortest"));
}

// Ten messages of 1 ms, give or take the 10 % that LogGP leaves; with a residual of 10 % in the parameters, which is
// 16.45 % of a 90 % interval, (0.1^2 + 0.1645^2)^(1/2) = 19.25 %. 30 % of a collective.
TEST(NetworkCost, PricesHaveTheErrorOfTheModelAndOfItsParameters) {
  const auto model = model_on(exchange(core::Clock::kCpu), calculated_on(one_millisecond()));
  const Estimate time = finding(application_findings(model, {{64}}), "MPI_Recv").estimate;
  EXPECT_NEAR(time.high, 11e-3, 1e-5);
  EXPECT_NEAR(time.low, 10e-3 / 1.1, 1e-5);
  loggp::Network network = one_millisecond();
  network.other_node.segments.front().residual = 0.1;
  const auto measured = network_cost(network, "network.json");
  ASSERT_TRUE(measured.ok());
  EXPECT_NEAR(measured.value()->relative_error("MPI_Recv"), 0.1925, 1e-4);
  EXPECT_GT(measured.value()->relative_error("MPI_Alltoall"), 0.3);
}

TEST(NetworkCost, SpeedUpComparesRunsOnTheSameNetwork) {
  const auto model = model_on(exchange(core::Clock::kCpu), calculated_on(one_millisecond()));
  const Findings findings = application_findings(model, {{64}});
  // Base, 2 ranks: 20 + 0.010 + 0.0005; at 64: 0.625 + 0.0105. Start and end are no part of it.
  EXPECT_NEAR(*findings.targets.front().speedup, (20 + 0.0105) / (0.625 + 0.0105), 0.05);
}

TEST(NetworkCost, BlockingFactorRefersToTheNetworkThatWasMeasuredOn) {
  // Elapsed time of a receive is 10 us here. On a network of 5 us that is twice the cost; a network of 1 ms, where
  // the program has never run, is blocked as much: 10 x 2 ms.
  fit::ApplicationOptions options = calculated_on(one_millisecond());
  auto here = network_cost(loggp::uniform_network(loggp::Segment{}, 5e-6), "here.json");
  ASSERT_TRUE(here.ok());
  options.measured_network = std::move(here).value();
  fit::SyntheticApplication app = exchange(core::Clock::kWall);
  app.operations.pop_back();
  FindingsOptions detailed;
  detailed.detailed = true;
  const Findings findings = application_findings(model_on(app, options), {{64}, {128}}, detailed);
  ASSERT_TRUE(findings.blocking.of_network.has_value());
  EXPECT_NEAR(*findings.blocking.of_network, 2, 0.02);
  // What the run would be on the network of 1 ms says nothing about the forms of what was measured here.
  EXPECT_FALSE(findings.blocking.of_source.has_value());
  ASSERT_TRUE(findings.efficiencies.front().blocking.of_source.has_value());
  EXPECT_NEAR(*findings.efficiencies.front().blocking.of_source, 1, 0.01);
  const auto page = report_html(findings);
  ASSERT_TRUE(page.ok());
  EXPECT_NE(page.value().find("measured over calculated communication, at np=64<"), std::string::npos);
  EXPECT_NE(page.value().find("predicted ones are what the network takes, times BF_comm of the network."),
            std::string::npos);
  EXPECT_NEAR(finding(findings, "MPI_Recv").estimate.value, 20e-3, 2e-4);
}

// Rank 0 computes 2 x 1 s and sends; rank 1 waits for the message, which takes 1 ms: 2.001 s, of which a rank computes
// 1 s and transfers 0.5 ms in the mean.
TEST(SimulatedCommunication, IsWhatComputationLeavesOfTheRun) {
  loggp::ListProgram program(2);
  program.of(0) = {loggp::compute(1), loggp::message(loggp::OpKind::kSend, 1, 8)};
  program.of(1) = {loggp::message(loggp::OpKind::kRecv, 0, 8)};
  const auto simulated =
      simulated_communication({program, {{{"MPI_Recv", CertaintyShares{0.25, 0.5, 0.25}}}}}, one_millisecond(), 1);
  ASSERT_TRUE(simulated.ok());
  const SimulatedCommunication& s = simulated.value();
  EXPECT_NEAR(s.computation_factor, 2, 1e-12);
  EXPECT_NEAR(s.communication_s, 0.5e-3, 1e-9);
  EXPECT_NEAR(s.waiting_s, 1.0005, 1e-9);
  EXPECT_NEAR(s.operations.at("MPI_Recv").time_s, 1.0005, 1e-9);
  EXPECT_NEAR(s.relative_error, 0.1, 1e-9);
  ASSERT_TRUE(s.known.has_value());
  EXPECT_NEAR(s.known->one, 0.25, 1e-9);
  EXPECT_NEAR(s.known->several, 0.5, 1e-9);
  EXPECT_NEAR(s.known->none, 0.25, 1e-9);
  EXPECT_FALSE(s.is_certain());
}

// Three messages that obey one equation, one that obeys several, and the wait for that one.
TEST(SimulatedCommunication, AWaitIsAsCertainAsItsMessages) {
  loggp::ScalingModel model;
  model.scales = {2, 4};
  for (int id = 0; id < 3; ++id) {
    loggp::Slot& slot = model.slots.emplace_back();
    slot.id = id;
    slot.routine = id < 2 ? "MPI_Isend" : "MPI_Wait";
    slot.kind = id < 2 ? trace::EventKind::kIsend : trace::EventKind::kWait;
    slot.seen[{4, 1}].times = id == 0 ? 3 : 1;
    model.equations[id];
  }
  model.slots[2].waits_for = {1};
  model.equations[1].open = {"partner: ..."};
  const auto certainty = certainty_by_operation(model);
  EXPECT_EQ(certainty.at("MPI_Isend").one, 0.75);
  EXPECT_EQ(certainty.at("MPI_Isend").several, 0.25);
  EXPECT_EQ(certainty.at("MPI_Wait").several, 1);
}

// On 64 ranks, each of a pair sends a message of 1 ms to the other: 1 ms of a rank's receive, and a Put that no trace
// has takes nothing. What the trace counts stands beside the time.
TEST(SimulatedCommunication, StandsInPlaceOfAveragedCosts) {
  const auto pairs = [](int ranks) {
    loggp::ListProgram program(ranks);
    program.labels() = {"", "MPI_Send", "MPI_Recv"};
    for (int rank = 0; rank < ranks; ++rank) {
      loggp::Op send = loggp::message(loggp::OpKind::kSend, rank ^ 1, 8), recv = send;
      recv.kind = loggp::OpKind::kRecv;
      send.label = 1;
      recv.label = 2;
      program.of(rank) = {loggp::compute(40.0 / ranks), send, recv};
    }
    return program;
  };
  predict::Evidence evidence;
  evidence.simulate = predict::Simulate::kWherePossible;
  evidence.network = one_millisecond();
  evidence.traces = std::make_shared<predict::FakeTraces>(std::vector{2, 4, 8, 16}, pairs, pairs);
  const auto predictor = predict::Predictor::of(model_on(exchange(core::Clock::kCpu), calculated_on(one_millisecond())),
                                                evidence, {predict::Target({"np"}, {64}, 0)});
  ASSERT_TRUE(predictor.ok());
  const Findings findings = application_findings(predictor.value(), {predict::Target({"np"}, {64}, 0)});
  const TargetFindings& target = findings.targets.front();
  EXPECT_NEAR(target.communication_s->value, 1e-3, 1e-9);
  EXPECT_NEAR(target.run_s->value, target.computation_s->value + 1e-3, 1e-6);
  EXPECT_NEAR(finding(findings, "MPI_Recv").estimate.value, 1e-3, 1e-9);
  EXPECT_FALSE(finding(findings, "MPI_Recv").scales.has_value());
  EXPECT_EQ(finding(findings, "MPI_Put").estimate.value, 0);
  // The base is simulated as well, in the same way: 20.001 s on 2 ranks.
  EXPECT_NEAR(*target.speedup, 20.001 / target.run_s->value, 0.05);
  TerminalOptions terminal;
  terminal.width = 1000;
  const std::string text = findings_text(findings, terminal);
  // 1.645 x sqrt(2 x 0.1^2 / 3) = 0.1343 in logarithms, and log 1.1 of the network's messages in squares: a
  // factor 1.1790.
  EXPECT_NE(
      text.find("np=64: communication 1.0000 ms (0.8482 - 1.1790) by simulation, at np=16 +0.0% against 1000.00 us: "
                "taken, the scaled trace, call by call\n"),
      std::string::npos)
      << text;
  const auto json = findings_json(findings);
  ASSERT_TRUE(json.ok());
  const auto document = nlohmann::json::parse(json.value());
  EXPECT_EQ(document["targets"][0]["simulated"]["trace"], "scaled");
  const auto& sources = document["targets"][0]["sources"];
  EXPECT_TRUE(std::any_of(sources.begin(), sources.end(), [](const auto& line) {
    return line["component"] == "communication" && line["source"] == "simulation" && line["taken"] == true;
  }));
  EXPECT_TRUE(document["targets"][0]["waiting"].is_array());
}

}  // namespace
}  // namespace scalediag::report
