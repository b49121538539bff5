#include "report/proposal/study_remarks.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text/join.h"
#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "core/text/shell_words.h"
#include "core/text/value_list.h"
#include "report/proposal/scaling_table_text.h"
#include "report/render/verdict.h"

namespace scalediag::report {
namespace {

// A value this far above what is ideal, beyond its interval, is explained.
constexpr double kSuperlinear = 1.05;

constexpr const char* kNothingMade = ": no speed-up, efficiency or cost is made of these runs.";

class Remarks {
 public:
  Remarks(const Study& study, const core::Profile& profile, const core::Experiment* experiment)
      : study_(study), findings_(study.findings), profile_(profile), experiment_(experiment) {}

  std::vector<std::string> take() {
    // The most harmful first.
    on_trust();
    on_repeats();
    on_shared_cores();
    on_scaling();
    on_time_left_out();
    on_rounds();
    on_scales();
    on_values_above_ideal();
    on_main_loop();
    on_whole_jobs();
    on_length();
    on_nodes();
    on_runs();
    return std::move(remarks_);
  }

 private:
  void say(std::string text) { remarks_.push_back(std::move(text)); }

  bool elapsed() const { return study_.tables.front().is_elapsed(); }

  std::set<double> scales() const {
    std::set<double> all;
    for (const ScalingTable& table : study_.tables) {
      for (const ScalingRow& row : table.rows) {
        if (!row.predicted) all.insert(process_count(row.at));
      }
    }
    return all;
  }

  // "`scalediag profile -n 1,2 -- lmp -in in.lj`", the command that measures these numbers of processes.
  std::string profile_command(const std::string& processes) const {
    return "`scalediag profile -n " + processes + " -- " +
           core::join(profile_.command, " ", [](const std::string& word) { return core::quote_shell_word(word); }) +
           "`";
  }

  void on_shared_cores() {
    const int cores = experiment_ == nullptr ? 0 : experiment_->host.cores;
    if (!elapsed()) {
      const bool asked = experiment_ == nullptr || experiment_->clock != "auto";
      std::string text = asked ? "The runs were measured by CPU time" : "Ranks shared cores";
      text += ": elapsed times do not show how the program scales, and there is no speed-up and no cost here. Known: " +
              findings_.clock_reason +
              ". The efficiency that is given is one of CPU time per rank: computation as measured, ";
      const bool waits = std::any_of(findings_.measured_totals.begin(), findings_.measured_totals.end(),
                                     [](const Findings::MeasuredTotals& totals) { return totals.simulated; });
      text += waits ? "messages and waiting by simulation of the recorded traces on the network. "
                    : "messages at the cost of the fastest ones of any run, and waiting for the slowest rank as far as "
                      "it is slower than chance makes it";
      const bool simulated = std::any_of(findings_.targets.begin(), findings_.targets.end(),
                                         [](const TargetFindings& target) { return target.simulated.has_value(); });
      if (!waits) {
        text += simulated ? "; at larger scales messages and waiting are those of a simulation on the network that was "
                            "given. "
                          : ". It is a favourable figure: imbalance that chance may have made and waiting for messages "
                            "are not in it" +
                                std::string(findings_.on_given_network
                                                ? ". "
                                                : ", nor what the network of the machine applied for costs. ");
      }
      text +=
          "For a speed-up, run on a machine with a core for each rank: " + profile_command(core::list_of(scales())) +
          " on at least " + core::to_text(most_cores()) + " cores";
      std::vector<double> with_a_core;
      for (const ScalingRow& row : study_.tables.front().rows) {
        if (!row.predicted && row.cores <= cores) with_a_core.push_back(process_count(row.at));
      }
      if (!asked && with_a_core.size() > 1) {
        text += "; " + core::list_of(with_a_core) +
                " processes have a core each on this machine, too, and give elapsed "
                "times where they are measured without the others";
      }
      say(text + ".");
    }
  }

  void on_main_loop() {
    if (study_.why_run.empty()) return;
    say("Times are those of whole runs, with the program's set-up in them, since the main loop is not known: " +
        study_.why_run + ". Where the program marks its loop as a region, `--region NAME` gives its time.");
  }

  // Runs of one loop may stop after other numbers of rounds, as where they iterate until a residual is small.
  void on_rounds() {
    if (study_.region != core::kMainLoop) return;
    for (const ScalingTable& table : study_.tables) {
      std::vector<std::string> rounds;
      std::set<double> different;
      for (const ScalingRow& row : table.rows) {
        if (row.predicted || !row.loop_iterations) continue;
        rounds.push_back(core::to_text(std::round(*row.loop_iterations)) + " at " + text_of(row.at));
        different.insert(std::round(*row.loop_iterations));
      }
      if (different.size() < 2) continue;
      say("The main loop has other numbers of rounds in these runs (" + core::join(rounds) +
          "): its times are of more or fewer rounds, and so is what is made of them.");
    }
  }

  // A centre charges whole jobs, whose start, set-up and end may scale otherwise than what the table shows.
  void on_whole_jobs() {
    constexpr double kApart = 0.05;
    for (const ScalingTable& table : study_.tables) {
      const ScalingRow* last = nullptr;
      for (const ScalingRow& row : table.rows) {
        if (!row.predicted && row.efficiency && row.job_efficiency) last = &row;
      }
      if (last == nullptr || std::abs(last->efficiency->value - *last->job_efficiency) < kApart) continue;
      say("Whole jobs, with start, set-up and end, which a centre charges, have an efficiency of " +
          core::percent(*last->job_efficiency) + " at " + text_of(last->at) +
          (table.label.empty() ? "" : " of " + table.label) + ", where " + name_of_region(table.region) + " has " +
          core::percent(last->efficiency->value) + ".");
    }
  }

  void on_length() {
    constexpr double kShort_s = 30;
    const ScalingRow* shortest = nullptr;
    for (const ScalingTable& table : study_.tables) {
      for (const ScalingRow& row : table.rows) {
        if (row.predicted || row.time_s.value >= kShort_s) continue;
        if (shortest == nullptr || row.time_s.value < shortest->time_s.value) shortest = &row;
      }
    }
    if (shortest == nullptr) return;
    say("The times are short, down to " + seconds_text(shortest->time_s.value) + " at " + text_of(shortest->at) +
        ": a reviewer will ask whether they stand for production runs. Measure the production problem, with more "
        "steps.");
  }

  // The reasons to doubt, with what mends them.
  void on_trust() {
    for (const TrustReason& reason : findings_.trust.reasons) {
      const bool is_of_runs = !reason.at.empty() && findings_.trust.doubt_at(reason.at.front()) == reason.doubt;
      say(capitalised(text_of(reason)) + (is_of_runs ? kNothingMade : ".") + " " + cure_of(reason.doubt));
    }
    if (elapsed() && experiment_ == nullptr) {
      say("Whether ranks shared cores is not known, since " + study_.input +
          " comes without the folder that says how many cores its machine had.");
    }
    for (const ScalingTable& table : study_.tables) {
      if (table.is_in_doubt()) {
        say("The smallest run, " + text_of(table.rows.front().at) + (table.label.empty() ? "" : " of " + table.label) +
            ", is in doubt (" + name_of(*table.rows.front().doubt) +
            "), so that no run can be compared with it: there is no speed-up and no efficiency.");
      }
    }
    if (findings_.trust.tells_nothing()) say("Predictions are left out: nothing can be concluded from these runs.");
  }

  double most_cores() const {
    double most = 0;
    for (const ScalingTable& table : study_.tables) {
      for (const ScalingRow& row : table.rows) {
        if (!row.predicted) most = std::max(most, row.cores);
      }
    }
    return most;
  }

  void on_nodes() {
    size_t nodes = 0;
    for (const core::Run& run : profile_.runs) {
      if (run.complete) nodes = std::max(nodes, run.hosts.size());
    }
    const double per_node = study_.tables.front().cores_per_node;
    if (study_.tables.front().other_nodes) {
      say("Nodes are counted as those of the machine applied for, of " + core::to_text(per_node) +
          " cores each; the times are those of the machine that was measured on" +
          (experiment_ == nullptr ? "" : ", whose nodes have " + std::to_string(experiment_->host.cores) + " cores") +
          ". Repeat the smallest and the largest run on the machine applied for.");
    }
    if (!knows_nodes(study_.tables.front())) {
      say(std::string(nodes == 0 ? "It is not recorded which nodes the runs were on"
                                 : "All runs were on one machine: they show how the program scales within it, and are "
                                   "no scaling study across nodes") +
          ". Nodes and their cost are not known: `--cores-per-node` says how many cores a node has.");
    } else if (nodes == 1) {
      int threads = 1;
      for (const core::Run& run : profile_.runs) threads = std::max(threads, run.threads_max);
      const double ranks_a_node = std::max(1.0, std::floor(per_node / threads));
      const auto ranks = [&](double n) { return core::to_text(n * ranks_a_node); };
      say("All runs were on one node. They show how the program scales within a node, and are no scaling study across "
          "nodes. For one, measure on 1, 2, 4 and 8 nodes: " +
          profile_command(ranks(1) + "," + ranks(2) + "," + ranks(4) + "," + ranks(8)) + " in a job of 8 nodes with " +
          core::to_text(std::max(1.0, per_node)) + (per_node > 1 ? " cores each." : " core each."));
    }
  }

  void on_repeats() {
    std::vector<double> single;
    for (const ScalingTable& table : study_.tables) {
      for (const ScalingRow& row : table.rows) {
        if (!row.predicted && row.repeats < 2) single.push_back(process_count(row.at));
      }
    }
    if (!single.empty()) {
      std::sort(single.begin(), single.end());
      single.erase(std::unique(single.begin(), single.end()), single.end());
      say("There is one run at np=" + core::list_of(single) +
          ", so that nothing is known about the error of its time: repeat it (`scalediag profile --repeat 3`).");
    }
  }

  void on_scaling() {
    if (findings_.scaling == Scaling::kUnknown) {
      say("Whether the problem grows with the number of processes is not known, so that there is no efficiency: say "
          "--scaling strong or --scaling weak.");
      return;
    }
    const std::string kind = name_of(findings_.scaling);
    if (!findings_.scaling_contradiction.empty()) {
      say("This is presented as " + kind + " scaling (" + findings_.scaling_reason + "), but " +
          findings_.scaling_contradiction + ": the efficiencies are only right if it is " + kind + " scaling.");
    } else if (findings_.scaling_source == ScalingSource::kAssumed || findings_.scaling_is_open) {
      const bool says_so = findings_.scaling_source == ScalingSource::kAssumed;
      say("That this is " + kind + " scaling is " +
          (says_so ? findings_.scaling_reason : "assumed (" + findings_.scaling_reason + ")") +
          ": the efficiencies are only right if it is.");
    }
  }

  void on_scales() {
    if (const size_t n = scales().size(); n < kScalesForSection) {
      say("There are " + std::to_string(n) + " numbers of processes. A table of a scaling study has at least " +
          std::to_string(kScalesForSection) + ", and it is not predicted from fewer.");
    }
  }

  void on_time_left_out() {
    if (!findings_.left_out) return;
    const LeftOut& out = *findings_.left_out;
    std::string text = "CPU time does not hold everything: at " + text_of(out.at);
    if (out.asleep_s > 0)
      text += " ranks slept, or waited for files or other processes, for " + seconds_text(out.asleep_s);
    if (out.children_s > 0) {
      text += std::string(out.asleep_s > 0 ? ", and" : "") + " processes that ranks started took " +
              seconds_text(out.children_s);
    }
    say(text + " beside " + seconds_text(out.run_s) + ".");
  }

  static std::string seconds_text(double seconds) { return time_and_interval({seconds, {}, {}}); }

  void on_values_above_ideal() {
    std::vector<std::string> above;
    for (const ScalingTable& table : study_.tables) {
      for (const ScalingRow& row : table.rows) {
        if (!row.efficiency || row.predicted) continue;
        if (row.efficiency->low.value_or(row.efficiency->value) > kSuperlinear) above.push_back(text_of(row.at));
      }
    }
    if (above.empty()) return;
    say("Efficiency is above 100 % at " + core::join(above) +
        ": either the part of the data that a rank holds fits into "
        "faster caches there, or the smallest run is slower than it had to be (memory bandwidth, other programs), or "
        "a rank that hands work out and does none is a smaller part of all ranks there.");
  }

  void on_runs() {
    for (const core::RunWarning& warning : study_.provenance.warnings) {
      constexpr size_t kNamed = 3;
      const std::vector<std::string> named(warning.runs.begin(),
                                           warning.runs.begin() + std::min(kNamed, warning.runs.size()));
      std::string runs = core::join(named);
      if (warning.runs.size() > kNamed) runs += " and " + std::to_string(warning.runs.size() - kNamed) + " more";
      say("Of the runs (" + runs + "): " + warning.text + ".");
    }
    if (!study_.provenance.missing.empty()) {
      say("Runs that were asked for and do not count: " + core::join(study_.provenance.missing, "; ") + ".");
    }
  }

  const Study& study_;
  const Findings& findings_;
  const core::Profile& profile_;
  const core::Experiment* experiment_;
  std::vector<std::string> remarks_;
};

}  // namespace

std::vector<std::string> briefly(const std::vector<std::string>& remarks) {
  std::vector<std::string> brief;
  for (size_t i = 0; i < std::min(kMostRemarks, remarks.size()); ++i) {
    std::string first = remarks[i].substr(0, remarks[i].find(". "));
    if (first.ends_with('.')) first.pop_back();
    brief.push_back(std::move(first));
  }
  return brief;
}

std::vector<std::string> remarks_of(const Study& study, const core::Profile& profile,
                                    const core::Experiment* experiment) {
  return Remarks(study, profile, experiment).take();
}

}  // namespace scalediag::report
