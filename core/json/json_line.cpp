#include "core/json/json_line.h"

#include "core/text/printable.h"

namespace scalediag::core {

std::string to_json_line(const nlohmann::ordered_json& value) {
  return printable_json(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace scalediag::core
