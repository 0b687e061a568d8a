/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trains a character GPT on the software device, every op a program of real kernels, with the marks
 * that tt-train's nano_gpt makes: signposts, marker ops and dumps of the device's log at each step.
 *
 *	$ python -m tracy -r -v -p build/tt-train/sources/examples/nano_gpt/nano_gpt
 */
#include "config.h"
#include "text.h"

#include <tacho/tacho.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct run {
	struct config config;
	struct nn nn;
	struct gpt gpt;
	struct text text;
	uint32_t *ids, *targets;
	bool profiled, naive; /* marker ops are made; lines are printed instead */
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Marks a place in the report, and with DUMP completes the logs up to it. */
static void run_mark(struct run *r, const char *identifier, bool dump, unsigned noops)
{
	if (r->naive) {
		struct timespec t;

		nn_finish(&r->nn);
		clock_gettime(CLOCK_REALTIME, &t);
		printf("[NAIVE_PROFILER] %s timestamp_us=%llu\n", identifier,
		       (unsigned long long)t.tv_sec * 1000000 +
			       (unsigned long long)t.tv_nsec / 1000);
		return;
	}
	if (!r->profiled)
		return;
	train_marker(&r->nn, &r->gpt.point, identifier, noops);
	if (dump && r->config.log != LOG_NONE)
		if (tacho_profiler_dump(r->nn.device) < 0)
			gpt_fail("%s", tacho_device_error());
	train_marker(&r->nn, &r->gpt.point, identifier, noops);
}

/* Of a run of COUNT steps that has done N. */
static float rate_at(const struct config *c, uint32_t n, uint32_t count)
{
	uint32_t warmup = count / 10 ? count / 10 : 1;

	if (!c->warmup)
		return c->optimizer.lr;
	if (n < warmup)
		return c->optimizer.lr * (float)n / (float)warmup;
	return c->optimizer.lr * (1 - 0.99f * (float)(n - warmup) / (float)(count - warmup + 1));
}

static void run_load(struct run *r)
{
	const struct gpt_shape *s = &r->config.shape;

	TACHO_ZONE("dataloader");
	text_batch(&r->text, s->batch, s->sequence, r->ids, r->targets);
	gpt_load(&r->gpt, r->ids, r->targets);
}

/* One step; STEP counts from 1. Returns the loss. */
static float run_step(struct run *r, uint32_t step, uint32_t first, uint32_t last)
{
	struct train_adamw how = r->config.optimizer;
	char text[64];
	float loss;

	TACHO_ZONE("step");
	run_load(r);
	run_mark(r, "dataloader_step_done", false, r->config.noops);
	{
		TACHO_ZONE("forward");
		gpt_forward(&r->gpt);
		loss = gpt_loss(&r->gpt);
	}
	run_mark(r, "forward_pass_done", false, r->config.noops);
	{
		TACHO_ZONE("backward");
		gpt_backward(&r->gpt);
		nn_finish(&r->nn);
	}
	run_mark(r, "backward_pass_done", false, r->config.noops);
	run_mark(r, "gradient_sync_done", false, r->config.noops); /* one device: nothing to do */
	{
		TACHO_ZONE("optimizer");
		how.lr = rate_at(&r->config, step - first, last - first + 1);
		how.beta1_power = pow((double)how.beta1, step);
		how.beta2_power = pow((double)how.beta2, step);
		gpt_step(&r->gpt, &how);
		nn_finish(&r->nn);
	}
	run_mark(r, "optimizer_step_done", false, r->config.noops);
	snprintf(text, sizeof(text), "iteration_%u", step);
	run_mark(r, text, r->config.log == LOG_EVERY || step == last, r->config.noops);
	if (step == first)
		run_mark(r, "compilation_finished", false, r->config.noops);
	return loss;
}

static void run_train(struct run *r, uint32_t done)
{
	double start = now_ms();
	float loss = NAN;

	for (uint32_t step = done + 1; step <= done + r->config.steps; step++) {
		double before = now_ms();
		char header[32], message[32];

		/* At the beginning, so that what is after the last one is a whole step. */
		snprintf(header, sizeof(header), "step %u", step);
		snprintf(message, sizeof(message), "loss %.4f", (double)loss);
		tacho_signpost(header, step == done + 1 ? NULL : message);
		loss = run_step(r, step, done + 1, done + r->config.steps);
		tacho_plot_double("loss", (double)loss);
		TACHO_MESSAGEF("step %u: loss %.4f", step, (double)loss);
		tacho_frame(NULL);
		printf("Step: %u, Loss: %.6f, Time: %.1f ms, cache entries: %u\n", step,
		       (double)loss, now_ms() - before, r->nn.program_count);
		fflush(stdout);
		if (!isfinite(loss))
			gpt_fail("the loss of step %u is not finite", step);
	}
	printf("%u Steps training time: %.2f s, cache entries: %u\n", r->config.steps,
	       (now_ms() - start) / 1e3, r->nn.program_count);
}

/* Generates characters, each the most likely one after all before it. */
static void run_sample(struct run *r)
{
	const struct gpt_shape *s = &r->config.shape;
	uint32_t columns = r->gpt.logits.shape[3], length = 1;
	float *logits = calloc((size_t)s->batch * s->sequence * columns, sizeof(*logits));

	if (!logits)
		gpt_fail("no memory");
	memset(r->ids, 0, sizeof(*r->ids) * s->batch * s->sequence);
	r->ids[0] = r->text.ids[0];
	for (unsigned i = 0; i < r->config.sample; i++) {
		const float *row;
		uint32_t best = 0;

		if (length == s->sequence) {
			memmove(r->ids, r->ids + s->sequence / 2,
				sizeof(*r->ids) * s->sequence / 2);
			length = s->sequence / 2;
		}
		gpt_load(&r->gpt, r->ids, NULL);
		gpt_forward(&r->gpt);
		nn_read(&r->nn, &r->gpt.logits, logits);
		row = logits + (size_t)(length - 1) * columns;
		for (uint32_t k = 1; k < s->vocabulary; k++)
			if (row[k] > row[best])
				best = k;
		r->ids[length++] = best;
		putchar(best < r->text.symbols ? r->text.symbol[best] : '?');
	}
	putchar('\n');
	free(logits);
}

static void run_open(struct run *r)
{
	struct gpt_shape *s = &r->config.shape;
	const char *profiler = getenv("TT_METAL_DEVICE_PROFILER");

	r->profiled = profiler && !strcmp(profiler, "1");
	r->naive = getenv("TTML_NAIVE_PROFILER") != NULL;
	text_open(&r->text, *r->config.data ? r->config.data : NULL, r->config.seed);
	if (r->text.length <= s->sequence)
		gpt_fail("the text has %zu characters, a sequence %u", r->text.length, s->sequence);
	if (!s->vocabulary)
		s->vocabulary = r->text.symbols;
	if (s->vocabulary < r->text.symbols)
		gpt_fail("the text has %u symbols, the vocabulary %u", r->text.symbols,
			 s->vocabulary);
	r->ids = calloc((size_t)s->batch * s->sequence, sizeof(*r->ids));
	r->targets = calloc((size_t)s->batch * s->sequence, sizeof(*r->targets));
	if (!r->ids || !r->targets)
		gpt_fail("no memory");
	r->nn.l1 = r->config.l1;
	r->nn.share = r->config.share;
	train_open(&r->nn);
	gpt_new(&r->gpt, &r->nn, s, r->config.seed);
	r->gpt.zones = r->config.zones && r->profiled;
}

int main(int argc, char **argv)
{
	static struct run r;
	struct config *c = &r.config;
	uint32_t done = 0;

	config_default(c);
	config_options(c, argc, argv);
	run_open(&r);
	printf("%s: %u blocks, %u heads, %u dimensions, sequences of %u, batches of %u, "
	       "%u symbols, seed %llu\n",
	       c->name, c->shape.blocks, c->shape.heads, c->shape.dim, c->shape.sequence,
	       c->shape.batch, c->shape.vocabulary, (unsigned long long)c->seed);
	printf("AdamW: lr %g, beta1 %g, beta2 %g, epsilon %g, weight decay %g; scheduler %s\n",
	       (double)c->optimizer.lr, (double)c->optimizer.beta1, (double)c->optimizer.beta2,
	       (double)c->optimizer.epsilon, (double)c->optimizer.weight_decay,
	       c->warmup ? "warmup_linear" : "identity");
	printf("Number of parameters: %llu\n", (unsigned long long)gpt_volume(&r.gpt));
	if (c->track_memory)
		printf("Tensors: %llu bytes in %s\n", (unsigned long long)r.nn.bytes,
		       c->l1 ? "L1" : "DRAM");
	if (*c->restore)
		done = gpt_restore(&r.gpt, c->restore);
	for (uint32_t i = 0; i < done; i++) /* the batches that follow are those of one long run */
		text_batch(&r.text, c->shape.batch, c->shape.sequence, r.ids, r.targets);
	if (!c->save_and_exit)
		run_train(&r, done);
	if (*c->save)
		gpt_save(&r.gpt, c->save, c->save_and_exit ? done : done + c->steps);
	if (!c->save_and_exit && c->sample)
		run_sample(&r);
	run_mark(&r, "before close device", true, 0);
	gpt_free(&r.gpt);
	nn_close(&r.nn);
	text_free(&r.text);
	free(r.ids);
	free(r.targets);
	return 0;
}
