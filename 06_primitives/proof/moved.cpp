// What the kernels for rows of any length, address and distance move.
#include "common/see/moved.h"
#include "06_primitives/primitives.h"

namespace {

using namespace tutorial;
using trace::MovedCase;
using trace::Rows;

template <class T>
void add_cases(std::vector<MovedCase>& cases, const std::string& dtype, const std::string& name,
               const Rows& x_rows, const Rows& y_rows) {
  const auto add = [&](const char* operation, const auto& call) {
    MovedCase one(operation + (" " + dtype + ", ") + name);
    const auto x = one.tensor<const T>(x_rows);
    const auto y = one.tensor<T>(y_rows);
    one.call = [=] { return call(x, y); };
    cases.push_back(one);
  };
  add("softmax", [](auto x, auto y) { return softmax_rows<T>(x, y, nullptr); });
  add("running sums", [](auto x, auto y) { return cumsum_rows<T>(x, y, nullptr); });
  add("sort", [](auto x, auto y) { return sort_rows<T>(x, y, nullptr); });
  MovedCase sum("sum " + dtype + ", " + name);
  const auto x = sum.tensor<const T>(x_rows);
  const auto y = sum.tensor<T>({1, x_rows.rows, x_rows.rows});
  sum.call = [=] {
    return reduce<T>(Reduction::sum, x, 1, TensorView<T>{y.data, contiguous_layout({x_rows.rows})},
                     nullptr, 0, nullptr, 1);
  };
  cases.push_back(sum);
}

template <class T>
void add_type(std::vector<MovedCase>& cases, const std::string& dtype) {
  const Rows dense{8, 8192, 8192}, odd{8, 8191, 8191};
  add_cases<T>(cases, dtype, "odd rows", odd, odd);
  add_cases<T>(cases, dtype, "rows at 1", {8, 8192, 8192, 1}, dense);
  add_cases<T>(cases, dtype, "halves of rows", {8, 8192, 16384}, dense);
  add_cases<T>(cases, dtype, "padded rows", {8, 8191, 8200}, {8, 8191, 8200});
}

}  // namespace

int main() {
  std::vector<MovedCase> cases;
  add_type<half>(cases, "f16");
  add_type<float>(cases, "f32");
  return tutorial::trace::judge_moved(cases);
}
