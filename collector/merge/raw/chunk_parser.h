// The parser of a chunk's payload into a RankRecord.
#pragma once

#include <cstdint>
#include <string>

#include "collector/merge/raw/rank_record.h"
#include "core/raw/raw_format.h"

namespace scalediag::merge {

enum class ReadScope {
  kEverything,
  kTotals,  // all but samples and peers, which are checked but not kept
};

// Adds the payload of a chunk of `kind` (a ChunkKind other than kFooter) to the record. Returns the error as a clause
// that continues "a chunk", or an empty string. After an error the record may hold a part of the chunk's entries, each
// of them whole.
std::string parse_chunk(uint32_t kind, raw::Decoder& payload, ReadScope scope, RankRecord& record);

}  // namespace scalediag::merge
