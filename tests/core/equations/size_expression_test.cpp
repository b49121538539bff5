// Problem sizes from parameters.
#include "core/equations/size_expression.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

double size_of(const std::string& text, const std::map<std::string, double>& values) {
  const auto expression = parse_size_expression(text);
  EXPECT_TRUE(expression) << text << ": " << expression.error().message;
  return expression ? expression.value().value(values) : 0;
}

// 3^2, 2 x 3 x 5, 8 x 4^1.5, 12 / 4 / 3 and 10^-1.
TEST(SizeExpression, IsAProductOfNumbersAndPowers) {
  EXPECT_DOUBLE_EQ(size_of("cells=n^2", {{"n", 3}}), 9);
  EXPECT_DOUBLE_EQ(size_of("cells=nx*ny*nz", {{"nx", 2}, {"ny", 3}, {"nz", 5}}), 30);
  EXPECT_DOUBLE_EQ(size_of("bytes=8*n^1.5", {{"n", 4}}), 64);
  EXPECT_DOUBLE_EQ(size_of("d=n/4/m", {{"n", 12}, {"m", 3}}), 1);
  EXPECT_DOUBLE_EQ(size_of("d=h^-1", {{"h", 10}}), 0.1);
  EXPECT_DOUBLE_EQ(size_of("d=8", {}), 8);
  EXPECT_EQ(parse_size_expression("d=n*m*n").value().parameters(), (std::vector<std::string>{"n", "m"}));
}

TEST(SizeExpression, RefusesWhatIsNone) {
  for (const char* text : {"", "n", "=n", "2=n", "d=", "d=n^", "d=n^x", "d=n**2", "d=n+1", "d=0*n", "d=-1*n", "d=n*",
                           "d=/n", "d=n^2^2", "d=(n)", "d= n"}) {
    EXPECT_FALSE(parse_size_expression(text)) << text;
  }
}

}  // namespace
}  // namespace scalediag::core
