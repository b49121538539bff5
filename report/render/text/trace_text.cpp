#include "report/render/text/trace_text.h"

#include <cmath>
#include <cstdio>

#include "core/text/join.h"
#include "core/text/quantities.h"
#include "loggp/traces/trace_program.h"

namespace scalediag::report {
namespace {

using loggp::RankTrace;
using loggp::TraceEvent;
using loggp::TraceStep;
using trace::EventKind;

const char* name_of(EventKind kind) {
  switch (kind) {
    case EventKind::kSend: return "send";
    case EventKind::kRecv: return "receive";
    case EventKind::kIsend: return "begin send";
    case EventKind::kIrecv: return "begin receive";
    case EventKind::kBufferedSend: return "buffered send";
    case EventKind::kSendrecv: return "send and receive";
    case EventKind::kWait: return "wait";
    case EventKind::kCollective: return "collective";
    case EventKind::kExchange: return "exchange";
    case EventKind::kCollectiveBegins: return "begin collective";
    case EventKind::kCommunicatorMade: return "make communicator";
    case EventKind::kDeviceBegins: return "begin device wait";
    case EventKind::kDeviceWait: return "device wait";
    case EventKind::kRemote: return "one-sided access";
    case EventKind::kNotReplayed: return "not simulated";
  }
  return "";
}

// With the preposition of the rank.
const char* name_of(trace::Remote what) {
  switch (what) {
    case trace::Remote::kPut:
    case trace::Remote::kPutLeft:
    case trace::Remote::kPutAnswered: return "puts to ";
    case trace::Remote::kGet: return "gets from ";
    case trace::Remote::kFetch: return "puts to and gets from ";
    case trace::Remote::kLock: return "locks ";
    case trace::Remote::kLockShared: return "shares a lock of ";
    case trace::Remote::kUnlock: return "unlocks ";
  }
  return "";
}

// The exact number, not rounded as quantities are, since traces are compared when debugging.
std::string plain_bytes(uint64_t bytes) { return std::to_string(bytes) + " B"; }

std::string us_text(double ns) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3f us", ns * 1e-3);
  return text;
}

std::string parts_text(const std::vector<std::pair<int, uint64_t>>& parts) {
  if (parts.empty()) return "nobody";
  return core::join(
      parts, ", ", [](const auto& part) { return std::to_string(part.first) + " (" + plain_bytes(part.second) + ")"; });
}

std::string details(const TraceEvent& e) {
  const std::string message = plain_bytes(e.bytes) + ", tag " + std::to_string(e.tag);
  const std::string in = e.communicator != 0 ? ", communicator " + std::to_string(e.communicator) : "";
  switch (e.kind) {
    case EventKind::kSend:
    case EventKind::kBufferedSend: return "to " + std::to_string(e.peer) + ": " + message + in;
    case EventKind::kRecv: return "from " + std::to_string(e.peer) + ": " + message + in;
    case EventKind::kIsend:
      return "to " + std::to_string(e.peer) + ": " + message + in + ", request " + std::to_string(e.request);
    case EventKind::kIrecv:
      return "from " + std::to_string(e.peer) + ": " + message + in + ", request " + std::to_string(e.request);
    case EventKind::kRemote:
      return std::string(name_of(static_cast<trace::Remote>(e.tag))) + std::to_string(e.peer) + ": " +
             plain_bytes(e.bytes) + in + ", request " + std::to_string(e.request);
    case EventKind::kSendrecv: {
      std::string text;
      if (e.peer >= 0) text = "to " + std::to_string(e.peer) + ": " + message;
      if (e.source >= 0) {
        text += (text.empty() ? "" : "; ") + std::string("from ") + std::to_string(e.source) + ": " +
                plain_bytes(e.source_bytes) + ", tag " + std::to_string(e.source_tag);
      }
      return text + in;
    }
    case EventKind::kWait: {
      if (e.requests.empty()) return "for all requests";
      std::string text = e.requests.size() == 1 ? "for request" : "for requests";
      for (const uint32_t request : e.requests) text += " " + std::to_string(request);
      return text;
    }
    case EventKind::kCollective:
      return plain_bytes(e.bytes) + (has_root(e.collective) ? ", root " + std::to_string(e.root) : "") +
             ", communicator " + std::to_string(e.communicator);
    case EventKind::kExchange:
      return "to " + parts_text(e.sent) + "; from " + parts_text(e.received) + ", communicator " +
             std::to_string(e.communicator);
    case EventKind::kCollectiveBegins: return "begins, communicator " + std::to_string(e.communicator);
    case EventKind::kCommunicatorMade: return "agreed on by communicator " + std::to_string(e.communicator);
    case EventKind::kDeviceBegins: return "begins to wait for the GPU";
    case EventKind::kDeviceWait: return "has waited for the GPU";
    case EventKind::kNotReplayed: return std::string(loggp::text_of(e.reason)) + " cannot be simulated";
  }
  return "";
}

std::string computation(const loggp::TraceTimes& t) {
  std::string text = us_text(t.mean_s() * 1e9);
  if (t.n > 1 && t.most > t.least) {
    text += " (" + us_text(static_cast<double>(t.least)) + " to " + us_text(static_cast<double>(t.most)) +
            ", deviation " + us_text(static_cast<double>(t.deviation)) + ")";
  }
  return text;
}

// "12000 instructions (11000 to 13000, deviation 500)"; empty: they were not counted.
std::string instructions(const loggp::TraceTimes& t) {
  if (t.n == 0) return "";
  std::string text = ", " + core::fixed(t.mean(), 0) + " instructions";
  if (t.n > 1 && t.most > t.least) {
    text += " (" + std::to_string(t.least) + " to " + std::to_string(t.most) + ", deviation " +
            std::to_string(t.deviation) + ")";
  }
  return text;
}

uint64_t put_steps(const RankTrace& trace, const std::vector<TraceStep>& steps, uint64_t number, int depth,
                   std::string& text) {
  for (const TraceStep& step : steps) {
    const std::string indent(static_cast<size_t>(2 * depth), ' ');
    if (step.count != 0) {
      text += indent + std::to_string(step.count) + " x {\n";
      const uint64_t after = put_steps(trace, step.body, number, depth + 1, text);
      text += indent + "}\n";
      number += step.count * (after - number);
      continue;
    }
    const TraceEvent& e = trace.events[step.event];
    if (step.before.total > 0) {
      text += indent + std::to_string(number) + (e.kind == EventKind::kDeviceWait ? " device " : " computation ") +
              computation(step.before) + instructions(step.instructions) + "\n";
    }
    const uint64_t own = number + (step.before.total > 0 ? 1 : 0);
    text += indent + std::to_string(own) + " " + trace.routines[e.routine] + " " + details(e) + "\n";
    number += loggp::operations_of(trace, e, step.before);
  }
  return number;
}

size_t n_steps(const std::vector<TraceStep>& steps) {
  size_t n = 0;
  for (const TraceStep& step : steps) n += step.count != 0 ? n_steps(step.body) : 1;
  return n;
}

nlohmann::ordered_json steps_json(const RankTrace& trace, const std::vector<TraceStep>& steps) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const TraceStep& step : steps) {
    if (step.count != 0) {
      list.push_back({{"count", step.count}, {"steps", steps_json(trace, step.body)}});
      continue;
    }
    const TraceEvent& e = trace.events[step.event];
    nlohmann::ordered_json event = {{"routine", trace.routines[e.routine]},
                                    {"kind", name_of(e.kind)},
                                    {"what", details(e)},
                                    {"computation_s",
                                     {{"n", step.before.n},
                                      {"mean", step.before.mean_s()},
                                      {"min", static_cast<double>(step.before.least) * 1e-9},
                                      {"max", static_cast<double>(step.before.most) * 1e-9},
                                      {"deviation", static_cast<double>(step.before.deviation) * 1e-9}}}};
    if (const loggp::TraceTimes& t = step.instructions; t.n > 0) {
      event["instructions"] = {
          {"n", t.n}, {"mean", t.mean()}, {"min", t.least}, {"max", t.most}, {"deviation", t.deviation}};
    }
    list.push_back(std::move(event));
  }
  return list;
}

}  // namespace

std::string trace_summary(const RankTrace& trace) {
  return "rank " + std::to_string(trace.rank) + " of " + std::to_string(trace.size) + " on " + trace.host + ": " +
         std::to_string(trace.n_events) + " events, " + std::to_string(n_steps(trace.steps)) + " once folded, in " +
         plain_bytes(trace.bytes) +
         (trace.elapsed_ns > 0
              ? "; recorded for " + core::fixed(static_cast<double>(trace.elapsed_ns) * 1e-9, 3) + " s\n"
              : "\n");
}

std::string trace_text(const RankTrace& trace) {
  std::string text = trace_summary(trace);
  for (size_t i = 1; i < trace.communicators.size(); ++i) {
    const auto& c = trace.communicators[i];
    text += "  communicator " + std::to_string(i) + ":";
    if (c.members.empty()) text += " all ranks";
    for (const int member : c.members) text += " " + std::to_string(member);
    if (c.ordinal > 0) text += " (" + std::to_string(c.ordinal) + " before it with the same ranks)";
    text += "\n";
  }
  const uint64_t after = put_steps(trace, trace.steps, 0, 1, text);
  if (trace.tail_ns > 0) {
    text += "  " + std::to_string(after) + " computation " + us_text(static_cast<double>(trace.tail_ns)) + "\n";
  }
  return text;
}

nlohmann::ordered_json trace_json(const RankTrace& trace) {
  nlohmann::ordered_json communicators = nlohmann::ordered_json::array();
  for (const auto& c : trace.communicators) {
    communicators.push_back({{"ordinal", c.ordinal}, {"members", c.members}});
  }
  return {{"rank", trace.rank},
          {"size", trace.size},
          {"host", trace.host},
          {"events", trace.n_events},
          {"bytes", trace.bytes},
          {"elapsed_s", static_cast<double>(trace.elapsed_ns) * 1e-9},
          {"incomplete", trace.incomplete},
          {"communicators", communicators},
          {"steps", steps_json(trace, trace.steps)},
          {"computation_after_s", static_cast<double>(trace.tail_ns) * 1e-9}};
}

namespace {

std::string side_text(const std::optional<TraceEvent>& event, const std::string& routine) {
  return event ? routine + " " + details(*event) : "nothing: it has ended";
}

std::string rounded_down_percent(double share) {
  // Rounded down, so that 100 % means all.
  char text[32];
  std::snprintf(text, sizeof text, "%6.2f%%", std::floor(share * 1e4) / 100);
  return text;
}

}  // namespace

std::string trace_comparison_text(const loggp::TraceComparison& comparison) {
  const auto row = [](const std::string& name, const loggp::EventCounts& counts) {
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, "%12llu %12llu %12llu  %s  %s", static_cast<unsigned long long>(counts.a),
                  static_cast<unsigned long long>(counts.b), static_cast<unsigned long long>(counts.identical),
                  rounded_down_percent(counts.share()).c_str(),
                  rounded_down_percent(counts.share_but_for_bytes()).c_str());
    return "  " + name + std::string(name.size() < 24 ? 24 - name.size() : 1, ' ') + numbers + "\n";
  };
  std::string text = "  operation                 events of A  events of B    identical  identical  but for bytes\n";
  for (const auto& [name, counts] : comparison.operations) text += row(name, counts);
  text += row("all", comparison.all);
  if (const auto& d = comparison.first_difference) {
    text += "\nfirst difference: rank " + std::to_string(d->rank) + ", event " + std::to_string(d->event) +
            "\n  A: " + side_text(d->a, d->a_routine) + "\n  B: " + side_text(d->b, d->b_routine) + "\n";
  } else {
    text += "\nno difference\n";
  }
  return text;
}

nlohmann::ordered_json trace_comparison_json(const loggp::TraceComparison& comparison) {
  const auto counts_json = [](const loggp::EventCounts& counts) {
    return nlohmann::ordered_json{
        {"a", counts.a}, {"b", counts.b}, {"identical", counts.identical}, {"but_for_bytes", counts.but_for_bytes}};
  };
  nlohmann::ordered_json document = {{"schema", "scalediag-trace-comparison/1"},
                                     {"events", comparison.all.events()},
                                     {"identical", comparison.all.identical},
                                     {"share", comparison.all.share()},
                                     {"but_for_bytes", comparison.all.but_for_bytes},
                                     {"share_but_for_bytes", comparison.all.share_but_for_bytes()},
                                     {"first_difference", nullptr}};
  if (const auto& d = comparison.first_difference) {
    document["first_difference"] = {{"rank", d->rank},
                                    {"event", d->event},
                                    {"a", side_text(d->a, d->a_routine)},
                                    {"b", side_text(d->b, d->b_routine)}};
  }
  document["operations"] = nlohmann::ordered_json::object();
  for (const auto& [name, counts] : comparison.operations) document["operations"][name] = counts_json(counts);
  document["ranks"] = nlohmann::ordered_json::array();
  for (const loggp::EventCounts& counts : comparison.ranks) document["ranks"].push_back(counts_json(counts));
  return document;
}

}  // namespace scalediag::report
