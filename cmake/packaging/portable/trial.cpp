// Ends with 0 where a program linked with older_glibc.c works: constructors, threads, exceptions and the C library's
// mathematics.
#include <cmath>
#include <stdexcept>
#include <string>
#include <thread>

static const std::string kBuilt = "constructed before main";

int main(int argc, char**) {
  double root = 0;
  std::thread([&root, argc] { root = std::pow(3.0 + argc, 0.5); }).join();
  try {
    throw std::runtime_error(kBuilt);
  } catch (const std::exception& error) {
    return error.what() == kBuilt && root >= 2 ? 0 : 1;
  }
}
