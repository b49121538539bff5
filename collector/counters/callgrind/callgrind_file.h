// Files of valgrind's callgrind: the cost of each function itself, by the address of the code.
//
// Read after valgrind's manual, "Callgrind Format Specification". Lines of cost of a function's own code are kept; the
// cost of a call ("calls=" and the line after it) is the callee's and is left out. Names may be compressed ("(3) name"
// and later "(3)"), where objects, files and functions each have numbers of their own, and positions may be relative to
// the line before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace scalediag::counters {

struct CallgrindLine {
  uint32_t object = 0;              // index into objects
  uint32_t function = 0;            // index into functions
  std::optional<uint64_t> address;  // in the object's file; nothing without --dump-instr=yes
};

struct CallgrindFile {
  int pid = 0;          // 0 where the file does not say
  std::string trigger;  // the reason for writing it: "Program termination", "Client Request: text"
  std::vector<std::string> events;
  std::vector<std::string> objects;    // paths of ELF files; "???" for code of none
  std::vector<std::string> functions;  // as callgrind names them
  std::vector<CallgrindLine> lines;
  std::vector<uint64_t> costs;  // lines.size() x events.size(), one line after the other

  uint64_t cost(size_t line, size_t event) const { return costs[line * events.size() + event]; }
};

// `file` is the name in errors (kInput): a line that the format does not have, costs that do not add up to the file's
// own total (it was cut off or changed), no total.
Result<CallgrindFile> parse_callgrind(const std::string& text, const std::string& file);

}  // namespace scalediag::counters
