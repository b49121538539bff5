// Two functions of known length, executed by every rank.
//
//   known ranks     few_instructions, then many_instructions
//   known threads   the two at the same time, in a thread each
//
// few_instructions is 100,000,000 rounds of 2 instructions, many_instructions 100,000,000 rounds of 4. On the emulated
// machine every instruction takes one cycle.
#include <mpi.h>

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

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (argc > 1 && std::strcmp(argv[1], "threads") == 0) {
    std::thread few(few_instructions);
    std::thread many(many_instructions);
    few.join();
    many.join();
  } else {
    few_instructions();
    many_instructions();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
