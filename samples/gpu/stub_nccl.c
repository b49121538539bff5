/* A stand-in for NCCL (libnccl.so.2): nothing is sent, and the stream of the stand-in for CUDA's driver is busy for as
 * long as these would take with 5 us a step and 0.1 ns a byte, all values being floats:
 *
 *   AllReduce                   2 (P - 1) steps of bytes / P
 *   ReduceScatter, AllGather    P - 1 steps of one rank's block
 *   a group of messages         one step of what is sent or received, whichever is more
 */
#define _GNU_SOURCE
#include "stub_nccl.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int n_ranks, rank;
} Communicator;

static struct {
  int depth;
  size_t sent, received;
  void* stream;
} group;

static int occupy(const char* kernel, double seconds, void* stream) {
  typedef int (*Launch)(const char*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                        void**, void**);
  static Launch launch;
  if (launch == NULL) launch = (Launch)(uintptr_t)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuLaunchKernel");
  void* arguments[] = {&seconds};
  return launch(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}
static double steps_s(int steps, double bytes) { return steps * (5e-6 + 1e-10 * bytes); }
static int size_of(void* communicator) { return ((Communicator*)communicator)->n_ranks; }

int ncclGetUniqueId(UniqueId* id) {
  memset(id, 0, sizeof *id);
  return 0;
}
int ncclCommInitRank(void** made, int n_ranks, UniqueId id, int rank) {
  (void)id;
  Communicator* communicator = malloc(sizeof *communicator);
  *communicator = (Communicator){n_ranks, rank};
  *made = communicator;
  return 0;
}
int ncclCommDestroy(void* communicator) {
  free(communicator);
  return 0;
}
int ncclCommCount(void* communicator, int* count) {
  *count = size_of(communicator);
  return 0;
}
int ncclCommUserRank(void* communicator, int* rank) {
  *rank = ((Communicator*)communicator)->rank;
  return 0;
}
int ncclAllReduce(const void* from, void* to, size_t n, int type, int operation, void* communicator, void* stream) {
  (void)from, (void)to, (void)type, (void)operation;
  const int p = size_of(communicator);
  return occupy("ncclDevKernel_AllReduce_Sum_f32_RING_LL", steps_s(2 * (p - 1), 4.0 * (double)n / p), stream);
}
int ncclReduceScatter(const void* from, void* to, size_t n, int type, int operation, void* communicator, void* stream) {
  (void)from, (void)to, (void)type, (void)operation;
  return occupy("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", steps_s(size_of(communicator) - 1, 4.0 * (double)n),
                stream);
}
int ncclAllGather(const void* from, void* to, size_t n, int type, void* communicator, void* stream) {
  (void)from, (void)to, (void)type;
  return occupy("ncclDevKernel_AllGather_RING_LL", steps_s(size_of(communicator) - 1, 4.0 * (double)n), stream);
}
int ncclGroupStart(void) {
  ++group.depth;
  return 0;
}
int ncclGroupEnd(void) {
  if (--group.depth > 0) return 0;
  const size_t most = group.sent > group.received ? group.sent : group.received;
  group.sent = group.received = 0;
  return most > 0 ? occupy("ncclDevKernel_SendRecv", steps_s(1, (double)most), group.stream) : 0;
}
static int message(size_t* sum, size_t n, void* stream) {
  ncclGroupStart();
  *sum += 4 * n;
  group.stream = stream;
  return ncclGroupEnd();
}
int ncclSend(const void* from, size_t n, int type, int peer, void* communicator, void* stream) {
  (void)from, (void)type, (void)peer, (void)communicator;
  return message(&group.sent, n, stream);
}
int ncclRecv(void* to, size_t n, int type, int peer, void* communicator, void* stream) {
  (void)to, (void)type, (void)peer, (void)communicator;
  return message(&group.received, n, stream);
}
