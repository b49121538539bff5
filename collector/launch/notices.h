// Messages to the user while runs are prepared and made. This room prints none itself; cli passes the object that does.
#pragma once

#include <string>

namespace scalediag::launch {

class Notices {
 public:
  virtual ~Notices() = default;

  // A choice that was made for the user.
  virtual void note(const std::string& message) = 0;
  // A problem that does not end the work. `hint` says what helps; empty: nothing does.
  virtual void warn(const std::string& message, const std::string& hint) = 0;
};

}  // namespace scalediag::launch
