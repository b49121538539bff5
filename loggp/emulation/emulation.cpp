#include "loggp/emulation/emulation.h"

#include <utility>

namespace scalediag::loggp {

Result<std::unique_ptr<Emulation>> Emulation::begin(int ranks, const Network& network, const EmulationOptions& options,
                                                    LiveSimulation::Answer answer) {
  std::unique_ptr<Emulation> emulation(new Emulation(ranks, options));
  SimulationOptions how;
  how.compute_factor = options.compute_factor;
  if (options.times_calls) how.observer = &emulation->call_times_.emplace(emulation->program_);
  auto simulation = TRY(LiveSimulation::begin(emulation->program_, network, how, std::move(answer)));
  emulation->simulation_.emplace(std::move(simulation));
  return emulation;
}

std::optional<int> Emulation::left_early() const {
  for (int r = 0; r < program_.ranks(); ++r) {
    if (program_.has_ended(r) && program_.how_ended(r) != trace::End::kFinalize) return r;
  }
  return std::nullopt;
}

Status Emulation::go_on(const std::vector<uint32_t>& with_more, const std::vector<bool>& is_idle) {
  // What the others wait for then is no deadlock, and the launcher ends the run.
  if (left_early()) return Done{};
  TRY(simulation_->go_on(with_more, is_idle));
  if (keeps_all_ && program_.held_events() > options_.most_kept_events) keeps_all_ = false;
  if (keeps_all_) return Done{};
  for (const uint32_t r : with_more) program_.forget_before(static_cast<int>(r), simulation_->position(r));
  return Done{};
}

std::string Emulation::state() const {
  constexpr int kShown = 4;
  std::string text;
  int n_shown = 0;
  for (int r = 0; r < program_.ranks(); ++r) {
    if (program_.has_ended(r)) continue;
    if (n_shown++ == kShown) return text + "; ...";
    text += (text.empty() ? "" : "; ") + simulation_->describe(static_cast<uint32_t>(r));
  }
  return text.empty() ? "all ranks have ended" : text;
}

Result<Simulation> Emulation::end() {
  if (const auto rank = left_early()) {
    return Error{ErrorCode::kInput, "rank " + std::to_string(*rank) + " ended without MPI_Finalize",
                 "let every rank call MPI_Finalize before it ends"};
  }
  program_.end();
  std::vector<uint32_t> all;
  for (int r = 0; r < program_.ranks(); ++r) all.push_back(static_cast<uint32_t>(r));
  TRY(go_on(all));
  return simulation_->end();
}

}  // namespace scalediag::loggp
