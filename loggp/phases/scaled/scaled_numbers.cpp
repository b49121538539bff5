#include "loggp/phases/scaled/scaled_numbers.h"

#include <algorithm>
#include <cmath>

namespace scalediag::loggp {

uint64_t whole_of(double value) {
  return value > 0 ? static_cast<uint64_t>(std::llround(std::min(value, kLargestWhole))) : 0;
}

int ScaledNumbers::number_of_tag(int tag) {
  const auto [known, is_new] = tag_numbers_.try_emplace({-1, tag}, static_cast<int>(tags_.size()));
  if (is_new) tags_.push_back({TagHypothesis::constant(tag), 0});
  return known->second;
}

int ScaledNumbers::number_of_tag(const Slot& slot, int round) {
  const auto [known, is_new] = tag_numbers_.try_emplace({slot.id, round}, static_cast<int>(tags_.size()));
  if (is_new) tags_.push_back({model_->equations.at(slot.id).tag, round});
  return known->second;
}

uint64_t ScaledNumbers::number_of_bytes(const Slot& slot, int round) {
  const auto [known, is_new] = bytes_numbers_.try_emplace({slot.id, round}, kByEquation | bytes_.size());
  if (is_new) bytes_.push_back({&model_->equations.at(slot.id).bytes, round});
  return known->second;
}

uint64_t ScaledNumbers::bytes_by_equation(uint64_t number, int rank) const {
  const Bytes& bytes = bytes_[number];
  return whole_of(bytes.hypothesis->at(ranks_, rank, bytes.round));
}

uint32_t ScaledNumbers::number_of(const ScaledCommunicator& communicator) {
  const auto known = std::find(communicators_.begin(), communicators_.end(), communicator);
  const auto number = static_cast<uint32_t>(known - communicators_.begin());
  if (known == communicators_.end()) communicators_.push_back(communicator);
  return number;
}

}  // namespace scalediag::loggp
