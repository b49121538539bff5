// Things that were noticed while evidence was read, for those who print them.
#pragma once

#include <string>
#include <vector>

namespace scalediag::predict {

struct Remark {
  bool is_warning = true;
  std::string text, hint;
};
using Remarks = std::vector<Remark>;

}  // namespace scalediag::predict
