// The shortening of names of report under this room's names.
#pragma once

#include "report/shortening.h"

namespace scalediag::cli {

using report::display_width;
using report::printable;
using report::shorten_apart;
using report::shorten_front;
using report::shorten_function;
using report::shorten_middle;
using report::without_anonymous_namespaces;

}  // namespace scalediag::cli
