#include "report/point.h"

#include "core/text/numbers.h"

namespace scalediag::report {

std::string text_of(const Point& point) {
  std::string text;
  for (const auto& [name, value] : point) text += (text.empty() ? "" : " ") + name + "=" + core::to_text(value);
  return text;
}

}  // namespace scalediag::report
