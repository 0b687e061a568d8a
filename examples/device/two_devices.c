/* Two devices in one program: what one has computed goes through the host to the other. */
#include "example.h"

#define PAGE 1024u

/* Copies page 0 of buffer A to B on core 0,0 of a device. */
static void copy(struct tacho_device *device, struct tacho_buffer *a, struct tacho_buffer *b)
{
	uint32_t args[] = {tacho_buffer_address(a), tacho_buffer_address(b), PAGE, 0, 1, 1};
	struct tacho_program *program;
	int kernel;

	check(tacho_program_new(&program, device));
	kernel = check(tacho_program_kernel(program, &(struct tacho_kernel){
							     .source = KERNEL("copy.c"),
							     .risc = TACHO_NCRISC,
							     .cores = one_core(0, 0),
						     }));
	check(tacho_program_args(program, kernel, (struct tacho_core){0, 0}, args, 6));
	check(tacho_enqueue(device, program));
	check(tacho_finish(device));
	tacho_program_free(program);
}

int main(void)
{
	uint8_t in[PAGE], out[PAGE] = {0};
	struct tacho_device *device[2];
	struct tacho_buffer *a[2], *b[2];

	for (unsigned i = 0; i < PAGE; i++)
		in[i] = (uint8_t)(i ^ 0x5a);
	for (int i = 0; i < 2; i++) {
		struct tacho_device_info info;

		check(tacho_device_open(&device[i], NULL));
		tacho_device_info(device[i], &info);
		check(tacho_buffer_new(&a[i], device[i], TACHO_DRAM, PAGE, PAGE));
		check(tacho_buffer_new(&b[i], device[i], TACHO_DRAM, PAGE, PAGE));
		printf("device %u: %s, %u cores\n", info.number, info.arch, info.cores);
	}
	check(tacho_buffer_write(a[0], 0, in, PAGE));
	copy(device[0], a[0], b[0]);
	check(tacho_buffer_read(b[0], 0, out, PAGE));
	check(tacho_buffer_write(a[1], 0, out, PAGE));
	memset(out, 0, PAGE);
	copy(device[1], a[1], b[1]);
	check(tacho_buffer_read(b[1], 0, out, PAGE));
	printf("%u bytes over two devices: %s\n", PAGE, memcmp(in, out, PAGE) ? "WRONG" : "right");
	for (int i = 0; i < 2; i++) {
		tacho_buffer_free(a[i]);
		tacho_buffer_free(b[i]);
		tacho_device_close(device[i]);
	}
	return memcmp(in, out, PAGE) != 0;
}
