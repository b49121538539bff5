// A report as one file: HTML that contains its style, its scripts and its data and loads nothing else.
//
// It opens with what `predict` prints; the sections after that are closed until a reader opens them. Everything can be
// read without scripts; with them there are more charts, sorting and filtering. The page's
// Content-Security-Policy admits the scripts and the style that it was written with, by their hashes, and nothing else.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "report/findings/findings.h"
#include "report/render/text/terminal_options.h"
#include "report/scaling/scaling_table.h"

namespace scalediag::report {

// The page for findings that were made with FindingsOptions::detailed. Error (kInput): a number that JSON cannot hold.
// Precondition: there is a target.
// `tables` are those of the same profile; `next` is as in first_section().
core::Result<std::string> report_html(const Findings& findings, const std::vector<ScalingTable>& tables = {},
                                      const NextStep& next = {});

}  // namespace scalediag::report
