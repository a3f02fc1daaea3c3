/* What every task has used so far, as a file that user space reads: a record of each.
 * `src/bpf/tasks.rs` is the other side. */
#include "pids.h"

LICENSE;
MADE_BY;

struct record {
	u32 process;
	u32 is_first; /* of its process */
	u32 flags;
	u32 state;
	u64 netns; /* the inode; 0 of a task that has ended */
	u64 began_ns;
	/* Of the first task of a process with those that have ended. */
	u64 cpu_ns;
	u64 faults;
	u64 read_bytes;
	u64 write_bytes;
	char name[16];
};

/* The kernel's arguments of an iterator over tasks. */
struct task_iterator {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

SEC("iter/task")
int tasks(struct task_iterator *at)
{
	struct task_struct *task = at->task;
	if (!task)
		return 0;
	struct record record = {
		.process = number_of(task),
		.is_first = task->pid == task->tgid,
		.flags = task->flags,
		.state = task->__state,
		.began_ns = task->start_boottime,
		.cpu_ns = task->se.sum_exec_runtime,
		.faults = task->maj_flt,
		.read_bytes = task->ioac.read_bytes,
		.write_bytes = task->ioac.write_bytes,
	};
	struct nsproxy *namespaces = task->nsproxy;
	if (namespaces)
		record.netns = namespaces->net_ns->ns.inum;
	if (record.is_first) {
		struct signal_struct *process = task->signal;
		record.cpu_ns += process->sum_sched_runtime;
		record.faults += process->maj_flt;
		record.read_bytes += process->ioac.read_bytes;
		record.write_bytes += process->ioac.write_bytes;
	}
	for (int i = 0; i < 16; i++)
		record.name[i] = task->comm[i];
	if (record.process)
		seq_write(at->meta->seq, &record, sizeof(record));
	return 0;
}
