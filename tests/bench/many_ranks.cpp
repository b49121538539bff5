// Makes the raw data of a run of many ranks from that of a real one:
//
//   many_ranks [--own-files] SOURCE.scalediag TARGET.scalediag RANKS_PER_NODE NP...
//
// TARGET gets a run of each NP. Its rank r is rank r % n of the first complete run with the largest number of ranks, n,
// of SOURCE: the same functions, call sites and clocks, but
//   - it has its own number, the new number of ranks and the host that it would be on, ranks in blocks
//   - communicators of n ranks have NP
//   - it sends to the ranks that are as far away
//   - its CPU time, in samples and clocks, and its time in calls are up to 10 % longer, by a fixed sequence of numbers
// The ranks of a node share a file, as of more than 256 ranks (core/raw/node_format.h); with --own-files each has one.
// It stands in for a machine that nobody has at hand: what merging costs depends on what ranks have, not on the
// numbers.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/atomic_file.h"
#include "core/experiment/experiment.h"
#include "core/raw/node_format.h"
#include "core/raw/raw_records.h"

namespace {

namespace fs = std::filesystem;
using namespace scalediag;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "many_ranks: %s\n", what.c_str());
  std::exit(1);
}

// A rank of the target.
struct Target {
  uint32_t rank = 0, np = 0, source_np = 0;
  std::string host, stamp;
  double factor = 1;  // of times
};

uint64_t longer(uint64_t time, double factor) { return static_cast<uint64_t>(static_cast<double>(time) * factor); }

// `n` elements of a key, totals and `n_counts` counts; change(key, totals) for each.
template <class Key, class Totals, class Change>
raw::Encoder changed_list(raw::Decoder& d, size_t n_counts, Change change) {
  raw::Encoder e;
  const uint32_t n = d.u32();
  e.u32(n);
  for (uint32_t i = 0; i < n; ++i) {
    Key key;
    Totals totals;
    raw::get(d, key);
    raw::get(d, totals);
    change(key, totals);
    raw::put(e, key);
    raw::put(e, totals);
    for (size_t c = 0; c < n_counts; ++c) e.u64(d.u64());
  }
  return e;
}

template <class Record, class Change>
raw::Encoder changed(raw::Decoder& d, Change change) {
  Record record;
  raw::get(d, record);
  change(record);
  raw::Encoder e;
  raw::put(e, record);
  return e;
}

class RankCopy {
 public:
  RankCopy(std::string_view source, Target target) : source_(source), target_(std::move(target)) {}

  std::string make() {
    raw::Prelude prelude;
    if (source_.size() < sizeof prelude) fail("a raw file is cut off");
    std::memcpy(&prelude, source_.data(), sizeof prelude);
    if (std::memcmp(prelude.magic, raw::kMagic, sizeof prelude.magic) != 0) fail("a file is no raw file");
    out_.assign(source_.data(), sizeof prelude);
    for (size_t at = sizeof prelude; at + sizeof(raw::ChunkHeader) <= source_.size();) {
      raw::ChunkHeader header;
      std::memcpy(&header, source_.data() + at, sizeof header);
      at += sizeof header;
      if (source_.size() - at < raw::padded(header.payload_bytes)) fail("a raw file is cut off");
      add(static_cast<raw::ChunkKind>(header.kind), header.rank, source_.substr(at, header.payload_bytes));
      at += raw::padded(header.payload_bytes);
    }
    return std::move(out_);
  }

 private:
  void add(raw::ChunkKind kind, uint32_t source_rank, std::string_view payload) {
    raw::Decoder d(payload.data(), payload.size(), false);
    const auto longer_sample = [&](auto&, raw::SampleValue& v) {
      v.cpu_ns = longer(v.cpu_ns, target_.factor);
      v.system_ns = longer(v.system_ns, target_.factor);
    };
    switch (kind) {
      case raw::ChunkKind::kIdentity:
        return append(kind, changed<raw::Identity>(d, [&](raw::Identity& i) {
                        i.rank = target_.rank;
                        i.size = target_.np;
                        i.host = target_.host;
                        n_counts_ = i.counters.size();
                      }));
      case raw::ChunkKind::kRun:
        return append(kind, changed<std::string>(d, [&](std::string& stamp) { stamp = target_.stamp; }));
      case raw::ChunkKind::kSamples:
        return append(kind, changed_list<raw::PlainSampleKey, raw::SampleValue>(d, n_counts_, longer_sample));
      case raw::ChunkKind::kPathSamples:
        return append(kind, changed_list<raw::SampleKey, raw::SampleValue>(d, n_counts_, longer_sample));
      case raw::ChunkKind::kOperations:
        return append(kind, changed_list<raw::OperationKey, raw::OperationTotals>(
                                d, 0, [&](raw::OperationKey& key, raw::OperationTotals& totals) {
                                  if (key.communicator_size == target_.source_np) key.communicator_size = target_.np;
                                  totals.ticks = longer(totals.ticks, target_.factor);
                                  totals.max_ticks = longer(totals.max_ticks, target_.factor);
                                }));
      case raw::ChunkKind::kPeers:
        return append(kind, changed_list<raw::PeerKey, raw::PeerTotals>(d, 0, [&](raw::PeerKey& key, auto&) {
                        if (key.peer == raw::kUnknownPeer) return;
                        key.peer = (target_.rank + target_.np + key.peer - source_rank) % target_.np;
                      }));
      case raw::ChunkKind::kClock:
        return append(kind, changed<raw::ClockPoint>(d, [&](raw::ClockPoint& p) {
                        p.process_cpu_ns = longer(p.process_cpu_ns, target_.factor);
                        p.main_thread_cpu_ns = longer(p.main_thread_cpu_ns, target_.factor);
                      }));
      case raw::ChunkKind::kFooter:
        return append(kind, changed<raw::Footer>(d, [&](raw::Footer& f) { f.crc = crc_; }));
      default: {
        raw::Encoder same;
        same.bytes(payload);
        return append(kind, same);
      }
    }
  }

  void append(raw::ChunkKind kind, const raw::Encoder& payload) {
    raw::ChunkHeader header{};
    header.kind = static_cast<uint32_t>(kind);
    header.payload_bytes = static_cast<uint32_t>(payload.size());
    header.rank = target_.rank;
    header.crc32 = raw::chunk_crc(header, payload.data(), payload.size());
    crc_ = raw::crc32(&header.crc32, sizeof header.crc32, crc_);
    out_.append(reinterpret_cast<const char*>(&header), sizeof header);
    out_.append(payload.data(), payload.size());
    out_.append(raw::padded(header.payload_bytes) - header.payload_bytes, '\0');
  }

  const std::string_view source_;
  const Target target_;
  std::string out_;
  size_t n_counts_ = 0;
  uint32_t crc_ = 0;
};

// As the collector writes it: a segment for the prelude and for each chunk.
void append_stream(std::string& file, const std::string& stream, uint64_t number, uint32_t rank) {
  for (size_t at = 0; at < stream.size();) {
    size_t bytes = sizeof(raw::Prelude);
    if (at > 0) {
      raw::ChunkHeader header;
      std::memcpy(&header, stream.data() + at, sizeof header);
      bytes = sizeof header + raw::padded(header.payload_bytes);
    }
    const raw::SegmentHeader segment = raw::segment_header(number, at, bytes, rank);
    file.append(reinterpret_cast<const char*>(&segment), sizeof segment).append(stream, at, bytes);
    at += bytes;
  }
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  if (!file.flush()) fail(path + " cannot be written");
}

void make_run(const std::vector<std::string>& sources, const std::string& folder, const std::string& stamp, uint32_t np,
              uint32_t per_node, bool own_files) {
  fs::create_directories(folder);
  for (uint32_t node = 0; node * per_node < np; ++node) {
    char host[32];
    std::snprintf(host, sizeof host, "n%05u", node);
    std::string file;
    for (uint32_t rank = node * per_node; rank < std::min(np, (node + 1) * per_node); ++rank) {
      const double factor = 1 + 0.1 * static_cast<double>(rank * 2654435761U % 1000) / 1000;  // Knuth's hash
      const Target target{rank, np, static_cast<uint32_t>(sources.size()), host, stamp, factor};
      const std::string stream = RankCopy(sources[rank % sources.size()], target).make();
      if (own_files) {
        char name[32];
        std::snprintf(name, sizeof name, "/rank%06u.raw", rank);
        write(folder + name, stream);
      } else {
        append_stream(file, stream, uint64_t{rank} + 1, rank);
      }
    }
    if (!own_files) write(folder + "/node-" + host + "-00000000.raw", file);
  }
}

std::vector<std::string> raw_files_of(const core::ExperimentFolder& folder, const core::RunEntry& run) {
  std::vector<std::string> files;
  for (int rank = 0; rank < run.configuration.np; ++rank) {
    char name[32];
    std::snprintf(name, sizeof name, "/rank%06d.raw", rank);
    auto text = core::read_file(folder.run_folder(core::run_id(run.configuration, run.repeat)) + name);
    if (!text) fail(text.error().message);
    files.push_back(std::move(text).value());
  }
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool own_files = !words.empty() && words.front() == "--own-files";
  if (own_files) words.erase(words.begin());
  if (words.size() < 4) fail("usage: many_ranks [--own-files] SOURCE.scalediag TARGET.scalediag RANKS_PER_NODE NP...");
  const core::ExperimentFolder source(words[0]), target(words[1]);
  auto loaded = source.load();
  if (!loaded) fail(loaded.error().message);
  core::Experiment experiment = std::move(loaded).value();
  const core::RunEntry* largest = nullptr;
  for (const core::RunEntry& run : experiment.runs) {
    if (run.state != core::RunState::kComplete) continue;
    if (largest == nullptr || run.configuration.np > largest->configuration.np) largest = &run;
  }
  if (largest == nullptr) fail(words[0] + " has no complete run");
  const std::vector<std::string> sources = raw_files_of(source, *largest);
  const auto per_node = static_cast<uint32_t>(std::max(1, std::atoi(words[2].c_str())));
  std::vector<core::RunEntry> runs;
  for (size_t i = 3; i < words.size(); ++i) {
    core::RunEntry& run = runs.emplace_back(*largest);
    run.configuration.np = std::max(1, std::atoi(words[i].c_str()));
    run.repeat = 0;
    const std::string id = core::run_id(run.configuration, 0);
    run.stamp = core::new_stamp(id);
    make_run(sources, target.run_folder(id), run.stamp, static_cast<uint32_t>(run.configuration.np), per_node,
             own_files);
  }
  experiment.runs = std::move(runs);
  experiment.counting_passes.clear();
  if (const auto saved = target.save(experiment); !saved) fail(saved.error().message);
  return 0;
}
