#include "loggp/analysis/otf2_timeline.h"

#ifdef SCALEDIAG_HAS_OTF2
#include <otf2/otf2.h>
#endif

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "loggp/analysis/analysis.h"
#include "loggp/simulator/transport.h"

namespace scalediag::loggp {
namespace {

constexpr double kTicksPerSecond = 1e12;

uint64_t ticks(double seconds) { return static_cast<uint64_t>(std::llround(std::max(0.0, seconds) * kTicksPerSecond)); }

}  // namespace

uint32_t Otf2Timeline::region(const std::string& name) {
  const auto [place, is_new] = region_of_.try_emplace(name, static_cast<uint32_t>(regions_.size()));
  if (is_new) regions_.push_back(name);
  return place->second;
}

Otf2Timeline::Rank& Otf2Timeline::rank(uint32_t number) {
  if (number >= ranks_.size()) ranks_.resize(number + 1);
  return ranks_[number];
}

// Spans of one operation are one call, in which those that are not its transfer are regions of their own.
void Otf2Timeline::on_span(const Span& span) {
  Rank& on = rank(span.rank);
  const uint64_t begin = std::max(ticks(span.begin_s), on.end_ps), end = std::max(ticks(span.end_s), begin);
  const bool computes = span.kind == SpanKind::kComputation;
  const uint32_t call = region(name_of(labels_, *span.op));
  const bool goes_on = on.is_open && on.event == span.event && on.regions.back().region == call && on.end_ps == begin;
  if (goes_on) {
    on.regions.pop_back();  // where the call would have ended
  } else {
    on.regions.push_back({begin, Kind::kEnter, call});
  }
  if (!computes && span.kind != SpanKind::kTransfer) {
    const uint32_t waiting = region(std::string("waiting: ") + name_of(span.kind));
    on.regions.push_back({begin, Kind::kEnter, waiting});
    on.regions.push_back({end, Kind::kLeave, waiting});
  }
  on.regions.push_back({end, Kind::kLeave, call});
  on.event = span.event;
  on.end_ps = end;
  on.is_open = true;
}

void Otf2Timeline::on_arrival(const Arrival& arrival) {
  const auto tag = static_cast<uint32_t>(std::max(arrival.tag, 0));
  rank(std::max(arrival.from, arrival.to));
  const auto known = std::find(communicators_.begin(), communicators_.end(), arrival.communicator);
  const auto communicator = static_cast<uint32_t>(known - communicators_.begin());
  if (known == communicators_.end()) communicators_.push_back(arrival.communicator);
  ranks_[arrival.from].messages.push_back(
      {ticks(arrival.posted_s), Kind::kSend, arrival.to, tag, communicator, arrival.bytes});
  ranks_[arrival.to].messages.push_back(
      {ticks(arrival.received_s), Kind::kReceive, arrival.from, tag, communicator, arrival.bytes});
}

#ifdef SCALEDIAG_HAS_OTF2

bool has_otf2() { return true; }

namespace {

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
const OTF2_FlushCallbacks kFlushing = {flush_always, nullptr};

}  // namespace

// Writes definitions and events. The first call of the library that fails is remembered.
class Otf2Archive {
 public:
  Otf2Archive(const Otf2Timeline& timeline, const std::string& folder, const std::string& name) : timeline_(timeline) {
    constexpr uint64_t kEventChunk = uint64_t{1} << 20, kDefinitionChunk = uint64_t{4} << 20;
    archive_ = OTF2_Archive_Open(folder.c_str(), name.c_str(), OTF2_FILEMODE_WRITE, kEventChunk, kDefinitionChunk,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  }

  // Empty where all went well.
  std::string write() {
    if (archive_ == nullptr) return "the archive cannot be made";
    check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlushing, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(OTF2_Archive_SetCreator(archive_, "scalediag"));
    write_events();
    if (error_.empty()) write_definitions();
    check(OTF2_Archive_Close(archive_));
    return error_;
  }

 private:
  void check(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && error_.empty()) error_ = OTF2_Error_GetDescription(code);
  }

  void write_events() {
    check(OTF2_Archive_OpenEvtFiles(archive_));
    for (size_t r = 0; r < timeline_.ranks_.size(); ++r) {
      OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, r);
      if (writer == nullptr) return check(OTF2_ERROR_INVALID);
      events_.push_back(write_rank(timeline_.ranks_[r], writer));
      check(OTF2_Archive_CloseEvtWriter(archive_, writer));
    }
    check(OTF2_Archive_CloseEvtFiles(archive_));
    check(OTF2_Archive_OpenDefFiles(archive_));
    for (size_t r = 0; r < timeline_.ranks_.size(); ++r) {
      OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive_, r);
      if (writer == nullptr) return check(OTF2_ERROR_INVALID);
      check(OTF2_Archive_CloseDefWriter(archive_, writer));
    }
    check(OTF2_Archive_CloseDefFiles(archive_));
  }

  // Events of a location rise in time. A message is sent in the region that begins at its time, and received in the one
  // that ends then.
  uint64_t write_rank(const Otf2Timeline::Rank& rank, OTF2_EvtWriter* writer) {
    using Event = Otf2Timeline::Event;
    std::vector<Event> messages = rank.messages;
    std::ranges::stable_sort(messages, [](const Event& a, const Event& b) { return a.time_ps < b.time_ps; });
    size_t next = 0;
    for (const Event& region : rank.regions) {
      const bool leaves = region.kind == Otf2Timeline::Kind::kLeave;
      const auto is_received_here = [&](const Event& message) {
        return leaves && message.kind == Otf2Timeline::Kind::kReceive && message.time_ps == region.time_ps;
      };
      while (next < messages.size() && (messages[next].time_ps < region.time_ps || is_received_here(messages[next]))) {
        write_event(messages[next++], writer);
      }
      write_event(region, writer);
    }
    while (next < messages.size()) write_event(messages[next++], writer);
    return rank.regions.size() + messages.size();
  }

  void write_event(const Otf2Timeline::Event& event, OTF2_EvtWriter* writer) {
    last_ps_ = std::max(last_ps_, event.time_ps);
    switch (event.kind) {
      case Otf2Timeline::Kind::kEnter: return check(OTF2_EvtWriter_Enter(writer, nullptr, event.time_ps, event.region));
      case Otf2Timeline::Kind::kLeave: return check(OTF2_EvtWriter_Leave(writer, nullptr, event.time_ps, event.region));
      case Otf2Timeline::Kind::kSend:
        return check(OTF2_EvtWriter_MpiSend(writer, nullptr, event.time_ps, event.region, event.communicator, event.tag,
                                            event.bytes));
      case Otf2Timeline::Kind::kReceive:
        return check(OTF2_EvtWriter_MpiRecv(writer, nullptr, event.time_ps, event.region, event.communicator, event.tag,
                                            event.bytes));
    }
  }

  uint32_t string(const std::string& text) {
    check(OTF2_GlobalDefWriter_WriteString(definitions_, strings_, text.c_str()));
    return strings_++;
  }

  void write_definitions() {
    definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    if (definitions_ == nullptr) return check(OTF2_ERROR_INVALID);
    check(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, static_cast<uint64_t>(kTicksPerSecond), 0, last_ps_,
                                                    OTF2_UNDEFINED_TIMESTAMP));
    const uint32_t none = string("");
    for (uint32_t i = 0; i < timeline_.regions_.size(); ++i) {
      const std::string& name = timeline_.regions_[i];
      const bool is_mpi = name.starts_with("MPI_");
      const uint32_t named = string(name);
      check(OTF2_GlobalDefWriter_WriteRegion(definitions_, i, named, named, none, OTF2_REGION_ROLE_FUNCTION,
                                             is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                             none, 0, 0));
    }
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, string("simulated machine"), string("machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::vector<uint64_t> locations;
    for (uint32_t r = 0; r < timeline_.ranks_.size(); ++r) {
      const uint32_t named = string("rank " + std::to_string(r));
      check(OTF2_GlobalDefWriter_WriteLocationGroup(definitions_, r, named, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                    OTF2_UNDEFINED_LOCATION_GROUP));
      check(OTF2_GlobalDefWriter_WriteLocation(definitions_, r, named, OTF2_LOCATION_TYPE_CPU_THREAD, events_[r], r));
      locations.push_back(r);
    }
    const auto n = static_cast<uint32_t>(locations.size());
    check(OTF2_GlobalDefWriter_WriteGroup(definitions_, 0, string("MPI"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, locations.data()));
    check(OTF2_GlobalDefWriter_WriteGroup(definitions_, 1, string("all ranks"), OTF2_GROUP_TYPE_COMM_GROUP,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n, locations.data()));
    // Ranks of messages are those of the program, whatever the communicator: each has all of them.
    for (uint32_t i = 0; i < timeline_.communicators_.size(); ++i) {
      const uint32_t communicator = timeline_.communicators_[i] & ~kCollectiveContext;
      const std::string name = communicator == 0 ? "MPI_COMM_WORLD" : "communicator " + std::to_string(communicator);
      const uint32_t named = string(communicator == timeline_.communicators_[i] ? name : "collectives of " + name);
      check(OTF2_GlobalDefWriter_WriteComm(definitions_, i, named, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
    check(OTF2_Archive_CloseGlobalDefWriter(archive_, definitions_));
  }

  const Otf2Timeline& timeline_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  uint32_t strings_ = 0;
  uint64_t last_ps_ = 0;
  std::vector<uint64_t> events_;  // of each location
  std::string error_;
};

Status Otf2Timeline::write(const std::string& path) const {
  const std::filesystem::path anchor(path);
  const std::filesystem::path folder = anchor.parent_path().empty() ? "." : anchor.parent_path();
  const std::string name = anchor.stem().string();
  std::error_code ignored;
  for (const std::string& there : {path, (folder / name).string()}) {
    if (!std::filesystem::exists(there, ignored)) continue;
    return Error{ErrorCode::kInput, there + " is there already, and an OTF2 archive needs its place",
                 "remove it, or name another archive", there};
  }
  const std::string failed = Otf2Archive(*this, folder.string(), name).write();
  if (failed.empty()) return Done{};
  return Error{ErrorCode::kInput, path + " cannot be written: " + failed, "look at the space and rights there", path};
}

#else

bool has_otf2() { return false; }

Status Otf2Timeline::write(const std::string& path) const {
  return Error{ErrorCode::kUsage, path + " cannot be written: this scalediag was built without OTF2",
               "build it where Debian's libopen-trace-format2-dev is installed, or name a file for ui.perfetto.dev"};
}

#endif

}  // namespace scalediag::loggp
