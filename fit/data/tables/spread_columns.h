// Columns that are one quantity at several numbers of processes: "np=1 | np=2 | np=4", "1 rank, 2 ranks". Each of them
// becomes a row with the number and the value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace scalediag::fit {

class SpreadColumns {
 public:
  // Nothing where fewer than two names are a number of the same kind of processes.
  static std::optional<SpreadColumns> of(const std::vector<std::string>& names);

  // Rows that one row of the text becomes.
  size_t rows() const { return columns_.size(); }
  // The other names in their order, that of the processes, and "value".
  std::vector<std::string> gathered_names(const std::vector<std::string>& names) const;
  // The cells of the i-th of these rows, in the order of gathered_names(); `cells` has one for each name.
  void gather(const std::vector<std::string>& cells, size_t i, std::vector<std::string>& to) const;

 private:
  struct Column {
    size_t place;
    std::string number;
  };

  std::string processes_;
  std::vector<Column> columns_;
  std::vector<size_t> others_;  // places of the columns that stay
};

}  // namespace scalediag::fit
