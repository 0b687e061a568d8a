/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frame images, sections and a parameter by Tracy's macros:
 *	tracy_controls FRAMES		so many frames, each with an image of 8 x 4 pixels
 *	tracy_controls -		3 frames, then waits for a viewer to set "speed" to 42
 */
#define TRACY_ENABLE
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tracy/Tracy.hpp>
#include <unistd.h>

static std::atomic<int> speed{1};

static void on_parameter(void *data, uint32_t idx, int32_t value)
{
	if (idx == 5)
		*(std::atomic<int> *)data = value;
}

/* The left half has the frame's colour, the right half is black. */
static void frame_draw(int frame)
{
	unsigned char pixels[8 * 4 * 4];

	for (int i = 0; i < 8 * 4; i++) {
		unsigned char *p = pixels + 4 * i;

		memset(p, 0, 4);
		if (i % 8 < 4)
			p[frame % 3] = 255;
	}
	FrameImage(pixels, 8, 4, 0, frame % 2);
}

int main(int argc, char **argv)
{
	bool waits = argc > 1 && argv[1][0] == '-';
	int frames = waits || argc < 2 ? 3 : atoi(argv[1]);
	unsigned whole = TracySectionEnter("run of %d", frames);

	TracySectionSetup(2, "%s", "levels");
	TracyParameterRegister(on_parameter, &speed);
	TracyParameterSetup(5, "speed", TracyParamTypeInt, 1);
	for (int i = 0; i < frames; i++) {
		unsigned level = TracySectionEnterCategory(2, "level %d", i);

		FrameMark;
		frame_draw(i);
		{
			ZoneScopedN("draw");
		}
		TracySectionLeave(level);
	}
	while (waits && speed != 42)
		usleep(1000);
	TracySectionLeave(whole);
	printf("speed %d\n", speed.load());
	return 0;
}
