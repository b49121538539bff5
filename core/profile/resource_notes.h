// The meanings of the words in Kernel::resource_notes, for people.
#pragma once

#include <string>

namespace scalediag::core {

// The meaning as a clause without a full stop; the word itself where it is none of those in profile.h.
std::string resource_note_text(const std::string& note);

}  // namespace scalediag::core
