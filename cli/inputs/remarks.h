// Prints remarks on inputs that were read as warnings and notes.
#pragma once

#include "predict/evidence/remarks.h"

namespace scalediag::cli {

void tell(const predict::Remarks& remarks);

}  // namespace scalediag::cli
