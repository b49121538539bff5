// What the words in Kernel::resource_notes mean, for people.
#pragma once

#include <string>

namespace scalediag::core {

// A clause without a full stop; the word itself where it is none of kResourceNotes.
std::string resource_note_text(const std::string& note);

}  // namespace scalediag::core
