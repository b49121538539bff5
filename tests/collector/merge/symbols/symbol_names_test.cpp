#include "collector/merge/symbols/symbol_names.h"

#include <gtest/gtest.h>

namespace scalediag::merge {
namespace {

TEST(SymbolNames, CNamesStayAsTheyAre) {
  EXPECT_EQ(readable_name("main"), "main");
  EXPECT_EQ(readable_name("dgemm_"), "dgemm_");  // nothing says that it is Fortran
  EXPECT_EQ(readable_name("__libc_start_main@@GLIBC_2.34"), "__libc_start_main");
}

TEST(SymbolNames, CppIsDemangledWithTemplateArguments) {
  EXPECT_EQ(readable_name("_Z5spliti"), "split(int)");
  EXPECT_EQ(readable_name("_ZN4phys4GridIdE4fillEPdi"), "phys::Grid<double>::fill(double*, int)");
  EXPECT_EQ(readable_name("_ZL4rarei"), "rare(int)");
  EXPECT_EQ(readable_name("_Znonsense"), "_Znonsense");
}

TEST(SymbolNames, GfortranModuleProcedures) {
  EXPECT_EQ(readable_name("__grid_MOD_smooth"), "grid::smooth");
  EXPECT_EQ(readable_name("__my_grid_MOD_smooth_all"), "my_grid::smooth_all");
  EXPECT_EQ(readable_name("__grid.solver_MOD_helper"), "grid.solver::helper");
  EXPECT_EQ(readable_name("__types_MOD___copy_types_Field"), "types::__copy_types_Field");
  EXPECT_EQ(readable_name("__MOD_x"), "__MOD_x");
}

TEST(SymbolNames, OtherFortranCompilers) {
  EXPECT_EQ(readable_name("grid_mp_smooth_"), "grid::smooth");
  EXPECT_EQ(readable_name("grid_mp_smooth"), "grid_mp_smooth");  // C
  EXPECT_EQ(readable_name("_QMgridPsmooth"), "grid::smooth");
  EXPECT_EQ(readable_name("_QMgridSsolverPhelper"), "grid::solver::helper");
  EXPECT_EQ(readable_name("_QMgridFsmoothPinner"), "grid::smooth::inner");
}

TEST(SymbolNames, ExternalFortranProceduresLoseTheUnderscoreWhenTheyAreKnownToBeFortran) {
  NameHints hints;
  hints.fortran = true;
  hints.source_name = "ext";
  EXPECT_EQ(readable_name("ext_", hints), "ext");
  hints.source_name = "two_words";
  EXPECT_EQ(readable_name("two_words__", hints), "two_words");
  EXPECT_EQ(readable_name("other_", hints), "other_");  // bind(c, name="other_")
  hints.source_name = {};
  EXPECT_EQ(readable_name("ext_", hints), "ext");
}

TEST(SymbolNames, TheMainProgramHasItsOwnName) {
  EXPECT_EQ(readable_name("MAIN__"), "MAIN (Fortran main program)");
  NameHints hints;
  hints.fortran = true;
  hints.is_program = true;
  hints.source_name = "heat";
  EXPECT_EQ(readable_name("MAIN__", hints), "heat");
  hints.source_name = "MAIN__";  // a program without a PROGRAM statement
  EXPECT_EQ(readable_name("MAIN__", hints), "MAIN (Fortran main program)");
}

TEST(SymbolNames, ContainedProceduresAreNamedAfterTheirHost) {
  EXPECT_TRUE(name_needs_host("inner.0"));
  EXPECT_FALSE(name_needs_host("main.cold"));
  EXPECT_FALSE(name_needs_host("__grid.solver_MOD_helper"));
  EXPECT_EQ(readable_name("inner.0"), "inner");
  EXPECT_EQ(readable_name("inner.3.1234"), "inner");
  NameHints hints;
  hints.host = "grid::smooth";
  EXPECT_EQ(readable_name("inner.0", hints), "grid::smooth::inner");
}

TEST(SymbolNames, PartsOfAFunctionAreTheFunction) {
  EXPECT_EQ(readable_name("main.cold"), "main");
  EXPECT_EQ(readable_name("f.constprop.0"), "f");
  EXPECT_EQ(readable_name("f.part.0.isra.3.cold"), "f");
  EXPECT_EQ(readable_name("_ZL4rarei.isra.0"), "rare(int)");
  EXPECT_EQ(readable_name("__grid_MOD_par.constprop.0"), "grid::par");
  EXPECT_EQ(readable_name("f.llvm.1234567890"), "f");
}

TEST(SymbolNames, OpenMpRegionsAreCodeOfTheirOwn) {
  EXPECT_EQ(readable_name("f._omp_fn.0"), "f [omp region 0]");
  EXPECT_EQ(without_region("f [omp region 0]"), "f");
  EXPECT_EQ(without_region("operator[](int)"), "operator[](int)");
  EXPECT_EQ(readable_name("__grid_MOD_par._omp_fn.12"), "grid::par [omp region 12]");
  EXPECT_EQ(readable_name("_ZN4phys4GridIdE4fillEPdi._omp_fn.0"),
            "phys::Grid<double>::fill(double*, int) [omp region 0]");
  EXPECT_EQ(readable_name("f._omp_fn.0.cold"), "f [omp region 0]");
  EXPECT_EQ(readable_name("f.omp_outlined.3"), "f [omp region 3]");
  EXPECT_EQ(readable_name("f.omp_outlined"), "f [omp region]");
  NameHints hints;
  hints.host = "heat";
  EXPECT_EQ(readable_name("MAIN__._omp_fn.0", hints), "heat [omp region 0]");
}

// The symbols of clang before 17 do not name the function of a region.
TEST(SymbolNames, RegionsWithoutAFunction) {
  EXPECT_EQ(readable_name(".omp_outlined."), "[omp region]");
  EXPECT_EQ(readable_name(".omp_outlined..5"), "[omp region 5]");
}

TEST(SymbolNames, NothingIsLostOfStrangeNames) {
  for (const char* s :
       {".", "..", "...", ".0", "0", "_", "__", "a.", "a..", "@", "@a", ".cold", "_Q", "_QM", "._omp_fn."}) {
    EXPECT_FALSE(readable_name(s).empty()) << s;
  }
}

}  // namespace
}  // namespace scalediag::merge
