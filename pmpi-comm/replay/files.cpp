#include "pmpi-comm/replay/files.h"

#include <string_view>

namespace scalediag::pmpi {
namespace {

bool has_part(const Routine& routine, std::string_view part) { return routine.name.find(part) != routine.name.npos; }

bool ends_with(const Routine& routine, std::string_view end) {
  return routine.name.size() >= end.size() && routine.name.substr(routine.name.size() - end.size()) == end;
}

}  // namespace

bool uses_file(const Routine& routine) {
  return routine.group == Group::kFile && &routine != &kRoutineTable[kFile_open] &&
         &routine != &kRoutineTable[kFile_close] && &routine != &kRoutineTable[kFile_delete];
}

bool begins_in_two_parts(const Routine& routine) { return ends_with(routine, "_begin"); }

bool ends_in_two_parts(const Routine& routine) { return ends_with(routine, "_end"); }

bool has_place(const Routine& routine) {
  return routine.rule == Rule::kFileData && (has_part(routine, "_at_") || ends_with(routine, "_at"));
}

std::vector<Block> blocks_to_read(const Routine& routine, const Arguments& a, const uintptr_t* values,
                                  const RealMpi& mpi) {
  const Roles& at = routine.roles;
  if (routine.rule != Rule::kFileData || !has_part(routine, "read")) return {};
  const int64_t count = a.count(at.count_at);
  if (count <= 0) return {};
  // The status tells how much of it was read.
  Block block;
  block.at = reinterpret_cast<char*>(values[at.count_at - 1]);
  block.count = count;
  block.type = a.type(at.type_at);
  block.is_message = true;
  block.is_read = true;
  return bytes_of(mpi, count, block.type) > 0 ? std::vector<Block>{block} : std::vector<Block>();
}

}  // namespace scalediag::pmpi
