/** Which part of the plane is shown, and how large. Places of the plane are in units of which 100
 * are about one hop; at scale 1 a unit is a pixel. */

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface View {
  /** Place of the plane in the middle of the canvas. */
  x: number;
  y: number;
  /** Pixels per unit. */
  scale: number;
  /** Size of the canvas in CSS pixels. */
  width: number;
  height: number;
}

export const MIN_SCALE = 0.01;
export const MAX_SCALE = 6;

export const toScreenX = (view: View, x: number): number =>
  (x - view.x) * view.scale + view.width / 2;
export const toScreenY = (view: View, y: number): number =>
  (y - view.y) * view.scale + view.height / 2;
export const toPlaneX = (view: View, x: number): number =>
  (x - view.width / 2) / view.scale + view.x;
export const toPlaneY = (view: View, y: number): number =>
  (y - view.height / 2) / view.scale + view.y;

/** The part of the plane in view, and a margin of so many pixels. */
export function inView(view: View, margin = 0): Box {
  return {
    x0: toPlaneX(view, -margin),
    y0: toPlaneY(view, -margin),
    x1: toPlaneX(view, view.width + margin),
    y1: toPlaneY(view, view.height + margin),
  };
}

export function pan(view: View, dx: number, dy: number): View {
  return { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
}

/** Zooms so that the place under (`x`, `y`), in pixels, stays there. */
export function zoomAt(view: View, x: number, y: number, factor: number): View {
  const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, view.scale * factor));
  const px = toPlaneX(view, x);
  const py = toPlaneY(view, y);
  return {
    ...view,
    scale,
    x: px - (x - view.width / 2) / scale,
    y: py - (y - view.height / 2) / scale,
  };
}

/** Room above a network that is shown whole, in pixels: tools lie over the canvas there. */
const TOOLS = 34;

/** Shows all of `box`, with room around it, but never much larger than life. */
export function fit(view: View, box: Box | null, margin = 64): View {
  if (!box || view.width === 0) return view;
  const width = Math.max(box.x1 - box.x0, 1);
  const height = Math.max(box.y1 - box.y0, 1);
  // On a small canvas there is less room to leave.
  const room = Math.min(margin, view.width * 0.2, view.height * 0.2);
  const scale = Math.min(
    (view.width - 2 * room) / width,
    (view.height - 2 * room - Math.min(TOOLS, room)) / height,
    1.6,
  );
  const within = Math.max(MIN_SCALE, scale);
  return {
    ...view,
    x: (box.x0 + box.x1) / 2,
    y: (box.y0 + box.y1) / 2 - TOOLS / 2 / within,
    scale: within,
  };
}
