// A run that was ended after some rounds of its main loop (raw::Rounds), as the whole run would have been.
//
// All totals T of the rank at the begin of the rounds and at their end give those of the whole run:
//   T(whole) = T(begin) + (T(end) - T(begin)) x rounds to follow / rounds measured
// The clocks go on likewise, so that everything that is made of a record later on holds for the whole run. What the
// program does after its loop is missing. Numbers of samples, lost ones too, and the shortest and
// longest call stay as they were measured. All readers of raw files get the whole run: nobody else multiplies.
#pragma once

#include "collector/merge/raw/rank_record.h"

namespace scalediag::merge {

// Does nothing where the run had not come to the end of its rounds: it is whole then.
void extend_to_whole_run(RankRecord& record);

// Whether the record was extended.
inline bool is_extended(const RankRecord& record) { return record.rounds && record.rounds->measured > 0; }

}  // namespace scalediag::merge
