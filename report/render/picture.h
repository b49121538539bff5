// SVG turned into PNG and PDF by librsvg and cairo, which are found at run time: nothing of scalediag is linked to
// them.
#pragma once

#include <string>

#include "core/result.h"

namespace scalediag::report {

enum class PictureFormat { kPng, kPdf };

// The picture of an SVG document: of 2 pixels a unit for PNG, with vectors and text for PDF. Errors (kEnvironment): the
// libraries cannot be loaded (the hint names Debian's package); they cannot draw it.
core::Result<std::string> picture_of(const std::string& svg, PictureFormat format);

// Whether the libraries can be loaded.
bool has_picture_library();

}  // namespace scalediag::report
