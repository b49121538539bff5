#include "loggp/traces/trace_writer.h"

#include <cstring>

#include "core/raw/raw_format.h"

namespace scalediag::loggp {
namespace {

using trace::EventKind;
using trace::put;
using trace::put_signed;
using trace::put_text;

void add_chunk(std::string& file, trace::ChunkKind kind, uint32_t rank, const std::string& payload) {
  raw::ChunkHeader header{};
  header.kind = static_cast<uint32_t>(kind);
  header.payload_bytes = static_cast<uint32_t>(payload.size());
  header.rank = rank;
  header.crc32 = raw::chunk_crc(header, payload.data(), payload.size());
  file.append(reinterpret_cast<const char*>(&header), sizeof header);
  file += payload;
  file.append(raw::padded(header.payload_bytes) - header.payload_bytes, '\0');
}

std::string definition(const TraceEvent& e) {
  std::string to;
  put(to, static_cast<uint64_t>(e.kind));
  put(to, e.routine);
  const auto side = [&](int peer, int tag, uint64_t bytes) {
    put(to, static_cast<uint64_t>(peer + 1));
    put_signed(to, tag);
    put(to, bytes);
  };
  switch (e.kind) {
    case EventKind::kSend:
    case EventKind::kRecv:
    case EventKind::kBufferedSend:
    case EventKind::kIsend:
    case EventKind::kIrecv:
      put(to, static_cast<uint64_t>(e.peer));
      put_signed(to, e.tag);
      put(to, e.communicator);
      put(to, e.bytes);
      if (e.kind == EventKind::kIsend || e.kind == EventKind::kIrecv) put(to, e.request);
      break;
    case EventKind::kRemote:
      put(to, static_cast<uint64_t>(e.tag));
      put(to, static_cast<uint64_t>(e.peer));
      put(to, e.communicator);
      put(to, e.bytes);
      put(to, e.request);
      break;
    case EventKind::kSendrecv:
      put(to, e.communicator);
      side(e.peer, e.tag, e.bytes);
      side(e.source, e.source_tag, e.source_bytes);
      break;
    case EventKind::kWait:
      put(to, e.requests.size());
      for (const uint32_t request : e.requests) put(to, request);
      break;
    case EventKind::kCollective:
      put(to, e.communicator);
      put(to, static_cast<uint64_t>(e.collective));
      put(to, e.bytes);
      put(to, static_cast<uint64_t>(e.root));
      break;
    case EventKind::kExchange:
      put(to, e.communicator);
      for (const auto* parts : {&e.sent, &e.received}) {
        put(to, parts->size());
        for (const auto& [peer, bytes] : *parts) {
          put(to, static_cast<uint64_t>(peer));
          put(to, bytes);
        }
      }
      break;
    case EventKind::kCollectiveBegins:
    case EventKind::kCommunicatorMade: put(to, e.communicator); break;
    case EventKind::kDeviceBegins:
    case EventKind::kDeviceWait: break;
    case EventKind::kNotReplayed: put(to, static_cast<uint64_t>(e.reason)); break;
  }
  return to;
}

void put_steps(std::string& to, const std::vector<TraceStep>& steps, bool repeated) {
  for (const TraceStep& step : steps) {
    if (step.count > 0) {
      put(to, 2 * step.body.size() + 1);
      put(to, step.count);
      put_steps(to, step.body, true);
      continue;
    }
    put(to, 2 * static_cast<uint64_t>(step.event));
    put(to, step.before.total);
    if (!repeated) continue;
    put(to, step.before.least);
    put(to, step.before.most);
    put(to, step.before.deviation);
  }
}

}  // namespace

std::string rank_file(const RankTrace& trace) {
  raw::Prelude prelude{};
  std::memcpy(prelude.magic, trace::kMagic, sizeof prelude.magic);
  prelude.version = trace::kVersionWithoutInstructions;
  prelude.byte_order = raw::kByteOrder;
  std::string file(reinterpret_cast<const char*>(&prelude), sizeof prelude);

  std::string identity;
  put(identity, trace.rank);
  put(identity, trace.size);
  put_text(identity, trace.host);
  put_text(identity, trace.executable);
  put_text(identity, trace.mpi_version);
  add_chunk(file, trace::ChunkKind::kIdentity, trace.rank, identity);

  std::string communicators;
  put(communicators, trace.communicators.size());
  for (const TraceCommunicator& c : trace.communicators) {
    put(communicators, c.ordinal);
    put(communicators, c.members.size());
    int before = 0;
    for (const int member : c.members) {
      put_signed(communicators, member - before);
      before = member;
    }
  }
  add_chunk(file, trace::ChunkKind::kCommunicators, trace.rank, communicators);

  std::string events;
  put(events, trace.routines.size());
  for (size_t i = 0; i < trace.routines.size(); ++i) {
    put(events, i);
    put_text(events, trace.routines[i]);
  }
  put(events, trace.events.size());
  for (const TraceEvent& event : trace.events) events += definition(event);
  put(events, trace.steps.size());
  put_steps(events, trace.steps, false);
  add_chunk(file, trace::ChunkKind::kEvents, trace.rank, events);

  std::string end;
  put(end, trace.n_events);
  put(end, static_cast<uint64_t>(trace.end));
  put(end, trace.tail_ns);
  put(end, trace.elapsed_ns);
  add_chunk(file, trace::ChunkKind::kEnd, trace.rank, end);
  add_chunk(file, trace::ChunkKind::kFooter, trace.rank, "");
  return file;
}

}  // namespace scalediag::loggp
