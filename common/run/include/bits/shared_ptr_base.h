// The only header of libstdc++ in which a macro of CUDA's name is an attribute.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
