#include "report/proposal/proposal_document.h"

#include <gtest/gtest.h>

#include "tests/report/scaling/elapsed_runs.h"

namespace scalediag::report {
namespace {

Study study_of_runs(const core::Profile& profile, const std::string& input = "x.scalediag") {
  ModelledRuns runs = modelled(profile, 32);
  const core::Experiment experiment = four_cores_a_node();
  auto study = study_of({input, profile, &experiment, runs.data, std::nullopt, ""}, std::move(runs.findings),
                        {.measured_only = true});
  EXPECT_TRUE(study.ok());
  return std::move(study).value();
}

Document document_of(std::vector<Study> studies, const ProposalOptions& options = {}) {
  auto proposal = proposal_of(std::move(studies), options);
  EXPECT_TRUE(proposal.ok());
  return proposal_document(proposal.value());
}

// All paragraphs that hold the words.
std::vector<std::string> paragraphs_with(const Document& document, const std::string& words) {
  std::vector<std::string> found;
  for (const DocumentBlock& block : document.blocks) {
    const auto* const paragraph = std::get_if<DocumentParagraph>(&block);
    if (paragraph != nullptr && paragraph->text.find(words) != std::string::npos) found.push_back(paragraph->text);
  }
  return found;
}

// First cells of the rows of the table of parallel efficiencies.
std::vector<std::string> efficiencies_at(const Document& document) {
  std::vector<std::string> at;
  for (const DocumentBlock& block : document.blocks) {
    const auto* const table = std::get_if<DocumentTable>(&block);
    if (table == nullptr || table->caption.find("POP") == std::string::npos) continue;
    for (const DocumentRow& row : table->rows) at.push_back(row.cells.front());
  }
  return at;
}

TEST(ProposalDocument, WhatLimitsScalingIsToldOfRunsWithoutDoubt) {
  const Document document = document_of({study_of_runs(on_nodes({1, 2, 4, 8}))});
  EXPECT_EQ(paragraphs_with(document, "At np=32: ").size(), 1U);
  EXPECT_EQ(efficiencies_at(document), (std::vector<std::string>{"np=4", "np=8", "np=16", "np=32"}));
}

TEST(ProposalDocument, TheSmallestFactorOfTheEfficiencyIsNamed) {
  Study study = study_of_runs(on_nodes({1, 2, 4, 8}));
  ASSERT_EQ(study.efficiencies.size(), 5U);  // the last one is predicted
  Efficiencies& last = study.efficiencies[3];
  last.load_balance = 0.99;
  last.communication_efficiency = 0.8;
  last.computation_scalability = 0.9;
  EXPECT_EQ(paragraphs_with(document_of({study}), "Efficiency at np=32 is"),
            std::vector<std::string>{"Efficiency at np=32 is load balance 99.0% x communication 80.0% x computation "
                                     "scalability 90.0%: most is lost in MPI, by messages and by waiting for them."});
  last.computation_scalability = 0.5;
  EXPECT_EQ(paragraphs_with(document_of({study}), "no instructions were counted").size(), 1U);
}

TEST(ProposalDocument, OfAnInterpreterTheScriptIsNamed) {
  Study study = study_of_runs(on_nodes({1, 2, 4, 8}));
  study.findings.application = "python3";
  study.findings.command = {"/usr/bin/python3", "-u", "/home/me/ring.py", "9"};
  EXPECT_EQ(document_of({study}).title, "Strong scaling of ring.py");
}

TEST(ProposalDocument, NothingIsToldOfALargestRunInDoubt) {
  // 32 ranks on 4 nodes of 4 cores.
  const Document document = document_of({study_of_runs(on_nodes({1, 2, 4, 4}))});
  EXPECT_TRUE(paragraphs_with(document, "At np=32: ").empty());
  // At its beginning, and in place of what limits scaling.
  EXPECT_EQ(paragraphs_with(document,
                            "Cannot be told from these runs: how the program scales, because ranks shared "
                            "cores at np=32, 2 on each.")
                .size(),
            2U);
  EXPECT_EQ(efficiencies_at(document), (std::vector<std::string>{"np=4", "np=8", "np=16"}));
}

TEST(ProposalDocument, AJobBesideARunInDoubtSaysThatEfficiencyIsNotKnownBeyond) {
  ProposalOptions options;
  options.efficiency_bound = 0.1;
  const Document document = document_of({study_of_runs(on_nodes({1, 2, 4, 4}))}, options);
  const auto jobs = paragraphs_with(document, "The largest job up to which");
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_NE(jobs[0].find("np=16"), std::string::npos) << jobs[0];
  EXPECT_NE(jobs[0].find("Beyond it efficiency is not known: np=32 on 4 nodes is in doubt (cores shared)"),
            std::string::npos)
      << jobs[0];
}

TEST(ProposalDocument, WhatIsNotRecordedIsNoDifferenceBetweenExperiments) {
  Study with = study_of_runs(on_nodes({1, 2, 4, 8}), "a"), without = with;
  with.host = "n0, a processor";
  with.executable_fingerprint = "12";
  without.host = without.executable_fingerprint = "";
  auto proposal = proposal_of({with, without}, {});
  ASSERT_TRUE(proposal.ok());
  EXPECT_TRUE(proposal.value().remarks.empty());
  without.executable_fingerprint = "34";
  proposal = proposal_of({with, without}, {});
  ASSERT_EQ(proposal.value().remarks.size(), 1U);
}

}  // namespace
}  // namespace scalediag::report
