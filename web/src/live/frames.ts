// Frames of `/v1/live`: the columns look at the buffer of the message, without a copy. Pure.

export const HEADER_BYTES = 32;
const VERSION = 1;

export interface Header {
  flags: number;
  count: number;
  /** Time of the experiment at the end of the interval, in s since zero. */
  time: number;
  /** Length of the interval that rates are over, in s. */
  interval: number;
  revision: number;
  tick: number;
}

export interface PipesFrame {
  kind: 'pipes';
  header: Header;
  index: Uint32Array;
  offered: Float32Array;
  delivered: Float32Array;
  drops: Float32Array;
  queued: Uint32Array;
  fill: Float32Array;
  busy: Float32Array;
  state: Uint8Array;
}

export interface StationsFrame {
  kind: 'stations';
  header: Header;
  index: Uint32Array;
  sent: Float32Array;
  sensed: Float32Array;
  retries: Float32Array;
  failed: Float32Array;
  queued: Uint32Array;
  state: Uint8Array;
}

export interface PositionsFrame {
  kind: 'positions';
  header: Header;
  index: Uint32Array;
  x: Float32Array;
  y: Float32Array;
  z: Float32Array;
  present: Uint8Array;
}

export type Frame = PipesFrame | StationsFrame | PositionsFrame;

/** Decodes a frame. Throws if it is of another version or shorter than it says. */
export function decode(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < HEADER_BYTES) throw new Error('a live frame is shorter than its header');
  const view = new DataView(buffer);
  const version = view.getUint8(0);
  if (version !== VERSION) {
    throw new Error(`live frames of version ${version}: reload the page to match the engine`);
  }
  const header: Header = {
    flags: view.getUint16(2, true),
    count: view.getUint32(4, true),
    time: view.getFloat64(8, true),
    interval: view.getFloat32(16, true),
    revision: view.getUint32(20, true),
    tick: view.getUint32(24, true),
  };
  const columns = new Columns(buffer, header.count);
  const kind = view.getUint8(1);
  switch (kind) {
    case 1: return {
      kind: 'pipes', header, index: columns.u32(), offered: columns.f32(), delivered: columns.f32(),
      drops: columns.f32(), queued: columns.u32(), fill: columns.f32(), busy: columns.f32(),
      state: columns.u8(),
    };
    case 2: return {
      kind: 'stations', header, index: columns.u32(), sent: columns.f32(), sensed: columns.f32(),
      retries: columns.f32(), failed: columns.f32(), queued: columns.u32(), state: columns.u8(),
    };
    case 3: return {
      kind: 'positions', header, index: columns.u32(), x: columns.f32(), y: columns.f32(),
      z: columns.f32(), present: columns.u8(),
    };
    default: throw new Error(`a live frame of an unknown kind ${kind}`);
  }
}

/** Columns one after the other behind the header. All machines that have browsers are little-endian. */
class Columns {
  private at = HEADER_BYTES;

  constructor(private readonly buffer: ArrayBuffer, private readonly count: number) {}

  u32 = (): Uint32Array => new Uint32Array(this.buffer, this.next(4), this.count);
  f32 = (): Float32Array => new Float32Array(this.buffer, this.next(4), this.count);
  u8 = (): Uint8Array => new Uint8Array(this.buffer, this.next(1), this.count);

  private next(width: number): number {
    const at = this.at;
    this.at += width * this.count;
    if (this.at > this.buffer.byteLength) throw new Error('a live frame is shorter than its rows');
    return at;
  }
}
