// The raw files of a run, rank by rank: files of single ranks and of nodes (core/raw/node_file.h). They are read on all
// cores, and handed over in their order to one thread, so that what is made of them does not depend on the cores.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collector/merge/raw/raw_reader.h"
#include "core/result.h"

namespace scalediag::merge {

// A stream of a run's files: the index of its file, and its number in it.
struct StreamId {
  int file = -1;  // -1: none
  uint32_t stream = 0;
  auto operator<=>(const StreamId&) const = default;
};

struct RawStream {
  StreamId id;
  std::optional<uint32_t> rank;  // of a node's file: whose stream it is
  RawFile content;
};

// The paths of all "*.raw" of a folder. Files of nodes come by the rank that began them, so that ranks come in
// order where they lie in blocks; others come first, by their names. Error (kInput): the folder cannot be read.
Result<std::vector<std::string>> raw_files_in(const std::string& folder);

// Calls take() for each stream, in the order of `files`, in the calling thread. A file that cannot be read is a stream
// that says so. Only few streams are in memory at a time. When take() returns false, the others are left out. With
// `only`, which is sorted, other streams are not read.
void read_streams(const std::vector<std::string>& files, ReadScope scope,
                  const std::function<bool(const RawStream&)>& take, const std::vector<StreamId>* only = nullptr);

// One stream, with everything.
RawFile read_stream(const std::vector<std::string>& files, StreamId id);

}  // namespace scalediag::merge
