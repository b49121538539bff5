/* Puts, gets and atomics in windows that are synchronised in each of MPI's ways, and prints what came of it, with the
 * rank in front. What atomics find, and how often a rank looks before its window has changed, differs from run to run;
 * a replay has what was recorded.
 *
 *   one_sided [N] [shared|dynamic]    the number of repetitions; or a window that cannot be replayed
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "printed_sum.h"

enum { kRoom = 64 };

static int left, right;

/* Memory of the program; a part of it is the window. */
static void fences(int round) {
  int memory[kRoom + 2], got[kRoom], out[kRoom];
  for (int i = 0; i < kRoom + 2; ++i) memory[i] = -i;
  for (int i = 0; i < kRoom; ++i) out[i] = 1000 * rank + i + round, got[i] = 0;
  MPI_Win window;
  MPI_Win_create(memory + 1, kRoom * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out, 5, MPI_INT, right, 3, 5, MPI_INT, window);
  for (int i = 0; i < size; ++i) MPI_Accumulate(&out[1], 1, MPI_INT, i, 20, 1, MPI_INT, MPI_SUM, window);
  memory[1 + 40] = 7 * rank; /* by the owner */
  MPI_Win_fence(0, window);
  add(memory, sizeof memory);
  /* Every second element, whose type is freed before the get is complete. */
  MPI_Datatype type;
  MPI_Type_vector(4, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Get(got, 1, type, left, 3, 4, MPI_INT, window);
  MPI_Type_free(&type);
  MPI_Get(&got[20], 2, MPI_INT, MPI_PROC_NULL, 0, 2, MPI_INT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  add(got, sizeof got);
  MPI_Win_free(&window);
  add(memory, sizeof memory);
  say("fences");
}

/* What was put is read after a message said so, without a call about the window. */
static void locks(void) {
  long* memory = NULL;
  MPI_Win window;
  MPI_Win_allocate(kRoom * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  add(memory, sizeof(long)); /* whatever is there */
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  memset(memory, 0, kRoom * sizeof(long));
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  long value = 100 + rank, found[4] = {0, 0, 0, 0}, none = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
  MPI_Put(&value, 1, MPI_LONG, right, 1, 1, MPI_LONG, window);
  MPI_Win_unlock(right, window);
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  add(memory, kRoom * sizeof(long));
  /* Who is first finds 0. */
  const long one = 1;
  MPI_Fetch_and_op(&one, &found[0], MPI_LONG, 0, 2, MPI_SUM, window);
  MPI_Compare_and_swap(&value, &none, &found[1], MPI_LONG, 0, 3, window);
  MPI_Win_flush(0, window);
  MPI_Get_accumulate(&one, 1, MPI_LONG, &found[2], 1, MPI_LONG, right, 4, 1, MPI_LONG, MPI_REPLACE, window);
  MPI_Win_flush_local(right, window);
  add(found, sizeof found);
  MPI_Request requests[2];
  MPI_Rput(&value, 1, MPI_LONG, left, 5, 1, MPI_LONG, window, &requests[0]);
  MPI_Rget(&found[3], 1, MPI_LONG, 0, 2, 1, MPI_LONG, window, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  add(found, sizeof found);
  MPI_Win_flush_all(window);
  say("locks");
  /* The owner writes, and the neighbour who is told puts back what was there. */
  memory[7] = 1;
  MPI_Isend(&one, 1, MPI_LONG, left, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv(&value, 1, MPI_LONG, right, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Put(&none, 1, MPI_LONG, right, 7, 1, MPI_LONG, window);
  MPI_Win_flush(right, window);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  add(&memory[7], sizeof(long));
  /* The last to come sees the others' tickets. */
  MPI_Fetch_and_op(&one, &found[0], MPI_LONG, left, 6, MPI_SUM, window);
  MPI_Win_flush_local_all(window);
  for (int looked = 0;; ++looked) {
    MPI_Win_sync(window);
    if (((volatile long*)memory)[6] == 0) {
      int flag = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      continue;
    }
    add(&looked, sizeof looked);
    break;
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  add(memory, kRoom * sizeof(long));
  MPI_Win_free(&window);
  say("looks");
}

static void posts(void) {
  double memory[kRoom], value[2] = {rank + 0.5, rank + 0.25}, got[2] = {0, 0};
  for (int i = 0; i < kRoom; ++i) memory[i] = i;
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Group all, to, from;
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &right, &to);
  MPI_Group_incl(all, 1, &left, &from);
  int n = 0;
  MPI_Group_size(all, &n);
  add(&n, sizeof n);
  for (int i = 0; i < 2; ++i) {
    MPI_Win_post(from, 0, window);
    MPI_Win_start(to, 0, window);
    MPI_Put(value, 2, MPI_DOUBLE, right, 10 * i, 2, MPI_DOUBLE, window);
    MPI_Get(got, 2, MPI_DOUBLE, right, 40, 2, MPI_DOUBLE, window);
    MPI_Win_complete(window);
    add(got, sizeof got);
    if (i == 0) {
      MPI_Win_wait(window);
    } else {
      for (int flag = 0, polls = 0; !flag; ++polls) {
        MPI_Win_test(window, &flag);
        if (flag) add(&polls, sizeof polls);
      }
    }
    add(memory, sizeof memory);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  void* base = NULL;
  int found = 0;
  MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &found);
  const int is_ours = found && base == memory;
  add(&is_ours, sizeof is_ours);
  MPI_Win_free(&window);
  say("posts");
}

static void refused(const char* kind) {
  MPI_Win window;
  if (strcmp(kind, "shared") == 0) {
    int* memory = NULL;
    MPI_Win_allocate_shared(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  } else {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  }
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; --i) {
    fences(i);
    locks();
    posts();
  }
  const double now = MPI_Wtime();
  add(&now, sizeof now);
  say("times");
  if (argc > 2) refused(argv[2]);
  MPI_Finalize();
  return 0;
}
