#include "pmpi-comm/callgrind_counting.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

namespace scalediag::pmpi {

std::atomic<bool> callgrind_counts{false};
__thread int uncounted_depth = 0;
__thread CallWatcher* call_watcher = nullptr;

void toggle_counting() {
#ifdef CALLGRIND_TOGGLE_COLLECT
  CALLGRIND_TOGGLE_COLLECT;
#endif
}

}  // namespace scalediag::pmpi
