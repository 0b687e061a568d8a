#ifndef TACHO_KERNEL_SFPU_H
#define TACHO_KERNEL_SFPU_H
namespace ckernel
{
#define TACHO_UNARY(name, number)                                                     \
	template <class... A> ALWI void name##_tile_init(A &&...)                     \
	{                                                                             \
	}                                                                             \
	template <auto... o, class... A> ALWI void name##_tile(uint32_t dst, A &&...) \
	{                                                                             \
		MATH(TE_PUSH(TE_SFPU, (number) << 8 | dst));                          \
	}
TACHO_UNARY(relu, 0u)
TACHO_UNARY(gelu, 1u)
TACHO_UNARY(exp, 2u)
TACHO_UNARY(sqrt, 3u)
TACHO_UNARY(recip, 4u)
TACHO_UNARY(sigmoid, 5u)
} // namespace ckernel
#endif
