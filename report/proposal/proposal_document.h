// The text, tables and figures of a scaling section.
#pragma once

#include "report/proposal/document.h"
#include "report/proposal/proposal.h"

namespace scalediag::report {

Document proposal_document(const Proposal& proposal);

// Speed-up (strong scaling, elapsed time) and efficiency over the number of processes.
std::vector<Figure> scaling_figures(const Proposal& proposal);

// The table of one problem, for people: the same in the section, the report and what is copied from it.
DocumentTable scaling_table_text(const ScalingTable& table);

}  // namespace scalediag::report
