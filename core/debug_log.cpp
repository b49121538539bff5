#include "core/debug_log.h"

namespace scalediag::core {
namespace {

void (*debug_log_receiver)(const std::string& line) = nullptr;

}  // namespace

void send_debug_log_to(void (*receiver)(const std::string& line)) { debug_log_receiver = receiver; }

void log_debug(const std::string& line) {
  if (debug_log_receiver != nullptr) debug_log_receiver(line);
}

}  // namespace scalediag::core
