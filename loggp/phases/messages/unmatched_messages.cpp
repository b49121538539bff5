#include "loggp/phases/messages/unmatched_messages.h"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <map>
#include <tuple>
#include <vector>

#include "core/parallel.h"
#include "loggp/phases/program_phases.h"

namespace scalediag::loggp {
namespace {

constexpr double kMostLeftOut = 0.01;  // of all messages, those that are left out for want of a partner

}  // namespace

UnmatchedMessages::UnmatchedMessages(const ScalingModel& model, int ranks, EachMessage each_message)
    : model_(model), ranks_(ranks), each_message_(std::move(each_message)) {
  constexpr int kWorthAThread = 4096;  // ranks
  const auto balance = [this](int begin, int end, MessageBalance& balanced) {
    uint64_t sent = 0;
    each_message_(
        [&](const ScaledMessage& m) {
          balanced.add(m.from, m.to, m.tag, m.communicator, m.n);
          sent += m.n > 0 ? static_cast<uint64_t>(m.n) : 0;
        },
        begin, end);
    return sent;
  };
  const int half = ranks_ < 2 * kWorthAThread ? ranks_ : ranks_ / 2;
  MessageBalance later;
  auto sent_later = std::async(core::beside_if(half < ranks_), balance, half, ranks_, std::ref(later));
  sent_ = balance(0, half, balance_);
  sent_ += sent_later.get();
  balance_.add_all(later);
  unmatched_ = balance_.unmatched();
  if (unmatched_.messages > 0) unmatched_.most = with_most();
}

// Irregular operations have those that are too many first, as they are left out first.
std::string UnmatchedMessages::with_most() const {
  MessageBalance balance = balance_;
  std::map<int, uint64_t> by_slot;
  for (const bool regular : {false, true}) {
    each_message_(
        [&](const ScaledMessage& m) {
          if (is_regular(m.slot) == regular) by_slot[m.slot] += balance.take(m.from, m.to, m.tag, m.communicator, m.n);
        },
        0, ranks_);
  }
  const auto most = std::max_element(by_slot.begin(), by_slot.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == by_slot.end() ? "" : place_of(model_, most->first);
}

bool UnmatchedMessages::leave_out(std::set<std::pair<int, int>>& operations, Unmatched& left_out) {
  if (unmatched_.messages == 0) return false;
  if (static_cast<double>(left_out.messages + unmatched_.messages) > kMostLeftOut * static_cast<double>(sent_)) {
    unmatched_.why_there = left_out.messages == 0 ? "they are too many to be left out"
                                                  : "with those left out they are too many to be left out as well";
    return false;
  }
  struct Excess {
    int64_t sent = 0;                                           // below 0: received
    std::vector<std::tuple<bool, int64_t, int, int>> messages;  // is regular, how often, slot, rank
  };
  std::map<std::tuple<int, int, int, uint32_t>, Excess> all;
  each_message_(
      [&](const ScaledMessage& m) {
        if (balance_.is_matched(m.from, m.to, m.tag, m.communicator)) return;
        Excess& excess = all[{m.from, m.to, m.tag, m.communicator}];
        excess.sent += m.n;
        excess.messages.emplace_back(is_regular(m.slot), m.n, m.slot, m.rank);
      },
      0, ranks_);
  uint64_t n = 0;
  for (auto& [key, excess] : all) {
    std::sort(excess.messages.begin(), excess.messages.end());
    for (const auto& [is_regular, times, slot, rank] : excess.messages) {
      if (excess.sent == 0 || (times > 0) != (excess.sent > 0) || std::abs(times) > std::abs(excess.sent)) continue;
      excess.sent -= times;
      operations.insert({slot, rank});
      n += static_cast<uint64_t>(std::abs(times));
    }
  }
  if (n == 0) {
    unmatched_.why_there = "the operations they are of have others with a partner, and are not left out";
    return false;
  }
  left_out.messages += n;
  if (left_out.example.empty()) {
    left_out.example = unmatched_.example;
    left_out.most = unmatched_.most;
  }
  return true;
}

}  // namespace scalediag::loggp
