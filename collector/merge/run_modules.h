// Which builds of which programs and libraries a run executed. Runs of two builds behind one command (a script that
// starts the program, a library that was rebuilt) do not belong into one experiment.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "collector/merge/raw_reader.h"

namespace scalediag::merge {

// File name -> absolute path and build of each file of that name. A build is a build id or, where the file has none,
// its size and last change ("file:1024-17..."); modules of which neither is known are left out.
using Builds = std::map<std::string, std::set<std::pair<std::string, std::string>>>;

struct RunModules {
  Builds programs;   // of the ranks
  Builds libraries;  // that they had loaded at any time, without the system's (/lib, /usr/lib) and the collector

  void add(const RankRecord& record);
};

struct ModuleComparison {
  std::string refused;  // why both runs cannot stand in one experiment, one clause about the one in question; or empty
  std::string told;     // what a reader has to know of all the same, one sentence; or empty
};

// The same file with another build is refused, and files of one name that have no build in common. Programs with
// different names are refused among repeats; for other configurations they may be meant (one program built for each
// number of ranks) and are told. What only one run has says nothing: programs load libraries as they need them.
// `id_of_before` names the other run.
ModuleComparison compare_modules(const RunModules& modules, const RunModules& before, const std::string& id_of_before,
                                 bool same_configuration);

// The first of the run's files that is there and has another build now; empty if there is none.
std::string rebuilt_file(const RunModules& modules);

}  // namespace scalediag::merge
