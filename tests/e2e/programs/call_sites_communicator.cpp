#include "call_sites_communicator.h"

#include <mpi.h>

double Communicator::sum(double value) const {
  double total = 0;
  MPI_Allreduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return total;
}
