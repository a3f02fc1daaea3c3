import { expect, it } from 'vitest';
import { EventSplitter, readEvents } from './sse';

it('events are the same wherever the stream is cut', () => {
  const stream =
    ': hello\n\ndata: {"a":1}\n\ndata:two\ndata: lines\r\n\r\nid: 3\ndata: x\n\ndata: open';
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const splitter = new EventSplitter();
    const events = [...splitter.push(stream.slice(0, cut)), ...splitter.push(stream.slice(cut))];
    expect(events).toEqual(['{"a":1}', 'two\nlines', 'x']);
  }
});

it('a letter may be cut in two', async () => {
  const bytes = new TextEncoder().encode('data: "ü→"\n\n');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const events: unknown[] = [];
  await readEvents(new Response(body), (some) => events.push(...some));
  expect(events).toEqual(['ü→']);
});
