// PAPI's functions, found at run time: nothing of scalediag is linked to libpapi. Header only and C++17, because the
// library inside the application uses it as well as the analysis.
//
// Only PAPI of the major version of the build is accepted: its structures are those of papi.h.
#pragma once

#include <dlfcn.h>
#include <papi.h>

#include <cstdio>
#include <string>

namespace scalediag {

// The functions of PAPI that are used, by the part of the name that follows "PAPI_".
#define SCALEDIAG_PAPI_FUNCTIONS(X)                                                                               \
  X(library_init)                                                                                                 \
  X(is_initialized)                                                                                               \
  X(thread_init)                                                                                                  \
  X(register_thread)                                                                                              \
  X(unregister_thread)                                                                                            \
  X(create_eventset) X(cleanup_eventset) X(destroy_eventset) X(assign_eventset_component) X(add_event)            \
      X(event_name_to_code) X(event_code_to_name) X(enum_event) X(query_event) X(get_event_component) X(overflow) \
          X(get_overflow_event_index) X(start) X(stop) X(read) X(num_components) X(get_component_info)            \
              X(get_hardware_info) X(strerror)

class PapiLibrary {
 public:
#define SCALEDIAG_POINTER(name) decltype(&PAPI_##name) name = nullptr;
  SCALEDIAG_PAPI_FUNCTIONS(SCALEDIAG_POINTER)
#undef SCALEDIAG_POINTER

  // Loads libpapi, or takes the one that the process has loaded already. `global` makes its symbols visible to other
  // libraries, which is the only way in which libsde finds PAPI. Returns the error, empty when it is loaded.
  std::string load(bool global) {
    const int flags = RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL);
    std::string missing;
    for (int minor = kNewestMinor; minor >= 0 && handle_ == nullptr; --minor) {
      char name[32];
      std::snprintf(name, sizeof name, "libpapi.so.%d.%d", kMajor, minor);
      handle_ = dlopen(name, flags);
      if (handle_ != nullptr) soname_ = name;
    }
    if (handle_ == nullptr && (handle_ = dlopen("libpapi.so", flags)) != nullptr) soname_ = "libpapi.so";
    if (handle_ == nullptr) return "no libpapi.so." + std::to_string(kMajor) + ".x can be loaded";
#define SCALEDIAG_FIND(name) \
  if ((name = reinterpret_cast<decltype(&PAPI_##name)>(dlsym(handle_, "PAPI_" #name))) == nullptr) missing = #name;
    SCALEDIAG_PAPI_FUNCTIONS(SCALEDIAG_FIND)
#undef SCALEDIAG_FIND
    return missing.empty() ? "" : soname_ + " lacks PAPI_" + missing;
  }

  // To be called after load(). Initialises PAPI unless that was done. Returns the error, empty when it is initialised.
  std::string initialise() {
    int result = PAPI_EINVAL;
    // PAPI refuses versions that differ from its own in the minor number, too.
    for (int minor = 0; minor <= kNewestMinor && result == PAPI_EINVAL; ++minor) {
      result = library_init(PAPI_VERSION_NUMBER(kMajor, minor, 0, 0));
    }
    if (result == PAPI_EINVAL) return soname_ + " is not PAPI " + std::to_string(kMajor);
    if (result < 0) return std::string("PAPI_library_init: ") + text_of(result);
    version_ = result;
    return {};
  }

  const std::string& soname() const { return soname_; }
  std::string version() const {
    return std::to_string(PAPI_VERSION_MAJOR(version_)) + "." + std::to_string(PAPI_VERSION_MINOR(version_)) + "." +
           std::to_string(PAPI_VERSION_REVISION(version_));
  }
  const char* text_of(int error) const {
    const char* text = strerror(error);
    return text != nullptr ? text : "unknown error";
  }

 private:
  static constexpr int kMajor = PAPI_VERSION_MAJOR(PAPI_VERSION);
  static constexpr int kNewestMinor = 9;
  void* handle_ = nullptr;
  std::string soname_;
  int version_ = 0;
};

}  // namespace scalediag
