// The samples of one rank as paths of the call tree.
//
// A path begins at the first function of the thread: main, or the one that a thread was started with; what the C
// library calls before it is left out, as are this library's own frames. It ends with the function that was
// interrupted, or with the MPI operation. Stacks that were not reached to their end begin below main, or where they are
// known from.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collector/merge/paths/path_tree.h"
#include "collector/merge/raw/rank_record.h"
#include "collector/merge/samples/sample_attribution.h"

namespace scalediag::merge {

// CPU time of samples by how their stack ended, in seconds.
struct StackTimes {
  double all = 0, cut = 0, no_table = 0, misled = 0, uncopied = 0;
};

class RankPaths {
 public:
  RankPaths(const RankRecord& record, SampleAttributor& attributor, bool resolve_inlined, PathTree& tree)
      : record_(record), attributor_(attributor), resolve_inlined_(resolve_inlined), tree_(tree) {}

  // Adds the rank to the tree; its times to `times`.
  void add(StackTimes& times);

 private:
  struct Place {
    int node = PathTree::kTop;
    bool calls_main = false;  // the C library's code that does
    bool in_library = false;  // of MPI or of the collector: operations and the collector's time stand for these
  };
  void add_sample(const SampleKey& key, const SampleTotals& totals);
  Place place_of_callers(uint32_t callers, bool begins_below_main);
  int place_of_code(const Place& parent, uint32_t epoch, uint64_t address);
  bool is_start_of_threads(const CodePlace& code, int above) const;
  int without_library(uint32_t callers, bool begins_below_main);
  int other(int parent, const char* name);
  int leaf_of(const SampleKey& key, const SampleTotals& totals, bool begins_below_main);

  const RankRecord& record_;
  SampleAttributor& attributor_;
  const bool resolve_inlined_;
  PathTree& tree_;
  int main_ = PathTree::kTop;
  std::map<std::pair<uint32_t, bool>, Place> places_;  // by callers, and whether they begin below main
  std::vector<double> exclusive_s_;                    // by node
  std::vector<uint64_t> samples_;
};

}  // namespace scalediag::merge
