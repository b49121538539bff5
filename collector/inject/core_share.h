// Whether ranks of this node share cores, as far as one rank can tell before anything is measured.
#pragma once

namespace scalediag::inject {

// `size`: ranks of the program, all of which are taken to be here where the launcher does not say how many are.
bool ranks_share_cores(int size);

}  // namespace scalediag::inject
