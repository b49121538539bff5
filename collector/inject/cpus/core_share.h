// An estimate of whether ranks of this node share cores, which one rank makes before anything is measured.
#pragma once

namespace scalediag::inject {

// `size` is the number of ranks of the program; all count as being here where the launcher does not give their number.
bool ranks_share_cores(int size);

}  // namespace scalediag::inject
