// The arithmetic of every kernel of this chapter: logic, comparisons, and the meanings of "equal".
#pragma once

#include <cfloat>

#include "05_logical_relation/launchers/op.h"
#include "common/macros.cuh"
#include "common/pack.cuh"

namespace tutorial {

// ---- Logic on truth bits -----------------------------------------------------------------------
// Each operates on all bits of a word, so the same functor serves one truth value in a register and
// four: the same bit of each byte must carry the truth.

struct And {
  __device__ __forceinline__ unsigned operator()(unsigned a, unsigned b) const { return a & b; }
};
struct Or {
  __device__ __forceinline__ unsigned operator()(unsigned a, unsigned b) const { return a | b; }
};
struct Xor {
  __device__ __forceinline__ unsigned operator()(unsigned a, unsigned b) const { return a ^ b; }
};
struct Not {
  __device__ __forceinline__ unsigned operator()(unsigned a) const { return ~a; }
};

/// Any of the three, chosen at run time.
struct AnyLogical {
  LogicalOp op;

  __device__ __forceinline__ unsigned operator()(unsigned a, unsigned b) const {
    switch (op) {
      case LogicalOp::And:
        return And{}(a, b);
      case LogicalOp::Or:
        return Or{}(a, b);
      default:
        return Xor{}(a, b);
    }
  }
};

struct LogicalPacks;  // below

/// The operation on bytes: each operand becomes 0 or 1, and the lowest bit is the answer.
template <class Op>
struct OnBytes {
  using Packs = LogicalPacks;
  Op op;
  __device__ __forceinline__ Byte operator()(Byte a, Byte b) const {
    return static_cast<Byte>(op(a != 0 ? 1u : 0u, b != 0 ? 1u : 0u) & 1u);
  }
  __device__ __forceinline__ Byte operator()(Byte a) const {
    return static_cast<Byte>(op(a != 0 ? 1u : 0u) & 1u);
  }
};

/// The operation on numbers of any type: any but 0 is true, a NaN as well.
template <class T, class Op>
struct OnNumbers {
  using Packs = ElementByElement;
  Op op;
  __device__ __forceinline__ Byte operator()(T a, T b) const {
    return static_cast<Byte>(op(is_true(a), is_true(b)) & 1u);
  }
  __device__ __forceinline__ Byte operator()(T a) const {
    return static_cast<Byte>(op(is_true(a)) & 1u);
  }

 private:
  __device__ __forceinline__ static unsigned is_true(T value) {
    return value == static_cast<T>(0.0f) ? 0u : 1u;
  }
};
template <class Op>
struct OnNumbers<Byte, Op> : OnBytes<Op> {};

/// y = c ? a : b.
struct Choose {
  template <class T>
  __device__ __forceinline__ T operator()(Byte c, T a, T b) const {
    return c != 0 ? a : b;
  }
};

// SIMD within a register: four bytes of a word at once, without a test of any single byte.
//
// In truth_bits(), bit 7 of each byte says whether the byte is not zero. The low seven bits plus
// 127 carry into bit 7 if any of them is set, and never beyond it, so no byte disturbs its
// neighbour; the byte's own bit 7 is added by `|`. The other bits have no meaning, and to_bools()
// masks them.
__device__ __forceinline__ unsigned truth_bits(unsigned four) {
  return ((four & 0x7f7f7f7fu) + 0x7f7f7f7fu) | four;
}
__device__ __forceinline__ unsigned to_bools(unsigned truth) { return truth >> 7 & 0x01010101u; }

template <class Op>
__device__ __forceinline__ unsigned logical_four(Op op, unsigned a, unsigned b) {
  return to_bools(op(truth_bits(a), truth_bits(b)));
}
template <class Op>
__device__ __forceinline__ unsigned logical_four(Op op, unsigned a) {
  return to_bools(op(truth_bits(a)));
}

// ---- Relations ---------------------------------------------------------------------------------
// operator() compares two numbers. mask() compares two pairs of 16-bit floats at once; the answers
// are 0xffff or 0 in each half of a word.
//
// Less and LessOrEqual are Greater and GreaterOrEqual with the operands exchanged, which the
// launchers do. NotEqual is the complement of Equal: its intrinsic is __hneu2_mask, u for
// "unordered". The one without the u answers false for a NaN.

struct Equal {
  template <class T>
  __device__ __forceinline__ bool operator()(T a, T b) const {
    return a == b;
  }
  template <class P>
  __device__ __forceinline__ static unsigned mask(P a, P b) {
    return __heq2_mask(a, b);
  }
};
struct NotEqual {
  template <class T>
  __device__ __forceinline__ bool operator()(T a, T b) const {
    return !(a == b);
  }
  template <class P>
  __device__ __forceinline__ static unsigned mask(P a, P b) {
    return __hneu2_mask(a, b);
  }
};
struct Greater {
  template <class T>
  __device__ __forceinline__ bool operator()(T a, T b) const {
    return a > b;
  }
  template <class P>
  __device__ __forceinline__ static unsigned mask(P a, P b) {
    return __hgt2_mask(a, b);
  }
};
struct GreaterOrEqual {
  template <class T>
  __device__ __forceinline__ bool operator()(T a, T b) const {
    return a >= b;
  }
  template <class P>
  __device__ __forceinline__ static unsigned mask(P a, P b) {
    return __hge2_mask(a, b);
  }
};

/// Any of the six, chosen at run time: for kernels in which the choice does not matter.
struct AnyRelation {
  RelationOp op;

  template <class T>
  __device__ __forceinline__ bool operator()(T a, T b) const {
    switch (op) {
      case RelationOp::Equal:
        return Equal{}(a, b);
      case RelationOp::NotEqual:
        return NotEqual{}(a, b);
      case RelationOp::Greater:
        return Greater{}(a, b);
      case RelationOp::GreaterOrEqual:
        return GreaterOrEqual{}(a, b);
      case RelationOp::Less:
        return Greater{}(b, a);
      default:
        return GreaterOrEqual{}(b, a);
    }
  }
};

/// An answer as it is stored: one byte.
template <class Op>
struct AsByte {
  using Packs = ElementByElement;
  Op op;
  template <class T>
  __device__ __forceinline__ Byte operator()(T a, T b) const {
    return op(a, b) ? 1 : 0;
  }
};

/// N answers of an operation on numbers, one byte each, the first in the lowest: one by one.
template <class Op>
struct OneByOne {
  Op op;

  template <class T>
  __device__ __forceinline__ bool one(T a, T b) const {
    return op(a, b);
  }
  template <int N, class T>
  __device__ __forceinline__ unsigned compare(const T* a, const T* b) const {
    unsigned word = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      word |= op(a[k], b[k]) ? 1u << 8 * k : 0u;
    }
    return word;
  }
};

/// The same for 16-bit floats, two at a time: two masks, and one PRMT that picks one byte of each
/// of their four halves.
template <class Op>
struct TwoByTwo {
  Op op;

  template <class T>
  __device__ __forceinline__ bool one(T a, T b) const {
    return op(a, b);
  }
  //! [two_masks]
  template <int N>
  __device__ __forceinline__ unsigned compare(const half* a, const half* b) const {
    static_assert(N == 4, "two masks make one word");
    return four(op.mask(HALF2(a[0]), HALF2(b[0])), op.mask(HALF2(a[2]), HALF2(b[2])));
  }
  //! [two_masks]
  template <int N>
  __device__ __forceinline__ unsigned compare(const __nv_bfloat16* a,
                                              const __nv_bfloat16* b) const {
    static_assert(N == 4, "two masks make one word");
    return four(op.mask(BFLOAT162(a[0]), BFLOAT162(b[0])),
                op.mask(BFLOAT162(a[2]), BFLOAT162(b[2])));
  }

 private:
  //! [four_answers]
  __device__ __forceinline__ static unsigned four(unsigned low, unsigned high) {
    return __byte_perm(low, high, 0x6420) & 0x01010101u;  // bytes 0 and 2 of both
  }
  //! [four_answers]
};

/// And, Or and Xor of numbers: a byte of each operand says whether it is true, and the operation, chosen
/// at run time, takes a word of them at once.
struct TruthByTruth {
  AnyLogical op;

  template <class T>
  __device__ __forceinline__ bool one(T a, T b) const {
    return OnNumbers<T, AnyLogical>{op}(a, b) != 0;
  }
  template <int N, class T>
  __device__ __forceinline__ unsigned compare(const T* a, const T* b) const {
    using Each = std::conditional_t<sizeof(T) == 2, TwoByTwo<NotEqual>, OneByOne<NotEqual>>;
    alignas(16) T zeros[N];
#pragma unroll
    for (int k = 0; k < N; ++k) zeros[k] = static_cast<T>(0.0f);
    return op(Each{}.template compare<N>(a, zeros), Each{}.template compare<N>(b, zeros));
  }
};

/// TwoByTwo for 16-bit floats, OneByOne for every other type.
template <class T, class Op>
struct BestAnswersOf {
  using type = OneByOne<Op>;
};
template <class Op>
struct BestAnswersOf<half, Op> {
  using type = TwoByTwo<Op>;
};
template <class Op>
struct BestAnswersOf<__nv_bfloat16, Op> {
  using type = TwoByTwo<Op>;
};
template <class T, class Op>
using BestAnswers = typename BestAnswersOf<T, Op>::type;

/// Four answers in bytes (0 or 1, the first in the lowest) as four bits: the multiplication adds
/// shifted copies of the word, so that bits 0, 8, 16, 24 arrive at 24, 25, 26, 27.
//! [four_bits]
__device__ __forceinline__ unsigned four_bits(unsigned bools) { return bools * 0x01020408u >> 24; }
//! [four_bits]

// ---- Packs -------------------------------------------------------------------------------------
// How the broadcasting kernels (common/broadcast.cuh) treat packs with this chapter's operations:
// they choose the operation once for a pack and compute four answers at a time.

template <class Op, class In, int N>
__device__ __forceinline__ Pack<Byte, N> pack_answers(const Pack<In, N>& a, const Pack<In, N>& b,
                                                      unsigned turn) {
  Pack<Byte, N> result;
  if constexpr (N % 4 == 0) {
#pragma unroll
    for (int k = 0; k < N; k += 4) {
      LDST32BITS(result.at[k]) =
          BestAnswers<In, Op>{}.template compare<4>(&a.at[k], &b.at[k]) ^ turn;
    }
  } else {
#pragma unroll
    for (int k = 0; k < N; ++k) {
      result.at[k] = static_cast<Byte>((Op{}(a.at[k], b.at[k]) ? 1u : 0u) ^ (turn & 1u));
    }
  }
  return result;
}

/// A relation that the compiler knows. `turn` is 0x01010101 to invert four answers, else 0.
template <class Relation>
struct KnownRelation {
  struct Packs {
    template <class Out, class In, int N>
    __device__ __forceinline__ static Pack<Out, N> apply(KnownRelation relation,
                                                         const Pack<In, N>& a,
                                                         const Pack<In, N>& b) {
      return pack_answers<Relation>(a, b, relation.turn);
    }
  };
  unsigned turn;
};

/// Of a relation that the compiler does not know.
struct RelationPacks {
  /// The choice in the kernel, once for a pack.
  template <class Out, class Chosen, class In, int N>
  __device__ __forceinline__ static Pack<Out, N> apply(Chosen relation, const Pack<In, N>& a,
                                                       const Pack<In, N>& b) {
    if (relation.op == RelationOp::Equal) return pack_answers<Equal>(a, b, relation.turn);
    if (std::is_integral_v<In> || relation.op == RelationOp::Greater) {
      return pack_answers<Greater>(a, b, relation.turn);
    }
    return pack_answers<GreaterOrEqual>(a, b, relation.turn);
  }

  /// The choice on the host, for the kernels that most shapes use.
  template <class In, class Chosen, class F>
  static cudaError_t with_known(Chosen relation, F&& f) {
    if (relation.op == RelationOp::Equal) return f(KnownRelation<Equal>{relation.turn});
    if constexpr (!std::is_integral_v<In>) {
      if (relation.op == RelationOp::GreaterOrEqual) {
        return f(KnownRelation<GreaterOrEqual>{relation.turn});
      }
    }
    return f(KnownRelation<Greater>{relation.turn});
  }
};

/// The operation of the broadcasting kernels: Equal, Greater, and of floats GreaterOrEqual. That is
/// enough, because a < b is b > a with the operands exchanged, and not-equal is equal with every
/// answer inverted. Integers have no NaN, so a >= b is b > a inverted.
struct BroadcastRelation {
  using Packs = RelationPacks;
  RelationOp op;
  unsigned turn;

  template <class T>
  __device__ __forceinline__ Byte operator()(T a, T b) const {
    return static_cast<Byte>((AnyRelation{op}(a, b) ? 1u : 0u) ^ (turn & 1u));
  }
};

struct ReducedRelation {
  BroadcastRelation relation;
  bool swapped;  ///< in1 is the first operand
};

template <class T>
constexpr ReducedRelation reduced(RelationOp op) {
  constexpr bool has_nan = !std::is_integral_v<T>;
  constexpr unsigned kTurned = 0x01010101;
  switch (op) {
    case RelationOp::Equal:
      return {{RelationOp::Equal, 0}, false};
    case RelationOp::NotEqual:
      return {{RelationOp::Equal, kTurned}, false};
    case RelationOp::Greater:
      return {{RelationOp::Greater, 0}, false};
    case RelationOp::Less:
      return {{RelationOp::Greater, 0}, true};
    case RelationOp::GreaterOrEqual:
      if (has_nan) return {{RelationOp::GreaterOrEqual, 0}, false};
      return {{RelationOp::Greater, kTurned}, true};
    default:
      if (has_nan) return {{RelationOp::GreaterOrEqual, 0}, true};
      return {{RelationOp::Greater, kTurned}, false};
  }
}

/// Four truth values in a register at a time.
struct LogicalPacks : ElementByElement {
  template <class Out, class Op, int N>
  __device__ __forceinline__ static Pack<Out, N> apply(Op op, const Pack<Byte, N>& a,
                                                       const Pack<Byte, N>& b) {
    if constexpr (N % 4 != 0) {
      return ElementByElement::apply<Out>(op, a, b);
    } else {
      Pack<Out, N> result;
#pragma unroll
      for (int k = 0; k < N; k += 4) {
        LDST32BITS(result.at[k]) = logical_four(op.op, LDST32BITS(a.at[k]), LDST32BITS(b.at[k]));
      }
      return result;
    }
  }
};

// ---- What equality means -----------------------------------------------------------------------

struct ExactlyEqual {
  __device__ __forceinline__ bool operator()(float a, float b) const { return a == b; }
};

__device__ __forceinline__ bool is_finite(float x) { return fabsf(x) <= FLT_MAX; }

/// a == b first: inf - inf is NaN, and no NaN is below a tolerance.
struct AbsolutelyClose {
  float tolerance;
  __device__ __forceinline__ bool operator()(float a, float b) const {
    return a == b || fabsf(a - b) < tolerance;
  }
};

//! [relatively]
/// Without the is_finite line inf would be close to everything: inf <= tolerance * inf.
struct RelativelyClose {
  float tolerance;
  __device__ __forceinline__ bool operator()(float a, float b) const {
    const float larger = fmaxf(fabsf(a), fabsf(b));
    if (!is_finite(larger)) return a == b;
    return a == b || fabsf(a - b) <= tolerance * larger;
  }
};
//! [relatively]

/// A float's bits without the sign count the floats from zero to it, so floats in order are
/// integers in order. Infinity is excluded: the largest float is one step from it, and not equal.
struct WithinUlps {
  unsigned ulps;
  __device__ __forceinline__ static int order(float x) {
    const unsigned bits = __float_as_uint(x);
    const int magnitude = static_cast<int>(bits & 0x7fffffffu);
    return bits >> 31 != 0 ? -magnitude : magnitude;
  }
  __device__ __forceinline__ bool operator()(float a, float b) const {
    if (!(is_finite(a) && is_finite(b))) return a == b;
    const int from = order(a), to = order(b);
    const unsigned steps = from < to ? static_cast<unsigned>(to) - static_cast<unsigned>(from)
                                     : static_cast<unsigned>(from) - static_cast<unsigned>(to);
    return steps <= ulps;
  }
};

/// Any of the four, chosen at run time.
struct AnyEquality {
  Equality policy;

  __device__ __forceinline__ bool operator()(float a, float b) const {
    switch (policy.kind) {
      case Equality::Kind::absolute:
        return AbsolutelyClose{policy.tolerance}(a, b);
      case Equality::Kind::relative:
        return RelativelyClose{policy.tolerance}(a, b);
      case Equality::Kind::ulp:
        return WithinUlps{static_cast<unsigned>(policy.tolerance)}(a, b);
      default:
        return ExactlyEqual{}(a, b);
    }
  }
};

}  // namespace tutorial
