/* Begins MPI by a session (MPI 4) and not by MPI_Init; all ranks take part in a sum.
 *   sessions [supported]    with the word: only whether the MPI that it was built with has sessions, else status 77
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
#if MPI_VERSION < 4
  (void)argc;
  (void)argv;
  puts("this MPI has no sessions");
  return 77;
#else
  (void)argv;
  if (argc > 1) return 0;
  MPI_Session session;
  MPI_Group group;
  MPI_Comm world;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "sum", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
  int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world);
  printf("%d ranks\n", sum);
  MPI_Group_free(&group);
  MPI_Comm_free(&world);
  MPI_Session_finalize(&session);
  return 0;
#endif
}
