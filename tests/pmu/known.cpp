// Two functions of known length, executed by every rank.
//
//   known ranks     few_instructions, then many_instructions
//   known threads   the two at the same time, in a thread each
//   known turns     touch_pages and compute_only in turns, 4000 times each
//
// few_instructions is 100,000,000 rounds of 2 instructions, many_instructions 100,000,000 rounds of 4. On the emulated
// machine every instruction takes one cycle. A turn of touch_pages takes 50,000 cycles and has 10 page faults, one of
// compute_only 100,000 and none, so that both are much shorter than a period of a million cycles: 200,000,000
// instructions and 40,000 page faults, and 400,000,000 and none.
#include <mpi.h>
#include <sys/mman.h>

#include <cstring>
#include <thread>

namespace {

constexpr unsigned long kRounds = 100000000;

__attribute__((noinline)) void few_instructions() {
  unsigned long left = kRounds;
  asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left) : : "cc");
}

__attribute__((noinline)) void many_instructions() {
  unsigned long left = kRounds;
  unsigned long sum = 0;
  asm volatile("1: add %1, %1, #3\n\teor %1, %1, %0\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(left), "+r"(sum) : : "cc");
}

constexpr int kTurns = 4000;
constexpr size_t kPages = 10;
constexpr size_t kPageBytes = 4096;

__attribute__((noinline)) void touch_pages(volatile char* pages) {
  for (size_t page = 0; page < kPages; ++page) {
    pages[page * kPageBytes] = 1;
    unsigned long left = 2500;
    asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(left) : : "cc");
  }
}

__attribute__((noinline)) void compute_only() {
  unsigned long left = 25000;
  unsigned long sum = 0;
  asm volatile("1: add %1, %1, #3\n\teor %1, %1, %0\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(left), "+r"(sum) : : "cc");
}

void take_turns() {
  void* pages = mmap(nullptr, kPages * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  for (int turn = 0; turn < kTurns; ++turn) {
    touch_pages(static_cast<volatile char*>(pages));
    madvise(pages, kPages * kPageBytes, MADV_DONTNEED);  // the next turn has page faults again
    compute_only();
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (argc > 1 && std::strcmp(argv[1], "threads") == 0) {
    std::thread few(few_instructions);
    std::thread many(many_instructions);
    few.join();
    many.join();
  } else if (argc > 1 && std::strcmp(argv[1], "turns") == 0) {
    take_turns();
  } else {
    few_instructions();
    many_instructions();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
