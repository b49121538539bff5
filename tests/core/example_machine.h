// A machine with a value in every field, for tests that need one.
#pragma once

#include "core/experiment/machine.h"

namespace scalediag::core {

Machine example_machine();

}  // namespace scalediag::core
