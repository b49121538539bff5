// Files and folders of a moment whose process was killed before it could remove them.
//
// Their owner holds a lock (flock) on each as long as it lives, on whatever host, so that the next process of this user
// in the same folder knows what is left over, and removes it.
#pragma once

#include <filesystem>
#include <string>

namespace scalediag::core {

// Names of unfinished files begin with this (atomic_file.h).
constexpr char kTemporaryFiles[] = ".scalediag.";

// Locks an open file for its owner. False: it has been taken for a leftover, or was removed meanwhile.
bool lock_as_owner(int fd);

// In a folder of a moment: the file whose lock is that of the folder.
constexpr char kOwnerFile[] = ".scalediag-owner";

// Removes what is left over in `folder`: temporary files of AtomicFile, and folders with an unlocked owner file. Of
// this user only. Looks at each folder once in a process. Failures are ignored.
void remove_leftovers(const std::filesystem::path& folder);

// A folder with everything in it, also where an overlay has left folders without permissions.
void remove_folder(const std::filesystem::path& folder);

}  // namespace scalediag::core
