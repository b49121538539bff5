/* The functions of NCCL that the stand-in has, with the parameters of NCCL's header. */
#ifndef SCALEDIAG_SAMPLES_STUB_NCCL_H
#define SCALEDIAG_SAMPLES_STUB_NCCL_H

#include <stddef.h>

typedef struct {
  char bytes[128];
} UniqueId;
enum { kNcclFloat = 7, kNcclSum = 0 };

int ncclGetUniqueId(UniqueId* id);
int ncclCommInitRank(void** made, int n_ranks, UniqueId id, int rank);
int ncclCommDestroy(void* communicator);
int ncclCommCount(void* communicator, int* count);
int ncclCommUserRank(void* communicator, int* rank);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclAllReduce(const void* from, void* to, size_t n, int type, int operation, void* communicator, void* stream);
int ncclReduceScatter(const void* from, void* to, size_t n, int type, int operation, void* communicator, void* stream);
int ncclAllGather(const void* from, void* to, size_t n, int type, void* communicator, void* stream);
int ncclSend(const void* from, size_t n, int type, int peer, void* communicator, void* stream);
int ncclRecv(void* to, size_t n, int type, int peer, void* communicator, void* stream);

#endif
