#include "report/proposal/document.h"

namespace scalediag::report {

std::vector<const Figure*> figures_of(const Document& document) {
  std::vector<const Figure*> all;
  for (const DocumentBlock& block : document.blocks) {
    const auto* figures = std::get_if<DocumentFigures>(&block);
    if (figures == nullptr) continue;
    for (const Figure& figure : figures->figures) all.push_back(&figure);
  }
  return all;
}

}  // namespace scalediag::report
