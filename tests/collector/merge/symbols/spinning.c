/* A library whose functions wait and work. Those that are not exported have no symbol when it is stripped. */
static int g_go_on;

__attribute__((noinline)) static int wait_for_another_thread(const volatile int* go_on) {
  while (*go_on == 0) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }
  return *go_on;
}

__attribute__((noinline)) static int hand_out_an_iteration(int* next) { return __sync_fetch_and_add(next, 1); }

void* address_of_waiting(void) { return (void*)&wait_for_another_thread; }
void* address_of_working(void) { return (void*)&hand_out_an_iteration; }
int GOMP_use(int* next) { return wait_for_another_thread(&g_go_on) + hand_out_an_iteration(next); }
