// What the server sends, read where it arrived. crates/taffeta-live/src/wire.rs writes it.

export const VERSION = 2;
const HEADER = 64;

export interface Frame {
  kind: "frame";
  time: number;
  number: number;
  topology: number;
  solids: number;
  positions: Float32Array;
  strains: Float32Array;
  poses: Float32Array;
  pins: Uint32Array;
  force: [number, number, number];
  place: [number, number, number] | null;
  /** Where the hand is led to. */
  to: [number, number, number] | null;
}

export interface Topology {
  kind: "topology";
  number: number;
  particles: number;
  triangles: Uint32Array;
  lines: Uint32Array;
  /** Particle and flags of each point of each yarn. */
  points: Uint32Array;
  thickness: number;
  spacing: number;
}

export interface Surface {
  positions: Float32Array;
  triangles: Uint32Array;
}

export interface Solids {
  kind: "solids";
  number: number;
  surfaces: Surface[];
}

export const OVER = 1;
export const SPLIT = 2;
export const APART = 4;
export const WEFT = 8;
export const FIRST = 16;
export const LAST = 32;
export const TORN = 64;

/** Reads a message; one of another version is an error. */
export function decode(buffer: ArrayBuffer): Frame | Topology | Solids {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER || view.getUint32(0, true) !== 0x4c464154) {
    throw new Error("this is no message of Taffeta");
  }
  const version = view.getUint16(4, true);
  if (version !== VERSION) throw new Error(`the server speaks version ${version}, this page ${VERSION}: reload it`);
  switch (view.getUint16(6, true)) {
    case 1:
      return frame(buffer, view);
    case 2:
      return topology(buffer, view);
    case 3:
      return solids(buffer, view);
    default:
      throw new Error("this message is of no kind this page knows");
  }
}

function frame(buffer: ArrayBuffer, view: DataView): Frame {
  const number = (at: number) => view.getUint32(at, true);
  const vector = (at: number): [number, number, number] => [
    view.getFloat32(at, true),
    view.getFloat32(at + 4, true),
    view.getFloat32(at + 8, true),
  ];
  const [particles, pins, count] = [number(28), number(32), number(36)];
  let at = HEADER + 12;
  const floats = (n: number) => {
    const array = new Float32Array(buffer, at, n);
    at += n * 4;
    return array;
  };
  const positions = floats(particles * 3);
  const strains = floats(particles);
  const poses = floats(count * 12);
  const [place, to] = [vector(52), vector(HEADER)];
  return {
    kind: "frame",
    time: view.getFloat64(8, true),
    number: number(16),
    topology: number(20),
    solids: number(24),
    positions,
    strains,
    poses,
    pins: new Uint32Array(buffer, at, pins),
    force: vector(40),
    place: Number.isNaN(place[0]) ? null : place,
    to: Number.isNaN(to[0]) ? null : to,
  };
}

function topology(buffer: ArrayBuffer, view: DataView): Topology {
  const [number, particles, triangles, lines, points] = [8, 12, 16, 20, 24].map((at) => view.getUint32(at, true));
  let at = HEADER;
  const numbers = (n: number) => {
    const array = new Uint32Array(buffer, at, n);
    at += n * 4;
    return array;
  };
  return {
    kind: "topology",
    number,
    particles,
    triangles: numbers(triangles * 3),
    lines: numbers(lines * 2),
    points: numbers(points * 2),
    thickness: view.getFloat32(28, true),
    spacing: view.getFloat32(32, true),
  };
}

function solids(buffer: ArrayBuffer, view: DataView): Solids {
  const surfaces: Surface[] = [];
  let at = HEADER;
  for (let i = view.getUint32(12, true); i > 0; i--) {
    const [vertices, triangles] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    at += 8;
    const positions = new Float32Array(buffer, at, vertices * 3);
    at += vertices * 12;
    surfaces.push({ positions, triangles: new Uint32Array(buffer, at, triangles * 3) });
    at += triangles * 12;
  }
  return { kind: "solids", number: view.getUint32(8, true), surfaces };
}
