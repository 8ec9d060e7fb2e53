// What the kernels for arrays that begin anywhere, and for tensors of any strides, move.
#include "common/see/moved.h"
#include "common/test/any_address_kernels.h"
#include "common/test/strided_kernels.h"

#include <array>

namespace {

using namespace tutorial;
using trace::MovedCase;
using trace::Rows;

template <class T>
void add_cases(std::vector<MovedCase>& cases, const std::string& dtype) {
  constexpr std::int64_t kCount = 1 << 17;
  const auto line = [](std::int64_t at) { return Rows{1, kCount, kCount, at}; };
  for (const auto& [x_at, y_at] : {std::array{0, 0}, {1, 1}, {1, 0}, {0, 3}, {2, 2}}) {
    MovedCase one("unary " + dtype + ", x at " + std::to_string(x_at) + ", y at " +
                  std::to_string(y_at));
    const auto x = one.tensor<const T>(line(x_at));
    const auto y = one.tensor<T>(line(y_at));
    one.call = [=] { return test::negate(x.data, y.data, kCount, nullptr); };
    cases.push_back(one);
  }
  const auto binary = [&](const char* name, const Rows& a_rows, const Rows& b_rows,
                          const Rows& y_rows) {
    MovedCase one("binary " + dtype + ", " + name);
    const auto a = one.tensor<const T>(a_rows), b = one.tensor<const T>(b_rows);
    const auto y = one.tensor<T>(y_rows);
    one.call = [=] { return test::minus_twice(a, b, y, 0); };
    cases.push_back(one);
  };
  binary("at 1, 2 and 3", line(1), line(2), line(3));
  const Rows dense{128, 1024, 1024}, padded{128, 1024, 1032}, half{128, 1024, 2048};
  binary("padded rows", padded, padded, dense);
  binary("into padded rows", dense, dense, padded);
  binary("halves of rows", half, half, dense);
  binary("halves of rows of odd length", {128, 1023, 2046}, {128, 1023, 2046, 1023},
         {128, 1023, 1023});
  binary("odd rows", {128, 1023, 1024}, {128, 1023, 1025}, {128, 1023, 1023});
}

}  // namespace

int main() {
  std::vector<MovedCase> cases;
  add_cases<half>(cases, "f16");
  add_cases<float>(cases, "f32");
  return tutorial::trace::judge_moved(cases);
}
