/* What the programs need of the kernel: types with only the fields that are read, which the loader finds
 * by name in the running kernel (CO-RE), and helpers by their numbers in the kernel's interface. */
#ifndef NETLOOM_KERNEL_H
#define NETLOOM_KERNEL_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define SEC(name) __attribute__((section(name), used))
#define COMPILER_BARRIER() __asm__ volatile("" ::: "memory")
/* Makes the compiler forget what it knows of a variable. */
#define OPAQUE(variable) __asm__ volatile("" : "+r"(variable))

/* How maps are declared: the loader reads the types of these fields. */
#define MAP_IS(name, value) int (*name)[value]
#define MAP_OF(name, type) type *name

enum map_type {
	MAP_HASH = 1,
	MAP_ARRAY = 2,
	MAP_PERCPU_ARRAY = 6,
	MAP_RINGBUF = 27,
};

enum map_flag { MAP_MMAPABLE = 1 << 10 };
enum update_flag { UPDATE_ANY = 0, UPDATE_NEW = 1 };
enum ring_flag { RING_NO_WAKEUP = 1 };

static void *(*const map_lookup)(void *map, const void *key) = (void *)1;
static long (*const map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*const map_delete)(void *map, const void *key) = (void *)3;
static u64 (*const monotonic_ns)(void) = (void *)5;
static u32 (*const this_cpu)(void) = (void *)8;
static long (*const probe_read)(void *to, u32 size, const void *from) = (void *)113;
static long (*const seq_write)(void *seq, const void *data, u32 size) = (void *)127;
static long (*const ring_output)(void *ring, void *data, u64 size, u64 flags) = (void *)130;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	u32 inum;
};

struct net {
	struct ns_common ns;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	u32 level;
	struct upid numbers[1];
};

struct nsproxy {
	struct net *net_ns;
};

struct sched_entity {
	u64 sum_exec_runtime;
};

struct task_io_accounting {
	u64 read_bytes;
	u64 write_bytes;
};

struct signal_struct {
	struct pid *pids[4];
	u64 sum_sched_runtime;
	unsigned long maj_flt;
	struct task_io_accounting ioac;
};

struct task_struct {
	u32 __state;
	u32 flags;
	int on_cpu;
	int pid;
	int tgid;
	struct nsproxy *nsproxy;
	struct sched_entity se;
	u64 start_boottime;
	unsigned long maj_flt;
	struct task_io_accounting ioac;
	struct signal_struct *signal;
	char comm[16];
};

struct bpf_iter_meta {
	void *seq;
};

struct timerqueue_node {
	s64 expires;
};

struct hrtimer_clock_base {
	s64 offset;
};

struct hrtimer {
	struct timerqueue_node node;
	struct hrtimer_clock_base *base;
	u8 is_soft;
};

struct gendisk {
	int major;
	int first_minor;
};

struct request_queue {
	struct gendisk *disk;
};

struct request {
	struct request_queue *q;
	u32 cmd_flags;
	u32 __data_len;
};

#pragma clang attribute pop

/* The programs have no secrets; some helpers are for GPL-compatible programs only. */
#define LICENSE char program_license[] SEC("license") = "Dual MIT/GPL"
/* Which compiler made the object: the test that compares it with its source needs the same. */
#define MADE_BY const char program_made_by[] SEC("made_by") = __VERSION__

#endif
