// A program's own class for communication, in a library.
#pragma once

class Communicator {
 public:
  double sum(double value) const;
};
