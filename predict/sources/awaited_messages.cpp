#include "predict/sources/awaited_messages.h"

#include <algorithm>

#include "loggp/network/parameter_fit.h"

namespace scalediag::predict {

using loggp::SpanKind;

OperationTimes::OperationTimes(const loggp::Program& program, const loggp::Network& network)
    : program_(program), network_(network), last_(static_cast<size_t>(program.ranks())), waiting_(program.ranks()) {}

void OperationTimes::on_span(const loggp::Span& span) {
  waiting_.on_span(span);
  if (span.op == nullptr || span.op->kind == loggp::OpKind::kCompute) return;
  const double seconds = (span.end_s - span.begin_s) / program_.ranks();
  OfOperation& of = operations_[loggp::name_of(program_.labels(), *span.op)];
  of.seconds += seconds;
  const bool waits = span.kind != SpanKind::kComputation && span.kind != SpanKind::kTransfer;
  (waits ? of.awaited.waiting_s : transfer_s_) += seconds;
  if (span.kind == SpanKind::kLateSender) of.awaited.late_sender_s += seconds;
  if (span.kind == SpanKind::kLateReceiver) of.awaited.late_receiver_s += seconds;
  Last& last = last_[span.rank];
  const bool goes_on = last.operation == &of && last.event == span.event;
  last = {&of, span.event, span.kind == SpanKind::kLateSender ? seconds : goes_on ? last.late_s : 0};
}

void OperationTimes::on_arrival(const loggp::Arrival& arrival) {
  waiting_.on_arrival(arrival);
  Last& last = last_[arrival.to];
  if (last.operation == nullptr || last.event != arrival.event) return;
  const auto node = [&](uint32_t rank) { return network_.placement.node_of(static_cast<int>(rank)); };
  const bool is_same = network_.other_node.segments.empty() || node(arrival.from) == node(arrival.to);
  const loggp::LinkClass& link = is_same ? network_.same_node : network_.other_node;
  const loggp::Segment& segment = link.segment_of(arrival.bytes);
  AwaitedMessages& awaited = last.operation->awaited;
  ++awaited.count;
  const auto bytes = static_cast<double>(arrival.bytes);
  awaited.bytes += bytes;
  awaited.cost_s += loggp::one_way_s(link, arrival.bytes);
  awaited.cost_of_bytes_s += (segment.gap_s_per_byte + segment.overhead_s_per_byte) * (std::max(1.0, bytes) - 1);
  if (last.late_s > 0) last.operation->late_by_sender_s[arrival.from] += last.late_s;
  last.late_s = 0;
}

std::map<std::string, double> OperationTimes::seconds() const {
  std::map<std::string, double> seconds;
  for (const auto& [name, of] : operations_) seconds[name] = of.seconds;
  return seconds;
}

AwaitedMessages OperationTimes::awaited(const std::string& operation) const {
  const auto found = operations_.find(operation);
  if (found == operations_.end()) return {};
  AwaitedMessages awaited = found->second.awaited;
  double most_s = 0;
  for (const auto& [rank, seconds] : found->second.late_by_sender_s) {
    const auto sender = static_cast<int>(rank);
    if (seconds < most_s || (seconds == most_s && sender > awaited.latest_rank)) continue;
    most_s = seconds;
    awaited.latest_rank = sender;
  }
  if (awaited.late_sender_s > 0) awaited.latest_share = most_s / awaited.late_sender_s;
  return awaited;
}

}  // namespace scalediag::predict
