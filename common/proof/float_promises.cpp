// promises_of(): rungs of floats, judged by a formula in double.

#include "common/proof/inputs.h"
#include "common/proof/promises.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>

namespace tutorial::test {

namespace {

/// The NaN that buffers start with. No operation makes it: theirs have other payloads.
template <class T>
bool is_poison(T value) {
  return to_bits(value) == std::numeric_limits<Bits<T>>::max();
}

template <class T>
Promises::Judge judge_by(std::shared_ptr<const TiledReference<T>> tiled) {
  return [tiled = std::move(tiled)](const unsigned char* output, std::int64_t n) {
    const auto* y = reinterpret_cast<const T*>(output);
    const T* poisoned = std::find_if(y, y + n, is_poison<T>);
    return poisoned != y + n ? not_written(poisoned - y) : tiled->judge(y, n);
  };
}

/// The judges of all inputs, and of the first one as every input.
template <class T>
struct References {
  std::shared_ptr<const TiledReference<T>> tiled, same;
};

template <class T>
References<T> references_of(const FloatRung<T>& rung, const Formula& formula) {
  using Tiled = TiledReference<T>;
  const auto tiled = std::make_shared<const Tiled>(
      formula, tiles<T>(rung.inputs, Tiled::default_period), rung.max_ulp);
  if (rung.inputs == 1) return {tiled, nullptr};
  const std::vector<std::vector<T>> same(rung.inputs, tiled->tile());
  return {tiled, std::make_shared<const Tiled>(formula, same, rung.max_ulp)};
}

/// The last ones of a type are kept: most rungs of a ladder have the same. `function` is what tells one formula from another.
template <class T, class Function>
References<T> known_references(const FloatRung<T>& rung, const Formula& formula,
                               Function function) {
  static std::tuple<Function, std::size_t, double> last{};
  static References<T> references;
  const auto wanted = std::make_tuple(function, rung.inputs, rung.max_ulp);
  if (references.tiled == nullptr || last != wanted) {
    references = references_of(rung, formula);
    last = wanted;
  }
  return references;
}

std::string name_of_input(std::size_t input, std::size_t inputs) {
  return inputs == 1 ? "x" : std::string(1, static_cast<char>('a' + input));
}

}  // namespace

/// The arrays are typed on both sides of the trial, which holds bytes and pointers to them: an array
/// becomes bytes in input_array(), and typed again in `launch` and in judge_by().
template <class T>
Promises promises_by(const FloatRung<T>& rung, const References<T>& references) {
  const std::shared_ptr<const TiledReference<T>>& tiled = references.tiled;
  Promises promises;
  promises.sizes = n_ladder(rung.width);
  for (std::size_t i = 0; i < rung.inputs; ++i) {
    promises.inputs.push_back(input_array(name_of_input(i, rung.inputs),
                                          tiled->inputs(promises.sizes.back(), i), rung.alignment,
                                          true));
  }
  promises.out_element_bytes = sizeof(T);
  promises.out_alignment = rung.alignment;
  promises.out_bytes = [](std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(T); };
  promises.launch = [launch = rung.launch](const std::vector<const void*>& in, void* y,
                                           std::int64_t n, cudaStream_t stream) {
    std::vector<const T*> typed;
    for (const void* input : in) typed.push_back(static_cast<const T*>(input));
    return launch(typed, static_cast<T*>(y), n, stream);
  };
  promises.judge = judge_by<T>(tiled);
  if (references.same != nullptr) promises.judge_same_inputs = judge_by<T>(references.same);
  return promises;
}

template <class T>
Promises promises_of(const FloatRung<T>& rung, const Formula& formula) {
  using Function = double (*)(const double*);
  const Function* const function = formula.target<Function>();
  return promises_by(rung, function == nullptr ? references_of(rung, formula)
                                               : known_references(rung, formula, *function));
}

template <class T>
Promises promises_of(const UnaryRung<T>& rung, Reference reference) {
  const auto launch = [launch = rung.launch](const std::vector<const T*>& in, T* y, std::int64_t n,
                                             cudaStream_t stream) {
    return launch(in[0], y, n, stream);
  };
  const FloatRung<T> one{rung.name, 1, launch, rung.width, rung.alignment, rung.max_ulp};
  const auto formula = [reference](const double* x) { return reference(x[0]); };
  return promises_by(one, known_references(one, formula, reference));
}

template <class T>
Promises promises_of(const BinaryRung<T>& rung, BinaryReference reference) {
  const auto launch = [launch = rung.launch](const std::vector<const T*>& in, T* y, std::int64_t n,
                                             cudaStream_t stream) {
    return launch(in[0], in[1], y, n, stream);
  };
  const FloatRung<T> two{rung.name, 2, launch, rung.width, rung.alignment, rung.max_ulp};
  const auto formula = [reference](const double* x) { return reference(x[0], x[1]); };
  return promises_by(two, known_references(two, formula, reference));
}

#define TUTORIAL_INSTANTIATE(T)                                       \
  template Promises promises_of(const FloatRung<T>&, const Formula&); \
  template Promises promises_of(const UnaryRung<T>&, Reference);      \
  template Promises promises_of(const BinaryRung<T>&, BinaryReference);
TUTORIAL_FOR_ALL_FLOATS(TUTORIAL_INSTANTIATE)
#undef TUTORIAL_INSTANTIATE

}  // namespace tutorial::test
