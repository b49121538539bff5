// Reads the files that core/raw/raw_format.h describes. Nothing in a raw file is trusted: every byte is covered by a
// check, and no allocation is larger than the bytes that stand behind it.
//
// A file that ends early or is damaged gives its valid part, and the place and the kind of the damage.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collector/merge/raw/chunk_parser.h"
#include "collector/merge/raw/rank_record.h"
#include "core/raw/node_file.h"

namespace scalediag::merge {

enum class FileState {
  kFinished,
  kUnfinished,    // ends inside a chunk, or recording stopped; `problem` says how
  kNoFooter,      // ends after a chunk other than the footer: the process has ended without writing one
  kDamaged,       // `problem` gives the damage and its offset
  kNotRaw,        // not one of our files, or shorter than its prelude
  kNewerVersion,  // `problem` names both versions
  kUnreadable,    // the system refused; `problem` gives the reason
};

struct RawFile {
  FileState state = FileState::kUnfinished;
  std::string problem;              // empty when finished; else one clause without a full stop
  std::vector<RankRecord> records;  // by rank
};

// A stream of an open file.
RawFile read_raw(const core::StreamFile& file, const core::RankStream& stream, ReadScope scope);

// The same from memory.
RawFile parse_raw(std::string_view bytes, ReadScope scope = ReadScope::kEverything);

}  // namespace scalediag::merge
