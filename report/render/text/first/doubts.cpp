#include "report/render/text/first/doubts.h"

#include <algorithm>
#include <string_view>

#include "core/text/join.h"
#include "core/text/quantities.h"
#include "report/render/source_text.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

// A line of a terminal without what stands before the text.
constexpr size_t kOneLine = 91;

struct KnownNote {
  std::string_view words;  // that only this note has
  Harm harm;
  const char* brief;       // the text, or what follows the note's own words where `until` is given
  const char* until = "";  // the note itself from `words` to these
};

// Notes that are not listed are doubts, and said up to their first semicolon, or colon where that is long.
constexpr KnownNote kKnownNotes[] = {
    {"the runs were emulated, not measured", Harm::kWrong,
     "the runs were emulated: errors of the emulation are in no interval"},
    {"scaling is taken as ", Harm::kWrong,
     "the data speak against this kind of scaling, on which efficiency and causes rest"},
    {"at a target ranks compute ", Harm::kWrong, ": a cache may make them faster", ":"},
    {"predictions for other problem sizes are in doubt", Harm::kWrong,
     "ranks contend for memory already: other problem sizes may take longer than predicted"},
    {"not all events of the trace at ", Harm::kWrong,
     "some messages at the target are guesses from smaller runs: no interval holds that error"},
    {"no trace was kept at ", Harm::kOtherSource, "", ";"},
    {"not all measured scales are simulated", Harm::kOtherSource, "", ";"},
    {" changes nothing: ", Harm::kWrong, "the problem size changes nothing here: --size has no effect"},
    {"--models ding2018 is not followed: ", Harm::kOtherSource, ": the ensemble predicts", ";"},
    {"--models ding2018 is not followed for ", Harm::kOtherSource, "", ";"},
    {"one check is all that they allow", Harm::kWrong,
     "three process counts allow one check only: measure four or more before you rely on this"},
    {"only one configuration was measured (", Harm::kWrong,
     "only one configuration was measured: predictions take several scales"},
    {"what ranks send at another ", Harm::kWrong,
     "messages were measured at one problem size only: their sizes at others are assumed"},
    {"counts were simulated with the last level's ", Harm::kDoubt,
     "the last cache was simulated larger than ranks had it: some hits are memory accesses"},
    {"efficiency is above 100%", Harm::kWrong,
     "more processes gain more than their number: caches, or a base that other programs slowed"},
    {"incomplete runs are left out", Harm::kDoubt, "some runs are incomplete and left out"},
    {"the network has no cost for ", Harm::kDoubt,
     "some MPI operations have no cost on this network: they count as measured"},
    {"whether memory contention spoils predictions", Harm::kDoubt,
     "whether ranks contend for memory is not known: misses of the last cache were not counted"},
    {"CPU clock: waiting in MPI cannot be measured", Harm::kRemark, "waiting in MPI is calculated, not measured"},
    {"no counters: kernels are modelled by their time only", Harm::kDoubt,
     "no counts: growing work and memory stalls are not told apart (profile --counters)"},
    {"measuring took another ", Harm::kDoubt, "", " because"},
    {"the network is that of the experiment's folder", Harm::kRemark, "", ";"},
    {"the program's instructions are not known at ", Harm::kRemark, "", ";"},
    {"ranks that shared cores computed ", Harm::kRemark, "", ","},
    {"times of MPI operations are those of the simulation", Harm::kRemark, "", ";"},
    {"the cost of calls on the network is that of their mean size", Harm::kRemark, "", ";"},
};

}  // namespace

HarmfulDoubt doubt_of(const std::string& note) {
  for (const KnownNote& known : kKnownNotes) {
    const size_t at = note.find(known.words);
    if (at == std::string::npos) continue;
    const bool whole = *known.until == 0;
    const size_t end = whole ? at : note.find(known.until, at);
    return {known.harm, capitalised(note.substr(at, end - at) + known.brief)};
  }
  constexpr std::string_view kOfRuns = "of the runs at ";
  std::string text = note.substr(0, note.find(';'));
  if (const size_t colon = text.find(": "); text.starts_with(kOfRuns) && colon != std::string::npos) {
    text.erase(0, colon + 2);
  }
  if (text.size() > kOneLine) text.resize(std::min({text.size(), text.find(": "), text.find(" (")}));
  return {Harm::kDoubt, capitalised(text)};
}

std::vector<HarmfulDoubt> doubts_of(const Findings& findings) {
  std::vector<HarmfulDoubt> doubts;
  const auto add = [&](const HarmfulDoubt& doubt) {
    const auto same = [&](const HarmfulDoubt& d) { return d.text == doubt.text; };
    if (!doubt.text.empty() && std::none_of(doubts.begin(), doubts.end(), same)) doubts.push_back(doubt);
  };
  if (!findings.targets.empty()) {
    const TargetFindings& target = main_target(findings);
    add({Harm::kWrong, capitalised(disagreement_text(target))});
    add({Harm::kWrong, capitalised(unattributed_text(target))});
  }
  if (findings.left_out) {
    const double left_out_s = findings.left_out->asleep_s + findings.left_out->children_s;
    add({Harm::kWrong, "Ranks slept, waited outside MPI or started processes: " + core::time_text(left_out_s) + " at " +
                           text_of(findings.left_out->at) + " are not counted"});
  }
  for (const std::string& note : findings.notes) add(doubt_of(note));
  std::stable_sort(doubts.begin(), doubts.end(),
                   [](const HarmfulDoubt& a, const HarmfulDoubt& b) { return a.harm < b.harm; });
  return doubts;
}

}  // namespace scalediag::report
