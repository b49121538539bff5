#include "loggp/synth/signature_phases.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "loggp/simulator/simulator.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::loggp {
namespace {

class Divider {
 public:
  Divider(const std::vector<RankTrace>& run, const Network& network, const AlgorithmChoice& algorithms, int warm_up,
          SignaturePhases& made)
      : run_(run), network_(network), algorithms_(algorithms), warm_up_(warm_up), made_(made) {}

  core::Status divide(std::vector<ProgramPart>& parts) {
    if (auto done = take(parts); !done) return done.error();
    return divide_each(parts, parts);
  }

 private:
  core::Status take(const std::vector<ProgramPart>& all) {
    auto stepped = stepped_program(run_, all, algorithms_, network_, warm_up_);
    if (!stepped) return stepped.error();
    auto simulated = simulate_messages(stepped.value().program, network_);
    if (!simulated) return simulated.error();
    made_.stepped = std::move(stepped.value());
    made_.simulated = std::move(simulated.value());
    return core::Done{};
  }

  double deviation() const {
    const double sum_s = weighted_sum(simulated_phases(made_.stepped, made_.simulated), &PhaseResult::simulated_s);
    return std::abs(sum_s - made_.whole_s);
  }

  // What is executed takes, by the simulation.
  double executed_s() const {
    double longest_s = 0;
    for (const std::vector<double>& of_rank : made_.simulated.begin_s) longest_s = std::max(longest_s, of_rank.back());
    return longest_s;
  }

  // The outer loops before those in them.
  core::Status divide_each(const std::vector<ProgramPart>& all, std::vector<ProgramPart>& parts) {
    for (ProgramPart& part : parts) {
      if (!part.body.empty()) {
        const double most = std::max(deviation(), kMostDeviation * made_.whole_s);
        const auto divided = is_kept(all, part.is_divided, most, executed_s());
        if (!divided) return divided.error();
        if (divided.value()) {
          if (auto done = divide_each(all, part.body); !done) return done.error();
          continue;
        }
      }
      if (part.rounds == 1) continue;
      const double most = deviation() - kWorthwhile * made_.whole_s;
      if (most < 0) continue;
      const double longest_s = executed_s() + kMostOfWhole * made_.whole_s;
      if (const auto whole = is_kept(all, part.is_whole, most, longest_s); !whole) return whole.error();
    }
    return core::Done{};
  }

  // Sets a choice, and takes it back where with it the phases deviate by more than `most`, or what is executed takes
  // longer than `longest_s`.
  core::Result<bool> is_kept(const std::vector<ProgramPart>& all, bool& choice, double most, double longest_s) {
    SteppedProgram stepped = std::move(made_.stepped);
    SimulatedMessages simulated = std::move(made_.simulated);
    choice = true;
    if (auto done = take(all); !done) return done.error();
    if (deviation() <= most && executed_s() <= longest_s) return true;
    choice = false;
    made_.stepped = std::move(stepped);
    made_.simulated = std::move(simulated);
    return false;
  }

  const std::vector<RankTrace>& run_;
  const Network& network_;
  const AlgorithmChoice& algorithms_;
  const int warm_up_;
  SignaturePhases& made_;
};

}  // namespace

core::Result<SignaturePhases> signature_phases(const std::vector<RankTrace>& run, const Network& network, int warm_up) {
  SignaturePhases made;
  const auto program = TraceProgram::of(run);
  if (!program) return program.error();
  const auto algorithms = AlgorithmChoice::of(network);
  if (!algorithms) return algorithms.error();
  const auto with_connections = simulate(program.value(), network);
  if (!with_connections) return with_connections.error();
  Network connected = network;
  connected.same_node.connect_s = connected.other_node.connect_s = 0;
  const auto whole = simulate(program.value(), connected);
  if (!whole) return whole.error();
  made.whole_s = whole.value().total_s;
  made.connections_s = with_connections.value().total_s - made.whole_s;
  auto parts = parts_of(run);
  if (!parts) return parts.error();
  Divider divider(run, connected, algorithms.value(), warm_up, made);
  if (auto done = divider.divide(parts.value()); !done) return done.error();
  return made;
}

}  // namespace scalediag::loggp
