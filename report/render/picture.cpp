#include "report/render/picture.h"

#include <dlfcn.h>

#include <cmath>
#include <memory>

namespace scalediag::report {
namespace {

using core::Error;
using core::ErrorCode;

// The functions and types of librsvg 2.52 and later and of cairo that are used, as their ABI has them. Objects are
// opaque pointers.
struct Rectangle {
  double x, y, width, height;
};
using CairoWrite = int (*)(void* closure, const unsigned char* data, unsigned length);
constexpr int kArgb32 = 0;   // CAIRO_FORMAT_ARGB32
constexpr int kWritten = 0;  // CAIRO_STATUS_SUCCESS
constexpr double kPixelsAUnit = 2;
constexpr double kPointsAUnit = 0.75;  // a unit of SVG is 1/96 inch, a point 1/72

struct PictureLibrary {
  void* (*rsvg_handle_new_from_data)(const unsigned char* data, unsigned long length, void** error) = nullptr;
  int (*rsvg_handle_get_intrinsic_size_in_pixels)(void* handle, double* width, double* height) = nullptr;
  int (*rsvg_handle_render_document)(void* handle, void* cairo, const Rectangle* viewport, void** error) = nullptr;
  void (*g_object_unref)(void* object) = nullptr;
  void* (*cairo_image_surface_create)(int format, int width, int height) = nullptr;
  void* (*cairo_pdf_surface_create_for_stream)(CairoWrite write, void* closure, double width, double height) = nullptr;
  int (*cairo_surface_write_to_png_stream)(void* surface, CairoWrite write, void* closure) = nullptr;
  void* (*cairo_create)(void* surface) = nullptr;
  int (*cairo_status)(void* cairo) = nullptr;
  void (*cairo_destroy)(void* cairo) = nullptr;
  void (*cairo_surface_finish)(void* surface) = nullptr;
  int (*cairo_surface_status)(void* surface) = nullptr;
  void (*cairo_surface_destroy)(void* surface) = nullptr;
  std::string missing;  // empty: all were found

  PictureLibrary() {
    void* rsvg = open("librsvg-2.so.2");
    void* cairo = open("libcairo.so.2");
    void* gobject = open("libgobject-2.0.so.0");
    if (!missing.empty()) return;
    find(rsvg, "rsvg_handle_new_from_data", rsvg_handle_new_from_data);
    find(rsvg, "rsvg_handle_get_intrinsic_size_in_pixels", rsvg_handle_get_intrinsic_size_in_pixels);
    find(rsvg, "rsvg_handle_render_document", rsvg_handle_render_document);
    find(gobject, "g_object_unref", g_object_unref);
    find(cairo, "cairo_image_surface_create", cairo_image_surface_create);
    find(cairo, "cairo_pdf_surface_create_for_stream", cairo_pdf_surface_create_for_stream);
    find(cairo, "cairo_surface_write_to_png_stream", cairo_surface_write_to_png_stream);
    find(cairo, "cairo_create", cairo_create);
    find(cairo, "cairo_status", cairo_status);
    find(cairo, "cairo_destroy", cairo_destroy);
    find(cairo, "cairo_surface_finish", cairo_surface_finish);
    find(cairo, "cairo_surface_status", cairo_surface_status);
    find(cairo, "cairo_surface_destroy", cairo_surface_destroy);
  }

 private:
  void* open(const char* name) {
    void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr && missing.empty()) missing = name;
    return handle;
  }
  template <class Function>
  void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = name;
  }
};

const PictureLibrary& library() {
  static const PictureLibrary loaded;
  return loaded;
}

int append(void* closure, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return kWritten;
}

Error failed(const std::string& step) {
  return {ErrorCode::kEnvironment, "librsvg cannot draw the figure: " + step + " failed", "write it as .svg", ""};
}

}  // namespace

bool has_picture_library() { return library().missing.empty(); }

core::Result<std::string> picture_of(const std::string& svg, PictureFormat format) {
  const PictureLibrary& lib = library();
  if (!lib.missing.empty()) {
    return Error{ErrorCode::kEnvironment, "pictures other than SVG need librsvg: " + lib.missing + " is not there",
                 "apt-get install librsvg2-2 fonts-dejavu-core, or write the figure as .svg", ""};
  }
  using Object = std::unique_ptr<void, void (*)(void*)>;
  const Object handle(
      lib.rsvg_handle_new_from_data(reinterpret_cast<const unsigned char*>(svg.data()), svg.size(), nullptr),
      lib.g_object_unref);
  double width = 0, height = 0;
  if (!handle || lib.rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) == 0)
    return failed("reading");
  const bool png = format == PictureFormat::kPng;
  const double factor = png ? kPixelsAUnit : kPointsAUnit;
  width *= factor;
  height *= factor;
  std::string out;
  const Object surface(png ? lib.cairo_image_surface_create(kArgb32, static_cast<int>(std::ceil(width)),
                                                            static_cast<int>(std::ceil(height)))
                           : lib.cairo_pdf_surface_create_for_stream(append, &out, width, height),
                       lib.cairo_surface_destroy);
  {
    const Object cairo(lib.cairo_create(surface.get()), lib.cairo_destroy);
    const Rectangle viewport{0, 0, width, height};
    if (lib.rsvg_handle_render_document(handle.get(), cairo.get(), &viewport, nullptr) == 0 ||
        lib.cairo_status(cairo.get()) != kWritten) {
      return failed("drawing");
    }
  }
  if (png && lib.cairo_surface_write_to_png_stream(surface.get(), append, &out) != kWritten) return failed("writing");
  lib.cairo_surface_finish(surface.get());
  if (lib.cairo_surface_status(surface.get()) != kWritten || out.empty()) return failed("writing");
  return out;
}

}  // namespace scalediag::report
