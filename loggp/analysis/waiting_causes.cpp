#include "loggp/analysis/waiting_causes.h"

#include <algorithm>

namespace scalediag::loggp {
namespace {

// A wait is passed on where it explains this share of the one that follows. Less is the chance of two waits that touch.
constexpr double kExplains = 0.1;

}  // namespace

double WaitingCauses::sum_s() const {
  double sum_s = 0;
  for (const auto cause : kCausesOfWaiting) sum_s += this->*cause;
  return sum_s;
}

void WaitingCauses::multiply(double factor) {
  for (const auto cause : kCausesOfWaiting) this->*cause *= factor;
}

void WaitingObserver::on_span(const Span& span) {
  OfRank& rank = of_rank_[span.rank];
  const double seconds = span.end_s - span.begin_s;
  if (span.kind == SpanKind::kLateReceiver) {
    causes_.late_receiver_s += seconds;
  } else if (span.kind == SpanKind::kLockWait) {
    causes_.lock_s += seconds;
  } else if (span.kind == SpanKind::kLateSender || span.kind == SpanKind::kCollectiveWait) {
    (span.kind == SpanKind::kLateSender ? causes_.late_sender_s : causes_.collective_s) += seconds;
    rank.last = {span.begin_s, span.end_s, 0, false};
    rank.event = span.event;
    rank.kind = span.kind;
  }
}

void WaitingObserver::on_arrival(const Arrival& arrival) {
  OfRank& rank = of_rank_[arrival.to];
  const bool waited = rank.kind != SpanKind::kComputation && rank.event == arrival.event;
  const bool from_rank_to_rank = waited && rank.kind == SpanKind::kLateSender;
  if (waited) {
    rank.last.from = arrival.from;
    rank.last.is_pipeline = is_passed_on(arrival, rank.last);
    if (rank.last.is_pipeline) {
      const double seconds = rank.last.end_s - rank.last.begin_s;
      (from_rank_to_rank ? causes_.late_sender_s : causes_.collective_s) -= seconds;
      causes_.pipeline_s += seconds;
    }
    if (from_rank_to_rank) {
      rank.waits[rank.next] = rank.last;
      rank.next = (rank.next + 1) % kKept;
    }
    rank.kind = SpanKind::kComputation;
  }
  last_received_s_[uint64_t{arrival.from} << 32 | arrival.to] = arrival.received_s;
}

bool WaitingObserver::is_passed_on(const Arrival& arrival, const Wait& wait) {
  const auto known = last_received_s_.find(uint64_t{arrival.from} << 32 | arrival.to);
  const double since_s = known == last_received_s_.end() ? 0 : known->second;
  const auto within = [since_s](const Wait& w, double until_s) {
    return std::max(0.0, std::min(w.end_s, until_s) - std::max(w.begin_s, since_s));
  };
  double inherited_s = 0;
  for (const Wait& of_sender : of_rank_[arrival.from].waits) {
    if (of_sender.from != arrival.to) inherited_s += within(of_sender, wait.end_s);
  }
  for (const Wait& own : of_rank_[arrival.to].waits) inherited_s -= within(own, wait.begin_s);
  if (inherited_s < kExplains * (wait.end_s - wait.begin_s) || !(inherited_s > 0)) return false;
  for (Wait& of_sender : of_rank_[arrival.from].waits) {
    if (of_sender.is_pipeline || of_sender.from == arrival.to || !(within(of_sender, wait.end_s) > 0)) continue;
    of_sender.is_pipeline = true;
    causes_.late_sender_s -= of_sender.end_s - of_sender.begin_s;
    causes_.pipeline_s += of_sender.end_s - of_sender.begin_s;
  }
  return true;
}

}  // namespace scalediag::loggp
