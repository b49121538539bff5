// The functions of GPUs' libraries behind those that stand in front of them.
//
// A program has such a library among its own, where it is found as any other original is (RTLD_NEXT). Or it loads one
// for itself alone, as Python does, or asks for functions with dlsym or the driver's cuGetProcAddress: then it is the
// one that was asked for, or that of a loaded library of such a name.
#pragma once

#include <atomic>

namespace scalediag::inject::gpu {

// The original of one function. To be used as a variable with static storage.
class Original {
 public:
  constexpr explicit Original(const char* name) : name_(name) {}
  const char* name() const { return name_; }
  // Null where no library has it.
  void* get() {
    void* const found = found_.load(std::memory_order_acquire);
    return __builtin_expect(found != nullptr, 1) ? found : look_up();
  }
  // The program has asked for `found` by name. False where calls go to another one already.
  bool take(void* found) {
    void* none = nullptr;
    return found_.compare_exchange_strong(none, found, std::memory_order_acq_rel) || none == found;
  }

 private:
  void* look_up();

  const char* const name_;
  std::atomic<void*> found_{nullptr};
};

// The function of that name, without this library's. Null where no loaded library for GPUs has it.
void* find_original(const char* name);

// The function to be returned for a symbol that the program asks for, `found` being the one that it would have got:
// one of this library's that counts its calls, or `found` itself. Null where the function is this library's alone.
enum class Named { kExactly, kWithoutVersion };
void* counting_function(const char* name, void* found, Named named = Named::kExactly);

// True if the name may be one of a GPU's library.
bool is_gpu_name(const char* name);

}  // namespace scalediag::inject::gpu
