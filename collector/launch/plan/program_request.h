// The program that is to run, as typed: what all commands that start one have in common.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace scalediag::launch {

struct ProgramRequest {
  std::vector<std::string> command;     // APP ARGS
  std::vector<std::string> parameters;  // NAME=LIST
  std::vector<std::string> words;       // NAME=TABLE, see word_table.h
  // TABLE by NAME of an earlier experiment, whose entries are taken where `words` has none.
  std::map<std::string, std::string> stored_words;
  std::string launcher;
  std::string mpi;
  std::string stdin_file;
  std::string nodes;       // LIST, see ask_for_placement(); empty: as the allocation has them
  int ranks_per_node = 0;  // 0: as the allocation has them
};

}  // namespace scalediag::launch
