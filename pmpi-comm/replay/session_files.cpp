// MPI-IO. A replay's files are those of the log: what is read comes from it, and what is written goes nowhere. A handle
// is that of a file of this process alone, without a name, so that views, attributes and error handlers are MPI's.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "pmpi-comm/replay/session.h"

namespace scalediag::pmpi {
namespace {

// Handles of files are pointers, with every MPI.
uintptr_t& file_at(uintptr_t address) { return *reinterpret_cast<uintptr_t*>(address); }

// Opens a file of this process alone, which is removed at once. False: it cannot be made, or MPI does not open it.
bool open_private_file(const uintptr_t* values, uintptr_t comm_self, const RealCall& real) {
  constexpr uintptr_t kCreateToReadAndWrite = 1 | 8;  // the same with Open MPI and MPICH
  const char* const folder = std::getenv("TMPDIR");
  for (const char* in : {"/dev/shm", folder != nullptr ? folder : "/tmp"}) {
    std::string path = std::string(in) + "/scalediag-replay-XXXXXX";
    const int fd = mkstemp(path.data());
    if (fd < 0) continue;
    close(fd);
    const uintptr_t arguments[] = {comm_self, reinterpret_cast<uintptr_t>(path.c_str()), kCreateToReadAndWrite,
                                   values[3], values[4]};
    const bool is_open = static_cast<uint32_t>(real(arguments)) == 0;
    unlink(path.c_str());
    if (is_open) return true;
  }
  return false;
}

}  // namespace

void Session::describe_file(const Routine& row, const Arguments& a, const uintptr_t* values,
                            message_log::Call& call) const {
  const Roles& at = row.roles;
  if (has_place(row)) call.tag = static_cast<int64_t>(values[1]);
  if (row.rule == Rule::kFileData) call.bytes = bytes_of(mpi_, a.count(at.count_at), a.type(at.type_at)) - call.room;
  if (!uses_file(row)) return;
  if (const auto found = files_.find(values[0]); found != files_.end()) call.communicator = found->second.number;
}

void Session::change_files(uint32_t routine, const uintptr_t* values, const RealCall& real) {
  if (routine == kFile_open) {
    if (!recording() && !open_private_file(values, mpi_.comm_self, real)) {
      depart("call " + std::to_string(calls_) + ": no file of the replay's own can be opened in its place");
    }
    files_[file_at(values[4])].number = n_files_++;
    return;
  }
  if (!recording()) {
    files_.erase(file_at(values[0]));
    real(values);
  }
}

void Session::use_file(uint32_t routine, const Arguments& a, const uintptr_t* values, bool wants_status,
                       std::vector<Block> blocks) {
  const Routine& row = kRoutineTable[routine];
  const auto file = uses_file(row) ? files_.find(values[0]) : files_.end();
  // Where in the file, or how large it is.
  if (routine == kFile_get_size || routine == kFile_get_position || routine == kFile_get_position_shared) {
    log_.pass_bytes(reinterpret_cast<void*>(values[1]), sizeof(int64_t));
  } else if (routine == kFile_get_byte_offset) {
    log_.pass_bytes(reinterpret_cast<void*>(values[2]), sizeof(int64_t));
  } else if (row.is_nonblocking()) {
    begin_request(row, values, LoggedRequest::Kind::kNothing, std::move(blocks));
  } else if (begins_in_two_parts(row)) {
    if (file != files_.end()) file->second.blocks = KeptBlocks(std::move(blocks), mpi_);
  } else if (row.roles.status_at >= 0) {
    const int* status = a.integers(row.roles.status_at);
    if (wants_status) pass_statuses(status, 1);
    for (Block& block : blocks) fill(block, status);
    if (ends_in_two_parts(row) && file != files_.end()) {
      for (Block& block : file->second.blocks) fill(block, status);
      file->second.blocks.clear(mpi_);
    }
  }
  note_events(1);
}

}  // namespace scalediag::pmpi
