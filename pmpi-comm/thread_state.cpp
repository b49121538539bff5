#include "pmpi-comm/thread_state.h"

namespace scalediag::pmpi {

const volatile uint64_t ThreadState::kNoRing = 0;
const volatile uint32_t ThreadState::kNoCpu = 0;

std::atomic<bool> recording{false};
__thread ThreadState* this_thread = nullptr;

namespace {
Hooks the_hooks;
}

void set_hooks(const Hooks& hooks) { the_hooks = hooks; }
const Hooks& hooks() { return the_hooks; }

}  // namespace scalediag::pmpi
