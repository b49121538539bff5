#include "report/render/text/network_text.h"

#include <cstdio>

#include "core/text/numbers.h"
#include "core/text/quantities.h"
#include "loggp/network/parameter_fit.h"

namespace scalediag::report {
namespace {

std::string microseconds(double seconds) { return core::four_digits(seconds * 1e6); }

std::string size_text(uint64_t bytes) { return bytes == loggp::kAnySize ? "any" : std::to_string(bytes); }

std::string megabytes_per_s(double s_per_byte) { return s_per_byte > 0 ? core::four_digits(1e-6 / s_per_byte) : "-"; }

std::string segments(const loggp::LinkClass& link, const core::TableStyle& style) {
  core::Table table({{"from B"},
                     {"to B"},
                     {"o_s us"},
                     {"o_r us"},
                     {"L us"},
                     {"g us"},
                     {"O ns/B"},
                     {"G ns/B"},
                     {"1/G MB/s"},
                     {"handshake"},
                     {"residual"}});
  for (const loggp::Segment& s : link.segments) {
    table.add_row({size_text(s.from_bytes), size_text(s.to_bytes), microseconds(s.send_overhead_s),
                   microseconds(s.receive_overhead_s), microseconds(link.latency_of(s)), microseconds(s.gap_s),
                   core::four_digits(s.overhead_s_per_byte * 1e9), core::four_digits(s.gap_s_per_byte * 1e9),
                   megabytes_per_s(s.gap_s_per_byte),
                   s.from_bytes > link.sync_bytes ? core::four_digits(s.handshake) : "-", core::percent(s.residual)});
  }
  return table.text(style);
}

std::string samples(const loggp::LinkClass& link, const core::TableStyle& style) {
  core::Table table({{"bytes"},
                     {"half round trip us: 10 %"},
                     {"50 %"},
                     {"90 %"},
                     {"parameters say"},
                     {"gap us: 10 %"},
                     {"50 %"},
                     {"90 %"}});
  for (const loggp::SizeSample& s : link.samples) {
    const double said_s = loggp::one_way_s(link, s.bytes);
    char deviation[32];
    std::snprintf(deviation, sizeof deviation, "%s (%+.1f%%)", microseconds(said_s).c_str(),
                  100 * (said_s / s.half_round_trip_s[1] - 1));
    table.add_row({std::to_string(s.bytes), microseconds(s.half_round_trip_s[0]), microseconds(s.half_round_trip_s[1]),
                   microseconds(s.half_round_trip_s[2]), deviation, microseconds(s.gap_s[0]), microseconds(s.gap_s[1]),
                   microseconds(s.gap_s[2])});
  }
  return table.text(style);
}

std::string link_text(const char* title, const loggp::LinkClass& link, const core::TableStyle& style) {
  if (link.segments.empty()) return "";
  std::string text = std::string(title) + ": ";
  text += link.sync_bytes == loggp::kAnySize
              ? "no message that was tried waits for its receiver"
              : "messages above " + std::to_string(link.sync_bytes) + " B (S_sync) wait for their receiver";
  if (link.exchange != 1) {
    text += "; a rank that receives such messages takes " + core::four_digits(link.exchange) +
            " times as long to send them (exchange)";
  }
  if (link.connect_s > 0) {
    text += "; the first message between two ranks leaves " + microseconds(link.connect_s) + " us later (connect)";
  }
  text += "\n" + segments(link, style) + "\n" + samples(link, style);
  for (const std::string& note : link.notes) text += "note: " + note + "\n";
  return text + "\n";
}

}  // namespace

std::string network_table(const loggp::Network& network, const core::TableStyle& style) {
  const std::string copy = network.copy_s_per_byte > 0
                               ? "; copying: " + core::four_digits(network.copy_s_per_byte * 1e9) + " ns a byte"
                               : "";
  return link_text("between ranks of one node", network.same_node, style) +
         link_text("between ranks of two nodes", network.other_node, style) +
         "combining two operands: " + core::four_digits(network.reduction_s_per_byte * 1e9) + " ns a byte" + copy +
         "\n";
}

}  // namespace scalediag::report
