// Measurements in Extra-P's formats as the data of models. Each series, one metric of one call path, is a kernel of its
// own. Call paths may contain one another, so that there are no totals.
#pragma once

#include <string>

#include "fit/application/application_data.h"
#include "fit/data/measurement_set.h"

namespace scalediag::fit {

// The kernels are in the order of the set's series. A note tells where the number of processes is only assumed, and
// that a profile was exported.
ApplicationData application_data(MeasurementSet set);

// Whether a call path ends in MPI: "main->solve->MPI_Send", or "[MPI other]" of a profile that was exported.
bool is_mpi_call_path(const std::string& call_path);

}  // namespace scalediag::fit
