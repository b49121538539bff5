#pragma once

namespace scalediag::cli {

// The day of the build as YYYY-MM-DD in UTC; SOURCE_DATE_EPOCH in the environment of cmake sets another one.
const char* build_date();

}  // namespace scalediag::cli
