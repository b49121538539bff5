// The call sites of MPI operations: their names, and a profile in which each of them is an operation by itself.
#pragma once

#include <string>

#include "core/profile/profile.h"

namespace scalediag::core {

// The function without its parameters: "CommSend"; "[unknown]" where the site is not known.
std::string function_of(const CallSite& site);

// The place of the call, without folders: "halo.cpp:120", without debug information "libapp.so+0x1a2b"; followed by
// ", through Comm::sum" where a wrapper called MPI.
std::string source_of(const CallSite& site);

// "exchange, halo.cpp:120"
std::string site_text(const CallSite& site);

// "MPI_Send in exchange, halo.cpp:120", which mpi::find_routine() knows as MPI_Send.
std::string name_at_site(const std::string& operation, const CallSite& site);

// Whether any run tells the sites of its operations; profiles of older versions do not.
bool has_call_sites(const Profile& profile);

// The profile with each call site of an operation as an operation by itself. An operation whose sites are not known
// stays as it is. MpiOperation::metrics, and with the wall clock cpu_s, are not told apart by sites and left out.
enum class SiteNaming {
  kByLine,
  // "MPI_Send in exchange [1 of 2]": the places in a function in the order of their lines, which an edit elsewhere in
  // the file does not change.
  kByOrder,
};
Profile split_by_call_site(Profile profile, SiteNaming naming = SiteNaming::kByLine);

}  // namespace scalediag::core
