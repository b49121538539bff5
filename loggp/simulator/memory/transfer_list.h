// The transfers that a rank has to wait for, in the order in which it began them. The first few are beside one another
// in the rank's own memory, so that looking at them is one access and not a chain of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace scalediag::loggp {

class TransferList {
 public:
  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  uint32_t* begin() { return many_ == nullptr ? few_ : many_->data(); }
  uint32_t* end() { return begin() + size_; }
  const uint32_t* begin() const { return many_ == nullptr ? few_ : many_->data(); }
  const uint32_t* end() const { return begin() + size_; }

  void add(uint32_t transfer) {
    if (many_ == nullptr && size_ < kFew) {
      few_[size_++] = transfer;
      return;
    }
    if (many_ == nullptr) many_ = std::make_unique<std::vector<uint32_t>>(few_, few_ + size_);
    many_->push_back(transfer);
    ++size_;
  }
  // Keeps the first `size` of them. Precondition: there are as many.
  void shorten(uint32_t size) {
    size_ = size;
    if (many_ == nullptr) return;
    many_->resize(size);
    if (size == 0) many_.reset();
  }

 private:
  static constexpr uint32_t kFew = 10;  // with the other members 56 bytes
  uint32_t size_ = 0;
  uint32_t few_[kFew];
  std::unique_ptr<std::vector<uint32_t>> many_;  // all of them, where they are more
};

}  // namespace scalediag::loggp
