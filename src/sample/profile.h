/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles: the samples and states of a trace, for verbs and the viewer. A profile is read once
 * from a trace; counting any selection of samples and building trees is separate.
 *
 *	profile_open()		stacks, modules, symbols of a trace
 *	profile_count()		samples of some threads and times, by stack
 *	profile_tree()		top-down or bottom-up tree of functions
 */
#ifndef SAMPLE_PROFILE_H
#define SAMPLE_PROFILE_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/trace.h"

/* A function, or a substitute for one. Strings live as long as the profile. */
struct profile_function {
	const char *name;
	const char *file; /* of its source, "" if unknown */
	uint32_t module;  /* number in profile.modules */
	bool special;     /* "[cut]" and the like */
};

struct profile_module {
	const char *path, *name, *build_id;
	uint32_t kind;
};

/* A frame as shown: an address has one, or several if functions are inlined there. */
struct profile_frame {
	uint32_t function;
	uint32_t line;
	const char *file;
};

struct profile_node {
	uint32_t parent;
	uint64_t key;
};

struct profile {
	struct trace *trace;
	struct {
		VEC(struct profile_module);
	} modules;
	struct {
		VEC(struct profile_function);
	} functions;
	struct {
		VEC(struct profile_frame);
	} frames;
	struct {
		VEC(struct profile_node);
	} nodes;              /* by number; 0 is none */
	struct map frames_of; /* address to its first frame; the last of an address ... */
	struct {
		VEC(uint8_t);
	} last; /* ... is marked here, by frame */
	struct {
		VEC(uint32_t);
	} leaf_stacks; /* by function: the first stack that ends in it, or 0 */
	struct profile_names *names;
	uint32_t
		no_stack[2]; /* frames of samples and of waits without a stack: enum profile_what */
	uint64_t lost;       /* records that were lost */
	struct profile_waits *waits; /* by profile_waits() */
};

/* TRACE must outlive the profile. */
int profile_open(struct profile **p, struct trace *trace, struct tacho_error *err);
void profile_close(struct profile *p);

/* The frames of node N, innermost (inlined) first: profile.frames[first .. first + count). */
void profile_frames(const struct profile *p, uint32_t node, uint32_t *first, uint32_t *count);

/* Adds the functions of stack N with SEPARATOR between them, innermost first. */
void profile_stack_text(const struct profile *p, uint32_t node, const char *separator,
			struct buf *out);

/* The innermost function of stack N, UINT32_MAX if unknown. */
uint32_t profile_leaf(const struct profile *p, uint32_t node);
/* The stack of the lowest number with the same innermost function, which represents it. */
uint32_t profile_leaf_stack(const struct profile *p, uint32_t node);

enum profile_what {
	PROFILE_CPU,     /* samples */
	PROFILE_OFF_CPU, /* waiting: blocked, with stacks */
};

struct profile_filter {
	uint64_t t0, t1;
	const uint8_t *tracks; /* a byte per track, NULL = all */
	enum profile_what what;
	/* Only while a zone of one of these source locations is open on the thread; NULL = any
	 * time. */
	const uint8_t *zones;
	bool self;      /* ... and no other zone inside of it */
	uint32_t level; /* ... at this depth + 1; 0 = at any */
};

/* Samples by stack. Weights are nanoseconds. */
struct profile_counts {
	uint64_t *samples; /* by node */
	double *ns;
	uint64_t total;
	double total_ns;
	uint64_t whole;    /* samples with complete stacks */
	uint64_t stacked;  /* samples with a stack */
	uint32_t no_stack; /* the frame of the others */
};
int profile_count(struct profile *p, const struct profile_filter *filter,
		  struct profile_counts *counts);
void profile_counts_free(struct profile_counts *counts);

/* States of a thread. Their sum is the requested time. */
enum profile_state {
	PROFILE_RUNNING, /* in the program's own code, by samples */
	PROFILE_KERNEL,  /* on a CPU outside of the program's own code */
	PROFILE_RUNNABLE,
	PROFILE_LOCK, /* in a futex call, or while our lock events say so */
	PROFILE_SLEEP,
	PROFILE_POLL,
	PROFILE_IO,
	PROFILE_CHILD,
	PROFILE_OTHER_WAIT, /* and waits that were too short to examine */
	PROFILE_UNKNOWN,
	PROFILE_STATES
};
extern const char *const profile_state_names[PROFILE_STATES];

struct profile_thread {
	uint32_t track;
	double ns[PROFILE_STATES];
	double sampled_ns;
	uint64_t samples, runs, migrations;
	uint32_t last_cpu; /* + 1 */
};
/*
 * Of one thread, in the times of FILTER. LOCK_NS, if not NULL, has an element per track of the
 * trace: the time that the thread was blocked while it waited for that lock is added.
 */
int profile_thread_states(struct profile *p, const struct profile_filter *filter, uint32_t track,
			  struct profile_thread *t, double *lock_ns);

/* The self time of zones, by what their thread did. */
struct profile_zone {
	double ns[PROFILE_STATES]; /* their sum is the self time */
	double sampled_ns;
	uint64_t samples;
	uint32_t top_function; /* the innermost one of most samples, if ... */
	uint64_t top_samples;  /* ... there are any */
};
/*
 * ZONES has an element per source location. FILTER selects tracks and times, clipped to them; its
 * zones do not matter.
 */
int profile_zones(struct profile *p, const struct profile_filter *filter,
		  struct profile_zone *zones);

/* A time in which a thread waited for a lock, by the program's lock events. */
struct profile_wait {
	uint32_t thread, lock; /* tracks */
	uint64_t start, end;
};
/* The waits of THREAD that end after TIME, by start, *COUNT of them. They are read once. */
int profile_waits(struct profile *p, uint32_t thread, uint64_t time,
		  const struct profile_wait **waits, size_t *count);

/* How long a thread ran on a CPU. */
struct profile_cpu {
	uint32_t cpu, track;
	uint64_t runs;
	double ns;
};
struct profile_cpus {
	VEC(struct profile_cpu);
};
/* Adds the CPUs on which a thread ran in the times of FILTER. */
int profile_thread_cpus(struct profile *p, const struct profile_filter *filter, uint32_t track,
			struct profile_cpus *cpus);

/* The reason of a wait, by the number of the system call + 1; 0: unknown. */
enum profile_state profile_wait_state(uint32_t call);

/* The kind of a tree's nodes. */
enum profile_by {
	PROFILE_BY_FUNCTION,
	PROFILE_BY_LINE,
	PROFILE_BY_FILE,
	PROFILE_BY_LIBRARY,
	PROFILE_BYS
};
extern const char *const profile_by_names[]; /* for an OPT_ENUM */

struct profile_item {
	uint32_t parent, child, next; /* 0: none; item 0 is the root of all */
	uint32_t label;               /* see profile_label() */
	uint64_t samples, self;
	double ns, self_ns;
};

struct profile_view {
	struct {
		VEC(struct profile_item);
	} items;
	struct {
		VEC(struct profile_label);
	} labels;
	struct map label_of;
};

struct profile_label {
	uint32_t function, line;
	const char *file;
	const char *name; /* what is shown */
};

/* A tree of functions; children are sorted by weight, heaviest first. */
int profile_tree(struct profile *p, const struct profile_counts *counts, enum profile_by by,
		 bool bottom_up, struct profile_view *view);
/* A flat list below the root, each label once: total counts a stack once, even with recursion. */
int profile_flat(struct profile *p, const struct profile_counts *counts, enum profile_by by,
		 struct profile_view *view);
void profile_view_free(struct profile_view *view);

/* An item of two profiles: the same name in the same library, below the same item. */
struct profile_change {
	uint32_t parent, child, next; /* as in profile_item */
	uint32_t line;                /* by line, else 0 */
	const char *name, *library;   /* live as long as the changes */
	struct profile_item side[2];  /* before and after; zeros: it is not there */
	double share[2];              /* percent of the time of all */
	double change, error;         /* after - before, and its standard error, in percent */
};

struct profile_changes {
	struct {
		VEC(struct profile_change);
	} items;          /* 0 is the root */
	struct map known; /* by name, library and parent */
	struct map texts; /* by hash, to the number of a text */
	struct {
		VEC(char *);
	} names;
};

/*
 * Compares two views of one shape: profile_changes_add() takes them, SIDE 0 and 1, which are not
 * needed after it; profile_changes_link() computes the figures and sorts, children with the largest
 * changes first. Begin with zeros.
 */
int profile_changes_add(struct profile_changes *d, const struct profile *p,
			const struct profile_view *view, enum profile_by by, int side);
int profile_changes_link(struct profile_changes *d);
void profile_changes_free(struct profile_changes *d);

#endif
