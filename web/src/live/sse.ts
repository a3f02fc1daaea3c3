// Server-sent events over `fetch`, which can carry the session's key (`EventSource` cannot).

/** Splits the bytes of an event stream into the texts of its events. Pure. */
export class EventSplitter {
  private rest = '';
  private data: string[] = [];

  /** The data of all events that are complete after this text. */
  push(text: string): string[] {
    const complete: string[] = [];
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const written of lines) {
      const line = written.endsWith('\r') ? written.slice(0, -1) : written;
      if (line === '') {
        if (this.data.length > 0) complete.push(this.data.join('\n'));
        this.data = [];
      } else if (line.startsWith('data:')) {
        this.data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      }
    }
    return complete;
  }
}

/** Reads an event stream to its end. `take` gets the events of each piece that arrives. */
export async function readEvents(
  answer: Response,
  take: (events: unknown[]) => void,
): Promise<void> {
  if (answer.body === null) return;
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  const splitter = new EventSplitter();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const texts = splitter.push(decoder.decode(value, { stream: true }));
    if (texts.length > 0) take(texts.map((text): unknown => JSON.parse(text)));
  }
}
