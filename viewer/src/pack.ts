// A whole run in one piece. crates/taffeta-live/src/playback.rs packs it.

import { decode, VERSION, type Frame, type Solids, type Topology } from "./wire";

export interface Pack {
  name: string;
  rate: number;
  frames: { frame: Frame; topology: Topology; solids: Solids }[];
}

const STEPS = 65535;
const STRAIN_STEPS = 127;

export async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<Pack> {
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const about = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  if (about.version !== VERSION) throw new Error(`the run is of version ${about.version}, this page of ${VERSION}`);
  const stream = new Blob([bytes.subarray(4 + length)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const body = await new Response(stream).arrayBuffer();
  const view = new DataView(body);
  let at = 0;
  const block = (): ArrayBuffer => {
    const size = view.getUint32(at, true);
    at += 4 + size;
    return body.slice(at - size, at);
  };
  const taken = (n: number) => new Uint8Array(body, (at += n) - n, n);
  const frames: Pack["frames"] = [];
  let revision: number | null = null;
  let [topology, solids]: [Topology | null, Solids | null] = [null, null];
  let before = new Uint16Array(0);
  let known = new Uint8Array(0);
  for (const [, , wanted, particles] of about.frames as [number, number, number, number][]) {
    if (wanted !== revision) topology = decode(block()) as Topology;
    revision = wanted;
    if (!solids || about.deforms) {
      const bytes = new Uint8Array(block());
      // What has not changed since the frame before is zero.
      if (bytes.length === known.length) bytes.forEach((_, i) => (bytes[i] ^= known[i]));
      known = bytes;
      solids = decode(bytes.slice().buffer) as Solids;
    }
    const head = decode(block()) as Frame;
    const count = particles * 3;
    const [low, high] = [taken(count), taken(count)];
    const steps = new Uint16Array(count);
    const fits = before.length === count;
    const positions = new Float32Array(count);
    for (let i = 0; i < count; i++) {
      const turned = low[i] | (high[i] << 8);
      steps[i] = (fits ? before[i] : 0) + ((turned >> 1) ^ -(turned & 1));
      const axis = Math.floor(i / particles);
      positions[(i % particles) * 3 + axis] = about.low[axis] + (steps[i] / STEPS) * about.size[axis];
    }
    before = steps;
    const strains = Float32Array.from(taken(particles), (s) => (((s << 24) >> 24) / STRAIN_STEPS) * about.strain);
    frames.push({ frame: { ...head, positions, strains }, topology: topology!, solids });
  }
  return { name: about.name, rate: about.rate, frames };
}
