// Cube profiles written by hand, for tests of their reader: a program of three call paths on two ranks of two threads.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace scalediag::fit {

using TarMembers = std::vector<std::pair<std::string, std::string>>;

std::string tar_of(const TarMembers& members);

// The members' bytes: an index of `rows`, and values of a row each, as one piece or as packed blocks.
std::string cube_index(const std::vector<int>& rows, bool big_endian = false);
std::string cube_data(const std::vector<double>& values, bool big_endian = false);
std::string packed_cube_data(const std::vector<double>& values);

// main calls solve and output, solve calls MPI_Send; rank 0 has the locations 0 and 1, rank 1 has 2 and 3. `metrics`
// are the elements of the metrics.
std::string cube_anchor_xml(const std::string& metrics);

// <metric> with id, type, name, dtype and unit.
std::string cube_metric(int id, const std::string& type, const std::string& name, const std::string& dtype,
                        const std::string& unit);

// With the inclusive metric time (sec) and the exclusive metric visits, whose values cube_test.cpp derives.
std::string example_cube(bool packed = false);

std::string gzipped(const std::string& plain);

}  // namespace scalediag::fit
