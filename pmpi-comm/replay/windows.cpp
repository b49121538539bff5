#include "pmpi-comm/replay/windows.h"

#include <algorithm>
#include <cstring>

namespace scalediag::pmpi {
namespace {

struct Run {
  size_t begin = 0, end = 0;
};

// Bytes that differ, in words. Words that are closer together than what a further run costs are in one.
std::vector<Run> differences(const char* a, const char* b, size_t bytes) {
  constexpr size_t kPage = 4096, kWord = 8, kClose = 8;
  std::vector<Run> runs;
  for (size_t page = 0; page < bytes; page += kPage) {
    const size_t page_end = std::min(page + kPage, bytes);
    if (std::memcmp(a + page, b + page, page_end - page) == 0) continue;
    for (size_t at = page; at < page_end; at += kWord) {
      const size_t end = std::min(at + kWord, page_end);
      if (std::memcmp(a + at, b + at, end - at) == 0) continue;
      if (!runs.empty() && at <= runs.back().end + kClose) {
        runs.back().end = end;
      } else {
        runs.push_back({at, end});
      }
    }
  }
  return runs;
}

}  // namespace

bool pass_differences(CallLog& log, char* memory, size_t bytes, std::string& logged) {
  std::vector<Run> runs;
  if (log.recording()) runs = differences(memory, logged.data(), bytes);
  uint64_t n = runs.size();
  log.pass_number(n);
  size_t at = 0;
  for (uint64_t i = 0; i < n && log.ok(); ++i) {
    uint64_t gap = log.recording() ? runs[i].begin - at : 0;
    uint64_t length = log.recording() ? runs[i].end - runs[i].begin : 0;
    log.pass_number(gap);
    log.pass_number(length);
    if (gap > bytes - at || length > bytes - at - gap) return false;
    at += gap;
    // The log gets the copy: others may go on writing meanwhile.
    if (log.recording()) std::memcpy(&logged[at], memory + at, length);
    log.pass_bytes(log.recording() ? &logged[at] : memory + at, length);
    at += length;
  }
  return true;
}

}  // namespace scalediag::pmpi
