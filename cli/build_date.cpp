#include "cli/build_date.h"

namespace scalediag::cli {

const char* build_date() { return SCALEDIAG_DATE; }

}  // namespace scalediag::cli
