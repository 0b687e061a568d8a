// SPDX-License-Identifier: Apache-2.0
// Samples of a program that throws: through twenty frames, in destructors and in what catches.
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace
{

volatile double sink;

unsigned long long cpu_now()
{
	timespec ts;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return static_cast<unsigned long long>(ts.tv_sec) * 1000000000u +
	       static_cast<unsigned long long>(ts.tv_nsec);
}

struct Cleaner {
	__attribute__((noinline)) ~Cleaner()
	{
		for (int i = 0; i < 200; i++)
			sink = sink * 1.0000001 + i;
	}
};

__attribute__((noinline)) void thrown_down(unsigned depth)
{
	Cleaner cleaner;
	if (!depth)
		throw static_cast<int>(sink > 0) + 1;
	thrown_down(depth - 1);
	sink = sink + 1;
}

__attribute__((noinline)) void thrown_caught()
{
	try {
		thrown_down(20);
	} catch (int n) {
		sink = sink + n * 1e-9;
	}
}

} // namespace

int main(int argc, char **argv)
{
	unsigned long long ms = argc > 1 ? strtoull(argv[1], nullptr, 10) : 500;
	unsigned long long end = cpu_now() + ms * 1000000;

	while (cpu_now() < end)
		thrown_caught();
	return 0;
}
