// Reads a stream of pcapng as it comes: counts frames, and keeps the last. Pure.

import { LINK_ETHERNET } from './frames';

/** Frames that are kept to be shown. */
export const KEPT = 200;

/** The largest block that is believed. */
const LARGEST = 1 << 24;

const [SECTION, INTERFACE, STATISTICS, PACKET] = [0x0a0d0d0a, 1, 5, 6];

export interface CapturedFrame {
  /** Its number in the capture, from 1. */
  readonly number: number;
  /** Seconds since 1970-01-01 UTC, and the ns beside. */
  readonly seconds: number;
  readonly nanos: number;
  readonly linktype: number;
  readonly bytes: Uint8Array;
  /** Length on the wire; `bytes` may be less. */
  readonly length: number;
  readonly direction: 'in' | 'out' | '';
  /** Its comments: why it was dropped. */
  readonly comment: string;
}

interface Interface {
  readonly linktype: number;
  readonly drops: boolean;
}

/** What a stream of pcapng holds so far. */
export class PcapngReader {
  frames = 0;
  /** Of them, frames that the link dropped. */
  dropped = 0;
  bytes = 0;
  /** Frames that are missing, as the end of the file says; `null` before. */
  missed: number | null = null;
  readonly last: CapturedFrame[] = [];
  private rest = new Uint8Array(0);
  private little = true;
  private interfaces: Interface[] = [];

  /** Takes the next bytes. Throws if they are no pcapng. */
  push(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    let data = chunk;
    if (this.rest.length > 0) {
      data = new Uint8Array(this.rest.length + chunk.length);
      data.set(this.rest);
      data.set(chunk, this.rest.length);
    }
    let at = 0;
    while (data.length - at >= 12) {
      const view = new DataView(data.buffer, data.byteOffset + at, data.length - at);
      if (view.getUint32(0, true) === SECTION) {
        this.little = view.getUint32(8, true) === 0x1a2b3c4d;
        this.interfaces = [];
      }
      const length = view.getUint32(4, this.little);
      if (length < 12 || length % 4 !== 0 || length > LARGEST) {
        throw new Error('the capture is not pcapng from here on');
      }
      if (length > view.byteLength) break;
      this.block(new DataView(data.buffer, data.byteOffset + at, length));
      at += length;
    }
    this.rest = data.slice(at);
  }

  private block(view: DataView): void {
    const kind = view.getUint32(0, this.little);
    if (kind === INTERFACE && view.byteLength >= 20) {
      const name = this.options(view, 16).get(2);
      this.interfaces.push({
        linktype: view.getUint16(8, this.little),
        drops: name !== undefined && textOf(name).endsWith(' drops'),
      });
    } else if (kind === STATISTICS && view.byteLength >= 24) {
      const missed = this.options(view, 20).get(5);
      if (missed?.byteLength === 8) this.missed = Number(missed.getBigUint64(0, this.little));
    } else if (kind === PACKET && view.byteLength >= 32) this.packet(view);
  }

  private packet(view: DataView): void {
    const of = this.interfaces[view.getUint32(8, this.little)];
    const captured = view.getUint32(20, this.little);
    if (28 + captured > view.byteLength - 4)
      throw new Error('a captured frame is longer than its block');
    this.frames += 1;
    if (of?.drops) this.dropped += 1;
    const options = this.options(view, 28 + 4 * Math.ceil(captured / 4));
    const flags = options.get(2);
    const time =
      (BigInt(view.getUint32(12, this.little)) << 32n) | BigInt(view.getUint32(16, this.little));
    const comment = options.get(1);
    this.last.push({
      number: this.frames,
      seconds: Number(time / 1_000_000_000n),
      nanos: Number(time % 1_000_000_000n),
      linktype: of?.linktype ?? LINK_ETHERNET,
      // A copy, so that the whole stream is not kept for it.
      bytes: new Uint8Array(view.buffer, view.byteOffset + 28, Math.min(captured, 256)).slice(),
      length: view.getUint32(24, this.little),
      direction:
        flags?.byteLength === 4
          ? (['', 'in', 'out', ''] as const)[flags.getUint32(0, this.little) & 3]
          : '',
      comment: comment === undefined ? '' : textOf(comment),
    });
    if (this.last.length > KEPT) this.last.shift();
  }

  private options(view: DataView, from: number): Map<number, DataView> {
    const found = new Map<number, DataView>();
    for (let at = from; at + 4 <= view.byteLength - 4;) {
      const [code, length] = [view.getUint16(at, this.little), view.getUint16(at + 2, this.little)];
      if (code === 0 || at + 4 + length > view.byteLength - 4) break;
      found.set(code, new DataView(view.buffer, view.byteOffset + at + 4, length));
      at += 4 + 4 * Math.ceil(length / 4);
    }
    return found;
  }
}

const textOf = (of: DataView): string =>
  new TextDecoder().decode(new Uint8Array(of.buffer, of.byteOffset, of.byteLength));
