#include "report/diff/comparison.h"

namespace scalediag::report {

const char* name_of(Change change) {
  switch (change) {
    case Change::kSlower:
      return "slower";
    case Change::kFaster:
      return "faster";
    case Change::kUnchanged:
      return "unchanged";
    case Change::kUnknown:
      return "unknown";
    case Change::kNotJudged:
      break;
  }
  return "not judged";
}

}  // namespace scalediag::report
