#include "loggp/phases/messages/message_balance.h"

#include <algorithm>
#include <cstdlib>

namespace scalediag::loggp {

MessageBalance::MessageBalance() : cells_(1 << 20) {}

size_t MessageBalance::cell_of(int from, int to, int tag, uint32_t communicator) const {
  uint64_t hash = 14695981039346656037u;
  for (const uint64_t value :
       {static_cast<uint64_t>(from), static_cast<uint64_t>(to), static_cast<uint64_t>(tag), uint64_t{communicator}}) {
    hash = (hash ^ value) * 1099511628211u;
    hash ^= hash >> 29;
  }
  return hash % cells_.size();
}

void MessageBalance::add(int from, int to, int tag, uint32_t communicator, int64_t balance) {
  Cell& cell = cells_[cell_of(from, to, tag, communicator)];
  cell = {cell.balance + balance, from, to, tag};
}

void MessageBalance::add_all(const MessageBalance& later) {
  for (size_t i = 0; i < cells_.size(); ++i) {
    const Cell& more = later.cells_[i];
    if (more.from >= 0) cells_[i] = {cells_[i].balance + more.balance, more.from, more.to, more.tag};
  }
}

uint64_t MessageBalance::take(int from, int to, int tag, uint32_t communicator, int64_t balance) {
  int64_t& left = cells_[cell_of(from, to, tag, communicator)].balance;
  if ((balance > 0) != (left > 0)) return 0;
  const int64_t taken = std::min(std::abs(balance), std::abs(left));
  left -= balance > 0 ? taken : -taken;
  return static_cast<uint64_t>(taken);
}

Unmatched MessageBalance::unmatched() const {
  Unmatched result;
  for (const Cell& cell : cells_) {
    if (cell.balance == 0) continue;
    if (result.messages == 0) {
      result.example = std::string(cell.balance > 0 ? "sent" : "expected") + " from rank " + std::to_string(cell.from) +
                       " to rank " + std::to_string(cell.to) + " with tag " + std::to_string(cell.tag);
    }
    result.messages += static_cast<uint64_t>(std::abs(cell.balance));
  }
  return result;
}

}  // namespace scalediag::loggp
