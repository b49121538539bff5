// The text, tables and figures of a scaling section.
#pragma once

#include "report/document/document.h"
#include "report/proposal/proposal.h"

namespace scalediag::report {

Document proposal_document(const Proposal& proposal);

}  // namespace scalediag::report
