// The processes below this one. mpirun puts ranks into process groups of their own, so that signals to a group do not
// end a run: as a subreaper this process inherits every rank whose launcher died, and finds all of them below itself.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace scalediag::launch {

// From now on orphaned descendants become children of this process.
void become_subreaper();

// All living descendants of this process, zombies left out.
std::vector<pid_t> descendants();

// Sends SIGCONT to the descendants that are stopped. Others do not get it: mpirun tells the user of each one.
void continue_stopped_descendants();

// Living processes of this machine, whoever their parent is, that were started with `variable` ("NAME=VALUE") in their
// environment. Those of other users are seen by root only.
std::vector<pid_t> processes_with(const std::string& variable);

// Sends SIGKILL to all descendants until none is left or about a second has passed; reaps those that are children.
void kill_descendants();

// Reaps children that have ended, so that adopted ones do not stay as zombies.
void reap_children();

}  // namespace scalediag::launch
