// Integer functions, against the same written out.
// prints: brev\(1\) = 80000000
#include "expect.h"

__global__ void try_out(int* wrong, unsigned* shown) {
  int wrong_count = 0;
  const unsigned values[] = {0, 1, 2, 0x80000000, 0xffffffff, 0x12345678, 0x7fffffff, 0xff00aa55};
  for (unsigned a : values) {
    unsigned bits = 0, reversed = 0;
    for (int i = 0; i < 32; ++i) {
      bits += a >> i & 1;
      reversed |= (a >> i & 1) << (31 - i);
    }
    const unsigned long long wide = a * 0x100000001ull;
    EXPECT(__popc(a) == bits && __popcll(wide) == 2 * bits);
    EXPECT(__brev(a) == reversed && __brevll(wide) == reversed * 0x100000001ull);
    EXPECT(__clz(a) == (a ? 31 - __ffs(__brev(__brev(a) & -__brev(a))) + 1 : 32));
    EXPECT(__clzll(a) == 32 + __clz(a) && __ffsll(wide << 32) == (a ? __ffs(a) + 32 : 0));
    for (unsigned b : values) {
      const long long x = (int)a, y = (int)b;
      EXPECT(__mulhi((int)a, (int)b) == (int)(x * y >> 32));
      EXPECT(__umulhi(a, b) == (unsigned)((unsigned long long)a * b >> 32));
      EXPECT(__umul64hi(wide, b) == (unsigned long long)((unsigned __int128)wide * b >> 64));
      EXPECT(__mul64hi(x * (1LL << 32), y * (1LL << 32)) == x * y);
      EXPECT(__umul24(a, b) == (unsigned)((a & 0xffffffull) * (b & 0xffffff)));
      EXPECT(__mul24(5, -7) == -35 && __mul24(1 << 24, 3) == 0);
      EXPECT(__sad((int)a, (int)b, 3) == (unsigned)((x > y ? x - y : y - x) + 3));
      EXPECT(__usad(a, b, 3) == (a > b ? a - b : b - a) + 3);
      EXPECT(__hadd((int)a, (int)b) == (int)((x + y) >> 1));
      EXPECT(__rhadd((int)a, (int)b) == (int)((x + y + 1) >> 1));
      EXPECT(__uhadd(a, b) == (unsigned)(((unsigned long long)a + b) / 2));
      for (unsigned shift : {0u, 1u, 9u, 31u}) {
        const unsigned long long both = (unsigned long long)b << 32 | a;
        EXPECT(__funnelshift_l(a, b, shift) == (unsigned)(both << shift >> 32));
        EXPECT(__funnelshift_r(a, b, shift) == (unsigned)(both >> shift));
        EXPECT(__funnelshift_lc(a, b, 32 + shift) == a && __funnelshift_rc(a, b, 32 + shift) == b);
      }
      EXPECT(min((int)a, (int)b) == (x < y ? x : y) && max(a, b) == (a > b ? a : b));
      EXPECT(umin(a, b) == min(a, b) && min((int)a, b) == min(a, b));
      unsigned sum = 0, dot = 7;
      for (int i = 0; i < 32; i += 8) {
        sum |= ((a >> i) + (b >> i) & 0xff) << i;
        dot += (a >> i & 0xff) * (b >> i & 0xff);
      }
      EXPECT(__vadd4(a, b) == sum && __dp4a(a, b, 7u) == dot);
    }
  }
  EXPECT(__byte_perm(0x33221100, 0x77665544, 0x7041) == 0x77004411);
  EXPECT(__dp4a(0x01ff02fe, 0x01010101, 0) == 1 - 1 + 2 - 2);
  EXPECT(__hiloint2double(__double2hiint(-1.5), __double2loint(-1.5)) == -1.5);
  EXPECT(min(3ll, 4ll) == 3 && max(2ull, 1ll) == 2 && min(1.5f, 2.0) == 1.5);
  *wrong = wrong_count;
  *shown = __brev(1);
}

int main() {
  int* wrong;
  unsigned* shown;
  EXPECT(cudaMallocManaged(&wrong, 4) == cudaSuccess);
  EXPECT(cudaMallocManaged(&shown, 4) == cudaSuccess);
  try_out<<<1, 1>>>(wrong, shown);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  std::printf("brev(1) = %x\n", *shown);
  return wrong_count + *wrong;
}
