// A report's complete data, schema scalediag-report/1 (report.schema.json documents every field).
#pragma once

#include <string>

#include "core/result.h"
#include "report/findings/findings.h"

namespace scalediag::report {

enum class JsonLayout {
  kReadable,  // one kernel a line
  kCompact,   // one line
};

// The document for findings that were made with FindingsOptions::detailed. Numbers have nine significant digits, those
// of evidence six: a report of thousands of kernels is mostly numbers.
core::Result<std::string> report_json(const Findings& findings, JsonLayout layout);

}  // namespace scalediag::report
