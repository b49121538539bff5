// The builds of programs and libraries that a run executed. Runs of two builds behind one command (a script that starts
// the program, a library that was rebuilt) must not be in one experiment.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collector/merge/raw/rank_record.h"

namespace scalediag::merge {

// File name -> absolute path and build of each file of that name. A build is a build id or, where the file has none,
// its size and last change ("file:1024-17..."); modules of which neither is known are left out.
using Builds = std::map<std::string, std::set<std::pair<std::string, std::string>>>;

struct RunModules {
  Builds programs;   // of the ranks
  Builds libraries;  // loaded by the ranks at any time, without the system's (/lib, /usr/lib) and the collector

  void add(const RankRecord& record);
};

struct ModuleComparison {
  std::string refused;  // the reason why both runs cannot be in one experiment, one clause about the present one; or
                        // empty
  std::string told;     // a remark for readers, one sentence; or empty
};

// Refuses the same file with another build, and files of one name that have no build in common. Programs with different
// names are refused among repeats; for other configurations they may be intended (one program built for each number of
// ranks) and are reported. Files that only one run has are ignored: programs load libraries as they need them.
// `id_of_before` names the other run.
ModuleComparison compare_modules(const RunModules& modules, const RunModules& before, const std::string& id_of_before,
                                 bool same_configuration);

// The path of the program that the ranks of all these runs were processes of; empty where there were several of
// different names, or where it is not known.
std::string common_program(const std::vector<const RunModules*>& runs);

// The first of the run's files that exists and has another build now; empty if there is none.
std::string rebuilt_file(const RunModules& modules);

}  // namespace scalediag::merge
