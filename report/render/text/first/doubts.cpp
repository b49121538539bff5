#include "report/render/text/first/doubts.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "core/text/join.h"
#include "core/text/quantities.h"
#include "report/render/source_text.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

struct KnownNote {
  std::string_view words;  // that only this note has
  Harm harm;
  const char* brief;  // nullptr: the note itself from `words` to its first semicolon
};

// Notes that are not listed are doubts, and said up to their first semicolon.
constexpr KnownNote kKnownNotes[] = {
    {"the runs were emulated, not measured", Harm::kWrong,
     "the runs were emulated: errors of the emulation are in no interval"},
    {"scaling is taken as ", Harm::kWrong,
     "the data speak against this kind of scaling, on which efficiency and causes rest"},
    {"at a target ranks compute ", Harm::kWrong, nullptr},
    {"predictions for other problem sizes are in doubt", Harm::kWrong,
     "ranks contend for memory already: other problem sizes may take longer than predicted"},
    {"not all events of the trace at ", Harm::kWrong,
     "not all events of the trace obey one equation: the simulation's error is not known, and in no interval"},
    {" changes nothing: ", Harm::kWrong, "the problem size changes nothing here: --size has no effect"},
    {"one check is all that they allow", Harm::kWrong,
     "three process counts allow one check only: measure four or more before you rely on this"},
    {"what ranks send at another ", Harm::kWrong,
     "messages were measured at one problem size only: their sizes at others are assumed"},
    {"measuring took another ", Harm::kDoubt, nullptr},
    {"efficiency is above 100%", Harm::kDoubt,
     "more processes gain more than their number: data may fit into caches at some scale"},
    {"incomplete runs are left out", Harm::kDoubt, nullptr},
    {"the network has no cost for ", Harm::kDoubt,
     "some MPI operations have no cost on this network: they count as "
     "measured"},
    {"whether memory contention spoils predictions", Harm::kDoubt,
     "whether ranks contend for memory is not known: misses of the last cache were not counted"},
    {"CPU clock: waiting in MPI cannot be measured", Harm::kDoubt,
     "ranks shared cores: waiting in MPI is calculated, not measured"},
    {"no counters: kernels are modelled by their time only", Harm::kDoubt,
     "no counts: growing work and memory stalls are not told apart (profile --counters)"},
    {"the network is that of the experiment's folder", Harm::kRemark, nullptr},
    {"the program's instructions are not known at ", Harm::kRemark, nullptr},
    {"ranks that shared cores computed ", Harm::kRemark, nullptr},
    {"not all measured scales are simulated", Harm::kRemark, nullptr},
    {"times of MPI operations are those of the simulation", Harm::kRemark, nullptr},
    {"the cost of calls on the network is that of their mean size", Harm::kRemark, nullptr},
};

std::string capitalised(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

HarmfulDoubt doubt_of(const std::string& note) {
  for (const KnownNote& known : kKnownNotes) {
    const size_t at = note.find(known.words);
    if (at == std::string::npos) continue;
    if (known.brief != nullptr) return {known.harm, capitalised(known.brief)};
    return {known.harm, capitalised(note.substr(at, note.find(';', at) - at))};
  }
  return {Harm::kDoubt, capitalised(note.substr(0, note.find(';')))};
}

}  // namespace

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
