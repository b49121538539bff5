#include "core/text/shortening.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/text/function_name.h"
#include "core/text/printable.h"

namespace scalediag::core {
namespace {

TEST(Shortening, WhatFitsStays) {
  EXPECT_EQ(shorten_middle("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten_front("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten_function("f<int>(int)", 11), "f<int>(int)");
}

TEST(Shortening, IsExactlyAsWideAsAsked) {
  for (size_t width = 0; width < 12; ++width) {
    EXPECT_EQ(display_width(shorten_middle("abcdefghijkl", width)), width);
    EXPECT_EQ(display_width(shorten_front("abcdefghijkl", width)), width);
    EXPECT_EQ(display_width(shorten_function("abcdefghijkl", width)), width);
  }
}

TEST(Shortening, KeepsBothEndsOrTheEnd) {
  EXPECT_EQ(shorten_middle("/usr/lib/libmpi.so.40", 14), "/usr/l...so.40");
  EXPECT_EQ(shorten_front("a_long_file_name.cpp:100", 14), "...ame.cpp:100");
}

TEST(Shortening, Utf8CharactersStayWhole) {
  const std::string text = "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC";  // 9 umlauts
  EXPECT_EQ(display_width(text), 9u);
  EXPECT_EQ(shorten_middle(text, 6), "\xC3\xA4\xC3\xB6...\xC3\xBC");
  EXPECT_EQ(shorten_front(text, 5), "...\xC3\xB6\xC3\xBC");
}

TEST(Shortening, FunctionsLoseTemplateArgumentsFirst) {
  EXPECT_EQ(shorten_function("std::vector<std::pair<int, A>>::push_back(int const&)", 45),
            "std::vector<...>::push_back(int const&)");
  EXPECT_EQ(shorten_function("std::vector<std::pair<int, A>>::push_back(int const&)", 35),
            "std::vector<...>::push_back(...)");
}

TEST(Shortening, FunctionsKeepTheirOwnNameLongest) {
  EXPECT_EQ(shorten_function("LAMMPS_NS::PairLJCut::compute(int, int)", 25), "...airLJCut::compute(...)");
  EXPECT_EQ(shorten_function("LAMMPS_NS::PairLJCut::compute(int, int)", 26), "...PairLJCut::compute(...)");
}

TEST(Shortening, FunctionsOfNoScopeKeepTheirNameRatherThanBrackets) {
  EXPECT_EQ(shorten_function("CalcKinematicsForElems(Domain&, double, int)", 24), "CalcKinematicsForElems");
  EXPECT_EQ(shorten_function("(anonymous namespace)::sweep((anonymous namespace)::Grid const&)", 24), "sweep(...)");
}

TEST(Shortening, OneGapIsEnough) {
  EXPECT_EQ(shorten_function("std::map<std::string, int>::operator[](std::string&&)", 24), "...>::operator[](...)");
}

TEST(Shortening, OperatorsAreNotBrackets) {
  EXPECT_EQ(shorten_function("operator<< <char>(std::ostream&, A<int> const&)", 46),
            "operator<< <...>(std::ostream&, A<...> const&)");
  EXPECT_EQ(shorten_function("B::operator->() const and some more text", 39).substr(0, 3), "B::");
  EXPECT_EQ(shorten_function("A<int>::operator()(double) const", 30), "A<...>::operator()(...) const");
}

TEST(Shortening, AnonymousNamespacesAreNotParameters) {
  EXPECT_EQ(shorten_function("(anonymous namespace)::sum(double const*, int)", 35), "(anonymous namespace)::sum(...)");
}

TEST(Shortening, AnonymousNamespacesCanBeLeftOut) {
  EXPECT_EQ(without_anonymous_namespaces("a::(anonymous namespace)::f((anonymous namespace)::B)"), "a::f(B)");
  EXPECT_EQ(without_anonymous_namespaces("(anonymous namespace)"), "(anonymous namespace)");
}

TEST(Shortening, ControlCharactersBecomeVisible) {
  EXPECT_EQ(printable("a\033[2J\nb\x7F"), "a?[2J?b?");
  EXPECT_EQ(printable("\xC3\xA4"), "\xC3\xA4");
}

TEST(ShortenApart, NamesThatDifferStayDifferent) {
  // 25 columns each; the first difference is the code point after "solve_momentum_".
  const std::vector<std::string> names = {"solve_momentum_x_implicit", "solve_momentum_y_implicit", "main",
                                          "solve_momentum_x_implicit"};
  EXPECT_EQ(shorten_middle(names[0], 15), shorten_middle(names[1], 15));
  const std::vector<std::string> apart = shorten_apart(names, 15, shorten_middle);
  // Four columns before it, and as much after as there is room for.
  EXPECT_EQ(apart, (std::vector<std::string>{"...tum_x_imp...", "...tum_y_imp...", "main", "...tum_x_imp..."}));
  for (const std::string& name : apart) EXPECT_LE(display_width(name), 15u);
}

TEST(ShortenApart, NamesThatDifferAtSeveralPlacesStayDifferent) {
  const std::string same(30, 's'), more(30, 'm');
  const std::vector<std::string> names = {same + "a" + more + "1" + same, same + "a" + more + "2" + same,
                                          same + "b" + more + "1" + same, same + "c" + more + "1" + same};
  const std::vector<std::string> apart = shorten_apart(names, 20, shorten_middle);
  EXPECT_EQ(std::set<std::string>(apart.begin(), apart.end()).size(), names.size());
  for (const std::string& name : apart) EXPECT_LE(display_width(name), 20u) << name;
}

TEST(ShortenApart, WhatShortensDifferentlyIsLeftToIt) {
  const std::vector<std::string> names = {"first_function_of_all", "another_function_of_all"};
  EXPECT_EQ(shorten_apart(names, 15, shorten_middle),
            (std::vector<std::string>{shorten_middle(names[0], 15), shorten_middle(names[1], 15)}));
}

TEST(Shortening, DescriptionsLoseWholeWords) {
  EXPECT_EQ(shorten_function("[5 functions with too few samples]", 34), "[5 functions with too few samples]");
  EXPECT_EQ(shorten_function("[5 functions with too few samples]", 20), "[5 functions ...]");
  EXPECT_EQ(shorten_function("[functions without samples]", 24), "[functions without ...]");
}

TEST(PlainFunction, KeepsScopesAndTheFunctionAlone) {
  EXPECT_EQ(plain_function("conj_grad_"), "conj_grad_");
  EXPECT_EQ(plain_function("LAMMPS_NS::PairLJCut::compute(int, int)"), "LAMMPS_NS::PairLJCut::compute");
  EXPECT_EQ(plain_function("void a::b<int, c<d> >::f<double>(double, e<int>*) const"), "a::b::f");
  EXPECT_EQ(plain_function("std::vector<int>* (anonymous namespace)::make<int>()"), "make");
  EXPECT_EQ(plain_function("MAIN (Fortran main program)"), "MAIN (Fortran main program)");
  EXPECT_EQ(plain_function("[5 functions with too few samples]"), "[5 functions with too few samples]");
}

TEST(PlainFunction, OperatorsKeepTheirNames) {
  EXPECT_EQ(plain_function("A<int>::operator()(double) const"), "A::operator()");
  EXPECT_EQ(plain_function("A<int>::operator()() const"), "A::operator()");
  EXPECT_EQ(plain_function("bool operator< <char>(A<char> const&)"), "operator<");
  EXPECT_EQ(plain_function("operator new(unsigned long)"), "operator new");
}

// The return type goes first, and of a name that does not fit the scopes and parameters before its own middle.
TEST(Shortening, FunctionsLoseTheReturnTypeAndKeepTheirName) {
  EXPECT_EQ(shorten_function("void miniFE::impose_dirichlet<miniFE::CSRMatrix<double> >(double)", 62),
            "miniFE::impose_dirichlet<miniFE::CSRMatrix<double> >(double)");
  EXPECT_EQ(shorten_function("void miniFE::impose_dirichlet<miniFE::CSRMatrix<double> >(double)", 16),
            "impose_dirichlet");
}

}  // namespace
}  // namespace scalediag::core
