// A report as one file: HTML that contains its style, its scripts and its data and loads nothing else.
//
// Everything can be read without scripts; with them there are charts, sorting and filtering. The page's
// Content-Security-Policy admits the scripts and the style that it was written with, by their hashes, and nothing else.
#pragma once

#include <string>

#include "core/result.h"
#include "report/findings/findings.h"

namespace scalediag::report {

// The page for findings that were made with FindingsOptions::detailed. Error (kInput): a number that JSON cannot hold.
// Precondition: there is a target.
core::Result<std::string> report_html(const Findings& findings);

}  // namespace scalediag::report
