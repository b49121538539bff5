// Tags that a program computes, as 2000 + cell or the number of a step: one place of the program sends messages with
// many of them, and they must not make as many blocks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "loggp/traces/trace_file.h"

namespace scalediag::loggp {

// Whether events of this kind have a tag.
bool has_tag(trace::EventKind kind);

// Tags of a program that stand for one another: from, to; sorted, and apart from each other. Those that stand for
// themselves only, as from and to.
using TagRanges = std::vector<std::pair<int, int>>;

// Programs with up to 16 tags have none. Of more, tags are divided where the distances between neighbours leap: of all
// distances, sorted, where one is at least four times the next smaller one, and the most so. Of parts with
// fewer than four tags each one stands for itself.
TagRanges tag_ranges(const std::vector<RankTrace>& traces);

// "tag 7", or "tag 2000..2063" for a tag in a range, or nearer to it than half the way to the next range (of only one:
// than its length), since other numbers of ranks have other tags.
std::string tag_text(int tag, const TagRanges& ranges);

}  // namespace scalediag::loggp
