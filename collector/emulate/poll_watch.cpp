#include "collector/emulate/poll_watch.h"

#include "core/mpi_routines.h"
#include "core/text/quantities.h"

namespace scalediag::emulate {

bool PollWatch::only_polls(const EventChannel& channel, uint32_t rank) const {
  const Polls now = channel.polls(rank);
  const Polls& before = before_[rank];
  const auto n = static_cast<double>(now.n - before.n);
  return now.n - before.n >= kFewPolls && now.untold_s - before.untold_s < kLongestBetween_s * n;
}

std::string PollWatch::look(const EventChannel& channel, bool told, Time now) {
  if (told) {
    before_.clear();
    since_ = now;
    return "";
  }
  if (before_.empty()) {
    for (uint32_t r = 0; r < channel.ranks(); ++r) before_.push_back(channel.polls(r));
    return "";
  }
  if (std::chrono::duration<double>(now - since_).count() < patience_s_) return "";
  constexpr int kShown = 4;
  int n_polling = 0;
  std::string text;
  for (uint32_t r = 0; r < channel.ranks(); ++r) {
    if (channel.has_ended(r)) continue;
    const stream::Idle idle = channel.idle(r);
    if (idle == stream::Idle::kComputes || !channel.has_attached(r)) return "";
    if (idle != stream::Idle::kPolls) continue;  // waits for another one
    if (!only_polls(channel, r)) return "";
    if (n_polling++ >= kShown) continue;
    const Polls polls = channel.polls(r);
    text += (text.empty() ? "rank " : ", rank ") + std::to_string(r) + " with " +
            std::string(polls.routine < mpi::kRoutines ? mpi::kRoutineTable[polls.routine].name : "MPI") + " (" +
            core::count_text(static_cast<double>(polls.n - before_[r].n)) + " times)";
  }
  return text + (n_polling > kShown ? ", ..." : "");
}

}  // namespace scalediag::emulate
