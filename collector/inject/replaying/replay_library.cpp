// libscalediag-replay.so inside the application: where its log is written to or read from. scalediag-rank says in
// SCALEDIAG_RECORD which ranks are recorded and in SCALEDIAG_MAX_LOG at how many bytes their logs end, or in
// SCALEDIAG_REPLAY which one this process is and in SCALEDIAG_RESULTS where the replay leaves what it found. Where logs
// lack the messages between ranks of a node, SCALEDIAG_NODE is how many these are, or the folder where they meet. Of a
// replay under valgrind SCALEDIAG_COUNTED_PARTS says what of it is counted.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/inject/replaying/counted_parts.h"
#include "collector/inject/settings.h"
#include "collector/inject/writing/process_identity.h"
#include "collector/inject/writing/raw_writer.h"
#include "core/raw/message_log.h"
#include "pmpi-comm/mpi_library.h"
#include "pmpi-comm/replay/session.h"

namespace scalediag::inject {
namespace {

using message_log::ChunkKind;

// The exit status of a replay that departs from its log.
constexpr int kDeparted = 122;

void say(const std::string& text) {
  const std::string line = "scalediag: " + text + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

// Whether the list "0,3,7" has the number; every number is in "all".
bool contains(const std::string& list, int number) {
  if (list == "all") return true;
  for (const char* at = list.c_str(); *at != '\0';) {
    char* end = nullptr;
    const long found = std::strtol(at, &end, 10);
    if (end == at) return false;
    if (found == number) return true;
    at = *end == ',' ? end + 1 : end;
  }
  return false;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

class Host : public pmpi::SessionHost, private pmpi::LogSink {
 public:
  // `max_log`: bytes, as text; empty: no limit.
  Host(std::string folder, std::string recorded, const std::string& max_log, std::string replayed, std::string results)
      : folder_(std::move(folder)),
        recorded_(std::move(recorded)),
        max_log_(max_log.empty() ? UINT64_MAX : std::strtoull(max_log.c_str(), nullptr, 10)),
        replayed_(std::move(replayed)),
        results_(std::move(results)),
        node_(variable("SCALEDIAG_NODE")),
        logs_system_(!variable("SCALEDIAG_LOG_SYSTEM").empty()),
        parts_(variable("SCALEDIAG_COUNTED_PARTS")) {}

  bool replays() const override { return !replayed_.empty(); }

  pmpi::LogSink* begin_recording(int rank, int size, const char* mpi_version,
                                 message_log::Identity& identity) override {
    restore_environment();
    if (!contains(recorded_, rank)) return nullptr;
    const auto number = static_cast<uint32_t>(rank);
    const std::string path = folder_ + "/" + message_log::rank_file(number, message_log::kLogEnding);
    if (const int e = writer_.create(path, number, message_log::kMagic, message_log::kVersion); e != 0) {
      say("rank " + std::to_string(rank) + " is not recorded: " + path + ": " + std::strerror(e));
      return nullptr;
    }
    identity = {number,      static_cast<uint32_t>(size), pmpi::checksum_of_routines(),
                host_name(), executable_path(),           mpi_version};
    const std::string failed = read_loops(number, identity);
    identity.system = logs_system_ ? 1 : 0;
    identity.node = static_cast<uint32_t>(std::strtoul(node_.c_str(), nullptr, 10));
    if (!append(ChunkKind::kIdentity, identity)) return nullptr;
    if (failed.empty()) return this;
    end_recording({}, failed);  // `scalediag record` says that the rank is given up, and why
    return nullptr;
  }

  void end_recording(const message_log::End& end, const std::string& refused) override {
    const std::string reason =
        is_full_ ? message_log::kReachedLimit + std::to_string(max_log_) + " bytes of --max-log" : refused;
    if (!reason.empty()) {
      raw::Encoder text;
      text.string(reason);
      writer_.append(static_cast<raw::ChunkKind>(ChunkKind::kRefused), text);
    }
    append(ChunkKind::kEnd, end);
    writer_.append_footer(end.calls, 0);
  }

  std::string_view log_to_replay() override {
    if (replayed_.empty()) return {};
    restore_environment();
    rank_ = static_cast<uint32_t>(std::strtoul(replayed_.c_str(), nullptr, 10));
    const std::string path = folder_ + "/" + message_log::rank_file(rank_, message_log::kLogEnding);
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (fd < 0 || fstat(fd, &status) != 0) depart(path + ": " + std::strerror(errno));
    const auto bytes = static_cast<size_t>(status.st_size);
    void* at = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED) depart(path + ": " + std::strerror(errno));
    madvise(at, bytes, MADV_WILLNEED);
    close(fd);
    return {static_cast<const char*>(at), bytes};
  }

  std::string node_folder() override { return node_; }

  bool pass_events(uint64_t events) override { return parts_.pass(events); }

  void end_replay(const std::vector<double>& computation_s, const pmpi::ReplayTimes& times) override {
    write_result(message_log::kElapsedEnding, [&times](FILE* file) {
      std::fprintf(file, "%.6f %.6f %.6f\n", times.elapsed_s, times.ahead_s, times.in_calls_s);
    });
    write_result(message_log::kVectorEnding, [&](FILE* file) {
      std::fprintf(file, "scalediag-vector 1 %u %zu\n", rank_, computation_s.size());
      std::fwrite(computation_s.data(), sizeof(double), computation_s.size(), file);
    });
  }

  // With what the application left to be done at its end, such as Fortran's files.
  void exit_early() override { std::exit(0); }

  void depart(const std::string& reason) override {
    if (FILE* file = std::fopen(result_file(message_log::kDepartureEnding).c_str(), "w"); file != nullptr) {
      std::fputs(reason.c_str(), file);
      if (std::fclose(file) == 0) _exit(kDeparted);  // `scalediag replay` tells it
    }
    say("the replay of rank " + replayed_ + " departs from its log: " + reason);
    _exit(kDeparted);
  }

 private:
  // Reads which iterations the log is to have; without such a file it has everything. Returns the reason why a file
  // that is there cannot be read. Numbers with a decimal point are skipped as words: the program's locale may have
  // another one.
  std::string read_loops(uint32_t rank, message_log::Identity& identity) const {
    const std::string path = folder_ + "/" + message_log::rank_file(rank, message_log::kLoopEnding);
    FILE* file = std::fopen(path.c_str(), "r");
    if (file == nullptr) return errno == ENOENT ? "" : path + ": " + std::strerror(errno);
    unsigned its_rank = 0;
    unsigned long long more = 0, before = 0, per_iteration = 0, iterations = 0, recorded = 0;
    size_t loops = 0;
    const std::string format = std::string(message_log::kLoopWord) + "%u %llu %*s %zu %*u";
    bool is_read = std::fscanf(file, format.c_str(), &its_rank, &more, &loops) == 3 && its_rank == rank && loops > 0;
    message_log::Identity read;
    for (size_t i = 0; i < loops && is_read; ++i) {
      is_read = std::fscanf(file, "%llu %llu %llu %llu %*s", &before, &per_iteration, &iterations, &recorded) == 4 &&
                per_iteration > 0 && recorded > 0 && recorded <= iterations;
      read.events = before + recorded * per_iteration;
      if (i + 1 < loops) read.left_out.push_back({read.events, before + iterations * per_iteration, per_iteration});
    }
    std::fclose(file);
    if (!is_read) return path + " does not say which iterations are recorded";
    identity.events = read.events;
    identity.more_events = more;
    identity.left_out = read.left_out;
    return "";
  }

  bool write(ChunkKind kind, std::string_view payload) override {
    logged_ += payload.size();
    is_full_ = is_full_ || logged_ > max_log_;
    if (is_full_) return false;
    raw::Encoder encoder;
    encoder.bytes(payload);
    return writer_.append(static_cast<raw::ChunkKind>(kind), encoder);
  }
  template <class Record> bool append(ChunkKind kind, const Record& record) {
    return writer_.append(static_cast<raw::ChunkKind>(kind), record);
  }
  template <class Write> void write_result(const char* ending, const Write& write) {
    const std::string path = result_file(ending);
    FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) depart(path + ": " + std::strerror(errno));
    write(file);
    const bool failed = std::ferror(file) != 0;
    if (std::fclose(file) != 0 || failed) depart(path + ": " + std::strerror(errno));
  }
  std::string result_file(const char* ending) const { return results_ + "/" + message_log::rank_file(rank_, ending); }

  const std::string folder_, recorded_;
  const uint64_t max_log_;
  const std::string replayed_, results_;
  const std::string node_;  // recording: ranks of a node; replaying: where they meet
  const bool logs_system_;
  CountedParts parts_;
  uint64_t logged_ = 0;
  bool is_full_ = false;
  uint32_t rank_ = 0;
  RawWriter writer_;
};

__attribute__((constructor)) void on_load() {
  const std::string logs = variable("SCALEDIAG_LOGS");
  const std::string folder = logs.empty() ? variable("SCALEDIAG_DIRECTORY") : logs;
  const std::string recorded = variable("SCALEDIAG_RECORD"), replayed = variable("SCALEDIAG_REPLAY");
  if (folder.empty() || (recorded.empty() && replayed.empty())) return;
  // Never destroyed, as the session is not.
  static Host* const host =
      new Host(folder, recorded, variable("SCALEDIAG_MAX_LOG"), replayed, variable("SCALEDIAG_RESULTS"));
  pmpi::Session::use(*host);
}

__attribute__((destructor)) void on_unload() { pmpi::Session::leave_process(); }

}  // namespace
}  // namespace scalediag::inject

// pmpi::kAnsweredLibrary, for the library that samples a replay.
extern "C" __attribute__((visibility("default"))) const char* scalediag_answered_mpi_library() {
  return scalediag::pmpi::mpi_library().path.c_str();
}
