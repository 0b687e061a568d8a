/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program written for Tracy, not for Tacho: it is compiled with include/tracy in place of Tracy's
 * own headers and linked with libtacho, and nothing in it is different.
 *
 *	tacho run -o tracy.tacho -- tracy
 */
#include <mutex>
#include <string>
#include <thread>
#include <tracy/Tracy.hpp>
#include <vector>

static TracyLockableN(std::mutex, basket_mutex, "basket");
static std::vector<int> basket;

static int collatz(int n)
{
	ZoneScopedN("collatz");
	int steps = 0;

	ZoneValue(n);
	for (long long x = n; x != 1; steps++)
		x = x % 2 ? 3 * x + 1 : x / 2;
	return steps;
}

static void gather(int from, int to)
{
	ZoneScopedC(tracy::Color::ForestGreen);
	const std::string range = std::to_string(from) + " to " + std::to_string(to);

	ZoneText(range.c_str(), range.size());
	for (int n = from; n < to; n++) {
		const int steps = collatz(n);
		std::lock_guard<LockableBase(std::mutex)> hold(basket_mutex);

		LockMark(basket_mutex);
		basket.push_back(steps);
		TracyPlot("basket", (int64_t)basket.size());
	}
}

int main()
{
	std::vector<std::thread> threads;

	tracy::SetThreadName("main");
	TracyAppInfo("numbers in a basket", 19);
	TracyMessageL("start");
	for (int i = 0; i < 3; i++)
		threads.emplace_back([i] {
			const std::string name = "gatherer " + std::to_string(i);

			tracy::SetThreadName(name.c_str());
			gather(1 + i * 200, 1 + (i + 1) * 200);
		});
	for (auto &thread : threads)
		thread.join();
	FrameMark;
	TracyMessageL("done");
	return basket.size() == 600 ? 0 : 1;
}
