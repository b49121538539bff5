// A simulation as an OTF2 archive, which Vampir, Scalasca and `otf2-print` open: a location a rank, a region for
// computation and for each MPI routine, in it what the rank waited for, and the messages that arrived.
//
// An archive is a folder of files beside NAME.otf2. Times are in picoseconds. Ranks with several CPUs have one
// location: of what they do at once the later part is cut to begin where the earlier one ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "loggp/simulator/observer.h"

namespace scalediag::loggp {

// True where this build can write such archives (libopen-trace-format2).
bool has_otf2();

class Otf2Timeline : public Observer {
 public:
  // `labels` outlives this.
  explicit Otf2Timeline(const std::vector<std::string>& labels) : labels_(labels) {}
  void on_span(const Span& span) override;
  void on_arrival(const Arrival& arrival) override;

  // Writes the archive "halo.otf2" beside its folder "halo". Events are kept in memory until then. Errors: (kUsage) the
  // build cannot; (kInput) there is a file or folder of these names already, or they cannot be written.
  Status write(const std::string& path) const;

 private:
  friend class Otf2Archive;
  enum class Kind : uint8_t { kEnter, kLeave, kSend, kReceive };
  struct Event {
    uint64_t time_ps = 0;
    Kind kind = Kind::kEnter;
    uint32_t region = 0;  // or the other rank
    uint32_t tag = 0;
    uint32_t communicator = 0;  // its place in communicators_
    uint64_t bytes = 0;
  };
  struct Rank {
    std::vector<Event> regions, messages;
    uint32_t event = 0;  // of the call that is open
    uint64_t end_ps = 0;
    bool is_open = false;
  };

  uint32_t region(const std::string& name);
  Rank& rank(uint32_t number);

  const std::vector<std::string>& labels_;
  std::vector<Rank> ranks_;
  std::vector<std::string> regions_;
  std::map<std::string, uint32_t> region_of_;
  std::vector<uint32_t> communicators_;
};

}  // namespace scalediag::loggp
