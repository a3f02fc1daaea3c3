/* The scheduler: since when each CPU has had no idle moment and who used it since, and how long tasks of
 * nodes waited for a CPU. User space reads the maps when it looks; an event is sent only at the end of a
 * long stretch. `src/bpf/scheduler.rs` and `src/bpf/record.rs` are the other side. */
#include "pids.h"

LICENSE;
MADE_BY;

/* Stretches from this length on are told with an event. */
#define TELL_NS 10000000ULL
/* Parties of a stretch that are told apart: those after them are counted together. So many fill whole cache lines. */
#define PARTIES 63

/* Who runs: 0 is nobody, below 2^32 a process. */
#define KERNEL (1ULL << 32)
#define NODE (2ULL << 32)
#define ELSEWHERE (3ULL << 32)

#define PF_KTHREAD 0x00200000

/* Tasks that may wait at the same time: a power of two, `WAITING` of `src/bpf/scheduler.rs`. */
#define WAITING 65536

/* Set by the loader. The namespace of most tasks is known without a look-up. */
const volatile u32 own_netns = 0;
const volatile u32 watch_nodes = 0;
/* Waits that are longer, or make a task later than that, are told with an event. */
const volatile u64 tell_wait_ns = 0;
/* Less than this part of it is told with what follows, and less than that part of what was told in the last second or two:
 * tasks that give way to each other all the time would need a hundred thousand events a second. */
#define TELL_PART 8
#define TOLD_PART 16
#define TOLD_NS 1000000000ULL
/* What comes so long after what was not told yet does not follow it. */
#define APART_NS 100000000ULL

struct use {
	u64 party;
	u64 ns;
};

/* Of a CPU by its number. Only that CPU writes it, and user space reads it while it may change. It is consistent if `done`,
 * read first, equals `begun`, read last. What most switches need comes first: by then a busy machine has forgotten
 * everything, and each cache line costs as much as a dozen instructions. */
struct record {
	u64 done;
	u64 begun;
	u64 since; /* the end of the last idle moment; 0 while idle */
	u64 party; /* who runs */
	u64 from;  /* since when that is not counted yet */
	u64 used;  /* entries of `by` */
	u64 others;
	u64 lost;  /* events for which the ring had no room */
	u64 cpu;   /* its number, in events */
	u64 until; /* the end of the stretch, in events */
	struct use by[PARTIES];
};

struct {
	MAP_IS(type, MAP_ARRAY);
	MAP_IS(map_flags, MAP_MMAPABLE);
	MAP_IS(max_entries, 1);
	MAP_OF(key, u32);
	MAP_OF(value, struct record);
} cpus SEC(".maps");

struct {
	MAP_IS(type, MAP_RINGBUF);
	MAP_IS(max_entries, 1 << 20);
} stretches SEC(".maps");

/* The last parties that a CPU ran, by its number, and since when. */
#define TURNS 8

struct turn {
	u64 party;
	u64 from;
};

struct turns {
	u64 count;
	struct turn last[TURNS];
};

struct {
	MAP_IS(type, MAP_ARRAY);
	MAP_IS(max_entries, 1);
	MAP_OF(key, u32);
	MAP_OF(value, struct turns);
} turns SEC(".maps");

/* Nodes by the inodes of their network namespaces. */
struct {
	MAP_IS(type, MAP_HASH);
	MAP_IS(max_entries, 1);
	MAP_OF(key, u32);
	MAP_OF(value, u32);
} nodes SEC(".maps");

/* Of a task of a node: a cache line. */
struct wait {
	u32 pid;
	u32 node;
	u64 net;     /* the network namespace by which it is that node's */
	u64 since;   /* since when it waits for a CPU; 0 if it does not */
	u64 ran;     /* for how long it had run by then */
	u64 carried; /* how late it was by then with what it has to do: see `wait_begins` */
	u64 left;    /* when it last left a CPU */
	u64 untold;  /* time beyond what is tolerated that is told with what follows */
	u64 until;   /* its end */
};

/* By the last bits of the tasks' numbers: an array costs less than a hash table, at each wake-up and each
 * switch. Of two tasks with the same ones that wait at the same time, which takes more than WAITING tasks between
 * them, only the later is seen. One that user space can see begins at a page, and so its elements at cache lines. */
struct {
	MAP_IS(type, MAP_ARRAY);
	MAP_IS(map_flags, MAP_MMAPABLE);
	MAP_IS(max_entries, 1);
	MAP_OF(key, u32);
	MAP_OF(value, struct wait);
} waiting SEC(".maps");

/* Of the same task: its time that was told lately. */
struct told {
	u64 ns;
	u64 since;   /* since when that is counted; before, it counts half */
	u64 longest; /* the longest wait of those that are not told yet */
	u64 by;      /* who had the CPU meanwhile */
};

struct {
	MAP_IS(type, MAP_ARRAY);
	MAP_IS(max_entries, 1);
	MAP_OF(key, u32);
	MAP_OF(value, struct told);
} told SEC(".maps");

/* One that is over. */
struct waited {
	u64 node;
	u64 began;
	u64 ended;
	u64 carried;
	u64 by; /* who had the CPU meanwhile; 0 is nobody, or it is not known */
};

struct {
	MAP_IS(type, MAP_RINGBUF);
	MAP_IS(max_entries, 1 << 20);
} waits SEC(".maps");

/* Those for which the ring had no room. */
struct {
	MAP_IS(type, MAP_ARRAY);
	MAP_IS(max_entries, 1);
	MAP_OF(key, u32);
	MAP_OF(value, u64);
} lost_waits SEC(".maps");

/* When the timer was due that this CPU looks at now, if that is late; 0 otherwise. */
struct {
	MAP_IS(type, MAP_PERCPU_ARRAY);
	MAP_IS(max_entries, 1);
	MAP_OF(key, u32);
	MAP_OF(value, u64);
} overdue SEC(".maps");

#define INLINE static inline __attribute__((always_inline))
/* What few calls need, out of the way of the others. */
#define SELDOM static __attribute__((noinline))

/* Where the namespace of most tasks is, once it was met. */
static u64 own_net = 0;

/* Whether it may be a node's: neither the idle task nor one of the kernel's own is. */
INLINE int is_program(struct task_struct *task)
{
	return task->pid && !(task->flags & PF_KTHREAD);
}

/* The number of the node whose namespace it is. */
INLINE u32 *node_in(struct net *net)
{
	u32 inum;

	if ((u64)net == own_net)
		return 0;
	inum = net->ns.inum;
	if (inum == own_netns) {
		own_net = (u64)net;
		return 0;
	}
	return map_lookup(&nodes, &inum);
}

INLINE struct wait *wait_of(u32 pid)
{
	u32 slot = pid & (WAITING - 1);

	return map_lookup(&waiting, &slot);
}

/* What is known of a task. Where a namespace is, there is no other one while a node has it. */
INLINE int is_of(struct wait *wait, struct task_struct *task, struct net *net)
{
	return wait->pid == task->pid && wait->net == (u64)net;
}

/* Forgets another task for this one; whether it is a node's. */
INLINE int take_over(struct wait *wait, struct task_struct *task, struct net *net)
{
	u32 slot = task->pid & (WAITING - 1), *node = node_in(net);
	struct told *lately;

	if (!node)
		return 0;
	wait->pid = task->pid;
	wait->node = *node;
	wait->net = (u64)net;
	wait->left = 0;
	wait->untold = 0;
	lately = map_lookup(&told, &slot);
	if (lately)
		lately->ns = 0;
	return 1;
}

/* Who had this CPU for the longest time from `began` to `ended`, as far as that is remembered. Of one that waited for another
 * CPU and was taken to this one, nobody, if this one was idle. */
SELDOM u64 had_the_cpu(u64 began, u64 ended)
{
	u32 number = this_cpu();
	struct turns *known = map_lookup(&turns, &number);
	u64 i, j, from, until = ended, longest = 0, party = 0;
	struct {
		u64 party;
		u64 ns;
	} by[TURNS] = {};
	struct turn *turn;

	if (!known)
		return 0;
	for (i = 0; i < TURNS && until > began; i++) {
		turn = &known->last[(known->count - 1 - i) % TURNS];
		from = turn->from > began ? turn->from : began;
		if (from >= until)
			continue;
		for (j = 0; j < i; j++)
			if (by[j].party == turn->party)
				break;
		by[j].party = turn->party;
		by[j].ns += until - from;
		if (by[j].ns > longest) {
			longest = by[j].ns;
			party = turn->party;
		}
		until = from;
	}
	return party;
}

SELDOM void send_wait(u32 node, u64 began, u64 ended, u64 carried, u64 by)
{
	struct waited waited = {node, began, ended, carried, by};
	u32 zero = 0;
	u64 *lost;

	/* Nobody is to be woken: user space looks when it looks. */
	if (ring_output(&waits, &waited, sizeof(waited), RING_NO_WAKEUP)) {
		lost = map_lookup(&lost_waits, &zero);
		if (lost)
			__sync_fetch_and_add(lost, 1);
	}
}

/* Tells what was left for what follows, since nothing does; if it is very little, that stays. */
SELDOM void tell_rest(struct wait *wait)
{
	u32 slot = wait->pid & (WAITING - 1);
	u64 untold = wait->untold;
	struct told *lately = map_lookup(&told, &slot);

	if (!lately || untold < tell_wait_ns / TELL_PART)
		return;
	wait->untold = 0;
	send_wait(wait->node, wait->until - untold, wait->until, tell_wait_ns, lately->by);
}

/* Since when a task has waited that is woken now: since the timer was due that wakes it, if that is late, as all are on a
 * machine that stood still; but not while it ran. Many programs set timers for times that are over. */
INLINE u64 due(struct task_struct *task, struct wait *wait, u64 now)
{
	u32 zero = 0;
	u64 since, *due = map_lookup(&overdue, &zero);

	if (!due || !*due || task->on_cpu)
		return now;
	since = *due > wait->left ? *due : wait->left;
	return since < now ? since : now;
}

/* From now on it waits, whatever was known of it. (If it still runs, since it was woken when it only was about to sleep,
 * it is found to have waited for nothing when it leaves the CPU.) One that has slept had nothing left to do. One that is
 * preempted is as late with it as it has waited, less what it has run since then: it runs faster than work comes. */
INLINE void wait_begins(struct task_struct *task, u64 now, int has_slept)
{
	struct net *net = task->nsproxy->net_ns;
	struct wait *wait;
	u64 ran, made_up, carried = 0, since = now;

	if ((u64)net == own_net)
		return;
	wait = wait_of(task->pid);
	if (!wait)
		return;
	ran = task->se.sum_exec_runtime;
	if (!is_of(wait, task, net)) {
		if (!take_over(wait, task, net))
			return;
	} else if (has_slept) {
		if (wait->untold)
			tell_rest(wait);
		since = due(task, wait, now);
	} else {
		made_up = ran - wait->ran;
		if (wait->carried > made_up)
			carried = wait->carried - made_up;
	}
	wait->since = since;
	wait->ran = ran;
	wait->carried = carried;
}

/* A wait after which the task is later than is tolerated. */
SELDOM void tell_wait(struct wait *wait, u64 began, u64 ended)
{
	u64 beyond = wait->carried - tell_wait_ns, length = ended - began;
	u64 carried = wait->carried - length;
	u32 slot = wait->pid & (WAITING - 1);
	struct told *lately = map_lookup(&told, &slot);

	if (!lately)
		return;
	if (wait->untold && began - wait->until > APART_NS)
		tell_rest(wait);
	if (!wait->untold)
		lately->longest = 0;
	if (length > lately->longest) {
		lately->longest = length;
		lately->by = had_the_cpu(began, ended);
	}
	/* As if what was not told yet had come just before. */
	began -= wait->untold;
	wait->untold += beyond < length ? beyond : length;
	wait->until = ended;
	if (ended - lately->since > TOLD_NS) {
		lately->ns = ended - lately->since > 2 * TOLD_NS ? 0 : lately->ns / 2;
		lately->since = ended;
	}
	if (wait->untold < tell_wait_ns / TELL_PART || wait->untold < lately->ns / TOLD_PART)
		return;
	lately->ns += wait->untold;
	wait->untold = 0;
	send_wait(wait->node, began, ended, carried, lately->by);
}

INLINE void wait_ends(struct wait *wait, u64 ended)
{
	u64 began = wait->since;

	wait->since = 0;
	if ((s64)(ended - began) <= 0)
		return;
	wait->carried += ended - began;
	if (wait->carried > tell_wait_ns)
		tell_wait(wait, began, ended);
}

/* It has run until now, and it may not have been told since when: kernels were seen that leave out most switches from the
 * idle task. Then it began as long ago as it has run since it waits. */
INLINE void leaves(struct task_struct *task, u64 now, int still_wants)
{
	struct wait *wait = wait_of(task->pid);

	if (wait && wait->pid == task->pid) {
		wait->left = now;
		if (wait->since)
			wait_ends(wait, now - (task->se.sum_exec_runtime - wait->ran));
	}
	if (still_wants)
		wait_begins(task, now, 0);
}

/* A process, if user space has a number for it. */
INLINE u64 process(struct task_struct *task)
{
	u32 number = number_of(task);

	return number ? number : ELSEWHERE;
}

/* It runs. Which party's it is. */
INLINE u64 comes(struct task_struct *task, u64 now)
{
	struct net *net;
	struct wait *wait;
	u32 *node;

	if (!task->pid)
		return 0;
	if (task->flags & PF_KTHREAD)
		return KERNEL;
	if (!watch_nodes)
		return process(task);
	net = task->nsproxy->net_ns;
	if ((u64)net == own_net)
		return process(task);
	wait = wait_of(task->pid);
	if (wait && is_of(wait, task, net)) {
		if (wait->since)
			wait_ends(wait, now);
		return NODE | wait->node;
	}
	node = node_in(net);
	return node ? NODE | *node : process(task);
}

/* Counts the time of who has run until now. */
INLINE void count(struct record *cpu, u64 now)
{
	u64 i, used = cpu->used, party = cpu->party, ns = now - cpu->from;

	cpu->from = now;
	for (i = 0; i < PARTIES && i < used; i++) {
		if (cpu->by[i].party == party) {
			cpu->by[i].ns += ns;
			return;
		}
	}
	/* In a register of its own, so that the verifier sees that it is in bounds. */
	OPAQUE(used);
	if (used < PARTIES) {
		cpu->by[used].party = party;
		cpu->by[used].ns = ns;
		cpu->used = used + 1;
		return;
	}
	cpu->others += ns;
}

INLINE void stretch_ends(struct record *cpu, u64 now)
{
	if (cpu->since && now - cpu->since >= TELL_NS) {
		count(cpu, now);
		cpu->until = now;
		cpu->cpu = this_cpu();
		if (ring_output(&stretches, cpu, sizeof(*cpu), 0))
			cpu->lost++;
	}
	cpu->since = 0;
}

INLINE void stretch_begins(struct record *cpu, u64 now)
{
	cpu->since = now;
	cpu->from = now;
	cpu->used = 0;
	cpu->others = 0;
}

SEC("tp_btf/sched_switch")
int sched_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	u32 number = this_cpu();
	struct record *cpu = map_lookup(&cpus, &number);
	struct turns *known;
	struct turn *turn;
	u64 party, now;

	/* Before the time is taken: user space takes one and then reads, and what is consistent then says all until that time. */
	if (cpu)
		cpu->begun++;
	COMPILER_BARRIER();
	now = monotonic_ns();
	/* One that is preempted still wants the CPU. */
	if (watch_nodes && is_program(prev))
		leaves(prev, now, ctx[0] || !prev->__state);
	party = comes(next, now);

	if (!cpu)
		return 0;
	if (party == cpu->party && cpu->done) {
		cpu->done++;
		return 0;
	}
	if (!party)
		stretch_ends(cpu, now);
	else if (!cpu->since)
		stretch_begins(cpu, now);
	else
		count(cpu, now);
	cpu->party = party;
	COMPILER_BARRIER();
	cpu->done++;
	if (!watch_nodes)
		return 0;
	known = map_lookup(&turns, &number);
	if (known) {
		turn = &known->last[known->count++ % TURNS];
		turn->party = party;
		turn->from = now;
	}
	return 0;
}

INLINE int woken(struct task_struct *task)
{
	if (watch_nodes && is_program(task))
		wait_begins(task, monotonic_ns(), 1);
	return 0;
}

/* Not `sched_wakeup`, which a CPU that is to run the task tells when it has been interrupted for that: a virtual machine's
 * may be away for milliseconds. */
SEC("tp_btf/sched_waking")
int sched_waking(u64 *ctx)
{
	return woken((void *)ctx[0]);
}

SEC("tp_btf/sched_wakeup_new")
int sched_wakeup_new(u64 *ctx)
{
	return woken((void *)ctx[0]);
}

/* Timers that the kernel looks at when an interrupt says so; the others have no times that it keeps exactly. */
SEC("tp_btf/hrtimer_expire_entry")
int hrtimer_expire_entry(u64 *ctx)
{
	struct hrtimer *timer = (void *)ctx[0];
	u32 zero = 0;
	u64 *due, now;
	s64 late;

	if (timer->is_soft)
		return 0;
	now = monotonic_ns();
	/* Its time is that of its own clock. */
	late = now + timer->base->offset - timer->node.expires;
	if (late < (s64)(tell_wait_ns / TELL_PART))
		return 0;
	due = map_lookup(&overdue, &zero);
	if (due)
		*due = now - late;
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int hrtimer_expire_exit(void)
{
	u32 zero = 0;
	u64 *due = map_lookup(&overdue, &zero);

	if (due && *due)
		*due = 0;
	return 0;
}
