#include "loggp/traces/trace_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "core/atomic_file.h"
#include "core/raw/node_file.h"
#include "core/raw/raw_format.h"
#include "loggp/traces/rank_parser.h"

namespace scalediag::loggp {
namespace {

namespace fs = std::filesystem;

std::string why_incomplete(const RankTrace& trace, const raw::Prelude& prelude, bool saw_end) {
  const std::string where =
      "rank " + std::to_string(trace.rank) + ", event " + std::to_string(trace.n_events) + ": the trace ends there, ";
  if (prelude.stop_reason == static_cast<uint32_t>(raw::StopReason::kWriteFailed)) {
    return where + "because it could not be written: " + std::strerror(static_cast<int>(prelude.stop_errno));
  }
  if (prelude.stop_reason == static_cast<uint32_t>(raw::StopReason::kOutOfMemory)) {
    return where + "because memory ran out";
  }
  if (!saw_end) return where + "without the call of MPI_Finalize: the rank was killed or the file was cut off";
  if (trace.end == trace::End::kAbort) return where + "because the application called MPI_Abort";
  if (trace.end == trace::End::kExit) return where + "because the process ended without MPI_Finalize";
  return "";
}

// The part of a file that no checksum covers, because it is written again where recording stops: what it can say is
// little, so that a flipped bit says something else. Recording never stops after the footer.
bool is_possible(const raw::Prelude& prelude) {
  const bool has_no_more =
      std::all_of(std::begin(prelude.reserved), std::end(prelude.reserved), [](uint8_t byte) { return byte == 0; });
  const bool stopped = prelude.stop_reason != static_cast<uint32_t>(raw::StopReason::kNone);
  return has_no_more && prelude.stop_reason <= static_cast<uint32_t>(raw::StopReason::kOutOfMemory) &&
         stopped == (prelude.stop_errno != 0);
}

Status add_trace(std::string_view bytes, const std::string& name, std::vector<RankTrace>& traces) {
  traces.push_back(TRY(parse_rank_trace(bytes, name)));
  return Done{};
}

// Adds the traces of all ranks of a node.
Status add_traces_of_node(const std::string& path, std::vector<RankTrace>& traces) {
  const auto wrong = [&](const Error& error) {
    return Error{ErrorCode::kInput, path + " cannot be read: " + error.message, error.hint, path};
  };
  const auto file = core::StreamFile::open(path);
  if (!file) return wrong(file.error());
  const auto streams = file.value().streams();
  if (!streams) return wrong(streams.error());
  for (const core::RankStream& stream : streams.value()) {
    std::string bytes(stream.size, '\0');
    if (!file.value().read(stream, 0, bytes.data(), bytes.size())) {
      return wrong({ErrorCode::kInput, "reading failed", "", path});
    }
    TRY(add_trace(bytes, path + ", rank " + std::to_string(stream.rank), traces));
  }
  return Done{};
}

Status add_traces_of_file(const std::string& path, std::vector<RankTrace>& traces) {
  if (fs::path(path).filename().string().starts_with("node-")) return add_traces_of_node(path, traces);
  const auto text = TRY(core::read_file(path));
  return add_trace(text, path, traces);
}

}  // namespace

Result<RankTrace> parse_rank_trace(std::string_view bytes, const std::string& file) {
  const auto damaged = [&](const std::string& what, const std::string& hint = "") {
    return Error{ErrorCode::kInput, file + ": " + what, hint, file};
  };
  raw::Prelude prelude;
  if (bytes.size() < sizeof prelude.magic || std::memcmp(bytes.data(), trace::kMagic, sizeof trace::kMagic) != 0) {
    return damaged("is no trace that scalediag recorded");
  }
  RankTrace trace;
  trace.bytes = bytes.size();
  if (bytes.size() < sizeof prelude) return damaged("ends within its first 64 bytes: it was cut off");
  std::memcpy(&prelude, bytes.data(), sizeof prelude);
  if (prelude.byte_order != raw::kByteOrder) return damaged("was written on a machine of the other byte order");
  if (prelude.version > trace::kVersion) {
    return damaged("has version " + std::to_string(prelude.version) + ", this scalediag reads up to " +
                       std::to_string(trace::kVersion),
                   "use the scalediag that recorded it, or a newer one");
  }
  if (prelude.version == 0) return damaged("is damaged at byte " + std::to_string(offsetof(raw::Prelude, version)));
  if (!is_possible(prelude)) {
    return damaged("is damaged at byte " + std::to_string(offsetof(raw::Prelude, stop_reason)));
  }
  RankParser parser(trace);
  bool has_footer = false;
  for (size_t at = sizeof prelude; at < bytes.size();) {
    raw::ChunkHeader header;
    const std::string place = "at byte " + std::to_string(at);
    if (has_footer) return damaged("is damaged " + place + ": it goes on after its end");
    if (bytes.size() - at < sizeof header) break;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    if (header.payload_bytes > raw::kMaxPayloadBytes) return damaged("is damaged " + place);
    if (bytes.size() - at - sizeof header < header.payload_bytes) break;
    const std::string_view payload = bytes.substr(at + sizeof header, header.payload_bytes);
    if (header.crc32 != raw::chunk_crc(header, payload.data(), payload.size())) {
      return damaged("is damaged " + place + ": the checksum is wrong");
    }
    const std::string_view padding = bytes.substr(at + sizeof header + header.payload_bytes)
                                         .substr(0, raw::padded(header.payload_bytes) - header.payload_bytes);
    if (padding.find_first_not_of('\0') != padding.npos) return damaged("is damaged " + place + ": behind a part");
    at += sizeof header + raw::padded(header.payload_bytes);
    has_footer = header.kind == static_cast<uint32_t>(trace::ChunkKind::kFooter);
    if (!has_footer && !parser.chunk(header.kind, payload))
      return damaged("is damaged " + place + ": " + parser.failure());
  }
  if (!parser.saw_identity()) return damaged("ends before the rank's identity: it was cut off");
  if (has_footer && prelude.stop_reason != 0) return damaged("is damaged: it is whole, and says that it was cut short");
  trace.incomplete = why_incomplete(trace, prelude, parser.saw_end() && has_footer);
  if (trace.incomplete.empty() && !parser.distribute_computations()) return damaged("is damaged: " + parser.failure());
  return trace;
}

Result<std::vector<RankTrace>> read_traces(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    if (it->path().extension() == ".trace") files.push_back(it->path().string());
  }
  std::ranges::sort(files);
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorCode::kInput, folder + ": " + what, "", folder};
  };
  if (files.empty()) return wrong("holds no trace");
  std::vector<RankTrace> traces;
  for (const std::string& file : files) TRY(add_traces_of_file(file, traces));
  std::ranges::stable_sort(traces, [](const RankTrace& a, const RankTrace& b) { return a.rank < b.rank; });
  const uint32_t size = traces.front().size;
  for (uint32_t r = 0; r < traces.size(); ++r) {
    if (traces[r].size != size) {
      return wrong("holds traces of runs with " + std::to_string(size) + " and with " + std::to_string(traces[r].size) +
                   " ranks");
    }
    if (traces[r].rank < r) return wrong("holds two traces of rank " + std::to_string(traces[r].rank));
    if (traces[r].rank > r) break;
  }
  for (uint32_t r = 0; r < size; ++r) {
    if (r < traces.size() && traces[r].rank == r) continue;
    return wrong("the trace of rank " + std::to_string(r) + " of " + std::to_string(size) + " is missing");
  }
  return traces;
}

}  // namespace scalediag::loggp
