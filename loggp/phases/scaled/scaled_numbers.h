// The tags, bytes and communicators of scaled traces: the traces of classes have numbers for them, and each rank its
// own value by the equation of a number.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "loggp/phases/messages/communicator_numbers.h"
#include "loggp/phases/scaling_model.h"

namespace scalediag::loggp {

constexpr double kLargestWhole = 9e18;  // below 2^63
// Rounded; 0 for what is below, kLargestWhole for what is above.
uint64_t whole_of(double value);

class ScaledNumbers {
 public:
  // `model` has to outlive it.
  ScaledNumbers(const ScalingModel& model, int ranks) : model_(&model), ranks_(ranks) {}

  int number_of_tag(int tag);
  int number_of_tag(const Slot& slot, int round);
  // Numbers of bytes differ from all bytes that a message may have.
  uint64_t number_of_bytes(const Slot& slot, int round);
  uint32_t number_of(const ScaledCommunicator& communicator);

  int tag(int number, int rank) const {
    const Tag& tag = tags_[static_cast<size_t>(number)];
    return tag.hypothesis.at(ranks_, rank, tag.round);
  }
  // `of_class`: bytes, or a number of them.
  uint64_t bytes(uint64_t of_class, int rank) const {
    return (of_class & kByEquation) == 0 ? of_class : bytes_by_equation(of_class & ~kByEquation, rank);
  }
  // By number; [0] are all ranks.
  const std::vector<ScaledCommunicator>& communicators() const { return communicators_; }

 private:
  static constexpr uint64_t kByEquation = uint64_t{1} << 63;
  struct Tag {
    TagHypothesis hypothesis;
    int round = 0;
  };
  struct Bytes {
    const ValueHypothesis* hypothesis = nullptr;
    int round = 0;
  };
  uint64_t bytes_by_equation(uint64_t number, int rank) const;

  const ScalingModel* model_;
  int ranks_;
  std::vector<Tag> tags_;
  std::map<std::pair<int, int>, int> tag_numbers_;  // by Slot::id and round; by -1 and a tag that is the same for all
  std::vector<Bytes> bytes_;
  std::map<std::pair<int, int>, uint64_t> bytes_numbers_;  // by Slot::id and round
  std::vector<ScaledCommunicator> communicators_ = {{}};
};

}  // namespace scalediag::loggp
