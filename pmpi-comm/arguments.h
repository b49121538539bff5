// Reads the arguments of a call of any language.
#pragma once

#include <cstdint>

#include "core/mpi_routines.h"
#include "pmpi-comm/mpi_library.h"

namespace scalediag::pmpi {

using namespace mpi;

enum class Language : uint8_t {
  kC,
  kFortran,      // every argument by address, buffers by their address
  kDescriptors,  // the same, buffers as C descriptors of Fortran 2018
};

enum class Counts : uint8_t { kInt, kLarge };  // kLarge: MPI_Count, of MPI-4

// Positions are those of core/mpi_routines.h. Handles come out as C handles.
class Arguments {
 public:
  Arguments(const uintptr_t* values, Language language, Counts counts, const MpiLibrary& mpi)
      : values_(values), language_(language), counts_(counts), mpi_(mpi) {}

  bool is_c() const { return language_ == Language::kC; }
  int integer(int at) const {
    return language_ == Language::kC ? static_cast<int>(values_[at]) : *reinterpret_cast<const int*>(values_[at]);
  }

  // An output of MPI: a flag, a number, an index (from 0; MPI_UNDEFINED stays negative).
  int integer_in(int at) const { return *integers(at); }
  int index_in(int at, int i) const { return integers(at)[i] - (language_ == Language::kC ? 0 : 1); }
  const int* integers(int at) const { return reinterpret_cast<const int*>(values_[at]); }

  // Whether a status, or an array of them, is one that MPI does not set.
  bool ignores_status(int at) const {
    const uintptr_t address = values_[at];
    const MpiConstants& c = mpi_.constants;
    if (language_ == Language::kC) return address == c.status_ignore_c;
    if (address == 0) return true;
    for (const uintptr_t ignored : c.status_ignore_fortran) {
      if (address == ignored) return true;
    }
    for (const uintptr_t* indirect : c.status_ignore_fortran_indirect) {
      if (indirect != nullptr && address == *indirect) return true;
    }
    return false;
  }

  bool has_large_counts() const { return counts_ == Counts::kLarge; }
  int64_t count(int at) const {
    if (counts_ == Counts::kInt) return integer(at);
    return language_ == Language::kC ? static_cast<int64_t>(values_[at])
                                     : *reinterpret_cast<const int64_t*>(values_[at]);
  }
  // Element i of an array of counts. Precondition: the array is not empty.
  int64_t count(int at, int i) const {
    if (counts_ == Counts::kInt) return reinterpret_cast<const int*>(values_[at])[i];
    return reinterpret_cast<const int64_t*>(values_[at])[i];
  }

  uintptr_t comm(int at) const { return handle(at, mpi_.functions.comm_f2c); }
  uintptr_t type(int at) const { return handle(at, mpi_.functions.type_f2c); }
  uintptr_t win(int at) const { return handle(at, mpi_.functions.win_f2c); }
  uintptr_t op(int at) const { return handle(at, mpi_.functions.op_f2c); }
  uintptr_t group(int at) const { return handle(at, mpi_.functions.group_f2c); }
  uintptr_t type(int at, int i) const { return element(at, i, mpi_.functions.type_f2c); }
  uintptr_t request(int at, int i = 0) const { return element(at, i, mpi_.functions.request_f2c); }
  uintptr_t request_by_value(int at) const { return handle(at, mpi_.functions.request_f2c); }
  uintptr_t message_in(int at) const { return element(at, 0, mpi_.functions.message_f2c); }
  uintptr_t type_in(int at) const { return element(at, 0, mpi_.functions.type_f2c); }
  uintptr_t comm_in(int at) const { return element(at, 0, mpi_.functions.comm_f2c); }
  uintptr_t win_in(int at) const { return element(at, 0, mpi_.functions.win_f2c); }

  bool in_place(int at) const {
    uintptr_t address = values_[at];
    const MpiConstants& c = mpi_.constants;
    if (language_ == Language::kC) return address == c.in_place_c;
    // The address of the data is a descriptor's first member.
    if (language_ == Language::kDescriptors && address != 0) address = *reinterpret_cast<const uintptr_t*>(address);
    if (address == 0) return false;
    for (uintptr_t in_place : c.in_place_fortran) {
      if (address == in_place) return true;
    }
    return c.in_place_fortran_indirect != nullptr && address == *c.in_place_fortran_indirect;
  }

 private:
  using FromFortran = uintptr_t (*)(int);

  static uintptr_t from_fortran(int handle, FromFortran f2c) {
    return f2c != nullptr ? f2c(handle) : static_cast<uint32_t>(handle);
  }
  // A handle passed by value in C.
  uintptr_t handle(int at, FromFortran f2c) const {
    if (language_ != Language::kC) return from_fortran(*reinterpret_cast<const int*>(values_[at]), f2c);
    // Where handles are ints the upper half of the register is undefined.
    return mpi_.constants.handle_bytes == sizeof(int) ? static_cast<uint32_t>(values_[at]) : values_[at];
  }
  // An element of an array of handles.
  uintptr_t element(int at, int i, FromFortran f2c) const {
    if (values_[at] == 0) return 0;
    if (language_ != Language::kC) return from_fortran(reinterpret_cast<const int*>(values_[at])[i], f2c);
    if (mpi_.constants.handle_bytes == sizeof(int)) return reinterpret_cast<const uint32_t*>(values_[at])[i];
    return reinterpret_cast<const uintptr_t*>(values_[at])[i];
  }

  const uintptr_t* values_;
  Language language_;
  Counts counts_;
  const MpiLibrary& mpi_;
};

}  // namespace scalediag::pmpi
