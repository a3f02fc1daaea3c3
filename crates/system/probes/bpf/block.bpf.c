/* Disks: since when each has had requests pending without a break. `src/bpf/block.rs` is the other side. */
#include "kernel.h"

LICENSE;
MADE_BY;

/* Stretches from this length on are told with an event. */
#define TELL_NS 10000000ULL

struct disk {
	u64 since; /* the end of the last moment without requests; 0 if there are none now */
	s64 pending;
	u64 lost; /* events for which the ring had no room */
	u64 generation; /* user space begins another when it finds requests pending that are not */
	u64 untold; /* requests that were issued again before the end of the last time was told */
};

/* A request that is pending. */
struct pending {
	u32 device;
	u32 counted; /* 1 if the kernel counts it in `inflight`: not so flushes, and commands to the device */
	u64 generation;
	u64 issued;
};

/* The operation in a request's flags, of which flushes and all from the first of the device's commands on are not
 * counted. */
#define OPERATION 0xff
#define FLUSH 2
#define COMMANDS 34

struct stretch {
	u64 device;
	u64 since;
	u64 until;
};

/* Disks by device number, as the kernel has it: major << 20 | minor. */
struct {
	MAP_IS(type, MAP_HASH);
	MAP_IS(max_entries, 1024);
	MAP_OF(key, u32);
	MAP_OF(value, struct disk);
} disks SEC(".maps");

/* Requests that are pending, and on which disk. A request may be completed in parts. */
struct {
	MAP_IS(type, MAP_HASH);
	MAP_IS(max_entries, 16384);
	MAP_OF(key, u64);
	MAP_OF(value, struct pending);
} requests SEC(".maps");

struct {
	MAP_IS(type, MAP_RINGBUF);
	MAP_IS(max_entries, 1 << 16);
} stretches SEC(".maps");

/* How many stretches have begun, on all disks: while there is none, and none begins, user space need not look further. */
struct {
	MAP_IS(type, MAP_ARRAY);
	MAP_IS(map_flags, MAP_MMAPABLE);
	MAP_IS(max_entries, 1);
	MAP_OF(key, u32);
	MAP_OF(value, u64);
} begun SEC(".maps");

/* Counted when it can be seen. */
static inline __attribute__((always_inline)) void begins(struct disk *disk)
{
	u32 zero = 0;
	u64 *count = map_lookup(&begun, &zero);

	disk->since = monotonic_ns();
	if (count)
		__sync_fetch_and_add(count, 1);
}

static inline __attribute__((always_inline)) void ended(struct request *request)
{
	u64 key = (u64)request, now = monotonic_ns();
	struct pending *known = map_lookup(&requests, &key);
	struct disk *disk;
	u64 generation;
	u32 device;
	struct stretch stretch;

	if (!known)
		return;
	device = known->device;
	generation = known->generation;
	/* Of two that end the same request, one does. */
	if (map_delete(&requests, &key))
		return;
	disk = map_lookup(&disks, &device);
	/* Of an earlier generation, nothing is counted any more. */
	if (!disk || disk->generation != generation)
		return;
	/* It cannot change while this request is pending. */
	stretch.since = disk->since;
	if (__sync_fetch_and_add(&disk->pending, -1) != 1)
		return;
	/* Unless another request has begun the next stretch meanwhile. */
	__sync_val_compare_and_swap(&disk->since, stretch.since, 0);
	if (!stretch.since || now - stretch.since < TELL_NS)
		return;
	stretch.device = device;
	stretch.until = now;
	if (ring_output(&stretches, &stretch, sizeof(stretch), 0))
		__sync_fetch_and_add(&disk->lost, 1);
}

SEC("tp_btf/block_rq_issue")
int block_rq_issue(u64 *ctx)
{
	struct request *request = (void *)ctx[0];
	struct gendisk *gendisk = request->q->disk;
	u32 device = (u32)gendisk->major << 20 | (u32)gendisk->first_minor;
	u32 operation = request->cmd_flags & OPERATION;
	u64 key = (u64)request;
	struct pending *known, fresh = {};
	struct disk *disk, none = {};

	/* A queue without a disk, as controllers have for commands of their own. */
	if (!device)
		return 0;
	disk = map_lookup(&disks, &device);
	if (!disk) {
		map_update(&disks, &device, &none, UPDATE_NEW);
		disk = map_lookup(&disks, &device);
	}
	if (!disk)
		return 0;
	known = map_lookup(&requests, &key);
	if (known && known->generation == disk->generation) {
		/* It has ended since it was issued, or was put back, and the kernel did not tell; the disk may have had
		 * nothing to do until now. It counts as pending already. */
		__sync_fetch_and_add(&disk->untold, 1);
		begins(disk);
		return 0;
	}
	fresh.device = device;
	fresh.counted = operation != FLUSH && operation < COMMANDS;
	fresh.generation = disk->generation;
	fresh.issued = monotonic_ns();
	if (map_update(&requests, &key, &fresh, UPDATE_ANY))
		return 0;
	if (__sync_fetch_and_add(&disk->pending, 1) == 0)
		begins(disk);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int block_rq_complete(u64 *ctx)
{
	struct request *request = (void *)ctx[0];

	if ((u32)ctx[2] >= request->__data_len)
		ended(request);
	return 0;
}

SEC("tp_btf/block_rq_requeue")
int block_rq_requeue(u64 *ctx)
{
	ended((struct request *)ctx[0]);
	return 0;
}
