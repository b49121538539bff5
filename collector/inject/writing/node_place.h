// The place where a rank writes: a file of its own, or its node's file, at once or from a scratch file on the node.
#pragma once

#include <cstdint>
#include <string>

#include "collector/inject/writing/raw_writer.h"

namespace scalediag::inject {

struct WritingPlace {
  std::string directory;  // of the run
  bool in_node = false;   // the ranks of a node share a file
  std::string scratch;    // a folder on the node; empty: none. Only with in_node
};

// "<directory>/rank000003<suffix>"
std::string rank_file_path(const std::string& directory, uint32_t rank, const char* suffix);
// "<directory>/node-<host>-<8 digits of the system's boot id><suffix>": ranks in containers of one host have the same
// file, and hosts of one name have not.
std::string node_file_path(const std::string& directory, const char* suffix);

// Creates the rank's file, or begins its stream in the file of the node. Returns 0 or an errno. May throw
// std::bad_alloc.
int create_at(const WritingPlace& place, RawWriter& writer, uint32_t rank, const char* suffix, const char* magic,
              uint32_t version);

// The folder that `--scratch` names: itself, or of "auto" the first of SLURM_TMPDIR, TMPDIR and "/tmp" that is set.
std::string scratch_folder(const char* named);

}  // namespace scalediag::inject
