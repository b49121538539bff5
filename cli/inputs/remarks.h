// What was noticed while inputs were read, for the user.
#pragma once

#include "predict/evidence/remarks.h"

namespace scalediag::cli {

void tell(const predict::Remarks& remarks);

}  // namespace scalediag::cli
