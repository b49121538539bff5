#include "cli/inputs/remarks.h"

#include "cli/diagnostics.h"

namespace scalediag::cli {

void tell(const predict::Remarks& remarks) {
  for (const predict::Remark& remark : remarks) {
    if (remark.is_warning) {
      warn(remark.text, remark.hint);
    } else {
      note(remark.text);
    }
  }
}

}  // namespace scalediag::cli
