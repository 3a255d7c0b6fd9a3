// Where frames come from: a simulation that runs, or a run that is played.

import { unpack, type Pack } from "./pack";
import { decode, type Frame, type Solids, type Topology } from "./wire";

export interface Status {
  scene: string;
  playing: boolean;
  speed: number;
  frame: number;
  time: number;
  rate: number;
  size: number;
  fps: number;
  phases: Record<string, number>;
  frame_ms: number;
  strain: number;
  limit: number | null;
  intersections: number | null;
  contacts: number;
  particles: number;
  torn: number | null;
  pieces: number | null;
  pinned: number;
  undo: number;
  done: number;
  fingerprint: string;
  gravity: [number, number, number];
  wind: [number, number, number];
  fan: [number[], number[]] | null;
  friction: number | null;
  fabric: string | null;
  cuts: boolean;
}

export interface Hello {
  scenes: { name: string; summary: string }[];
  fabrics: { name: string; summary: string }[];
  own: string;
}

export interface Listener {
  topology(topology: Topology): void;
  solids(solids: Solids): void;
  frame(frame: Frame): void;
  status(status: Status): void;
  hello(hello: Hello): void;
  notice(level: string, text: string): void;
  scene(text: string): void;
  connected(is: boolean): void;
}

/** A simulation on the server. A socket that breaks is opened again. */
export class Live {
  private socket: WebSocket | null = null;
  private wait = 250;
  received = 0;

  constructor(private readonly to: Listener) {
    this.connect();
  }

  private connect() {
    const address = new URL("live", location.href);
    address.protocol = "ws:";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = 250;
      this.to.connected(true);
    };
    socket.onmessage = (event) => this.hear(event.data);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.to.connected(false);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, 4000);
    };
    this.socket = socket;
  }

  private hear(data: string | ArrayBuffer) {
    if (typeof data !== "string") {
      const message = decode(data);
      this.received += 1;
      if (message.kind === "frame") this.to.frame(message);
      else if (message.kind === "topology") this.to.topology(message);
      else this.to.solids(message);
      return;
    }
    const message = JSON.parse(data);
    if (message.say === "status") this.to.status(message);
    else if (message.say === "hello") this.to.hello(message);
    else if (message.say === "notice") this.to.notice(message.level, message.text);
    else if (message.say === "scene") this.to.scene(message.text);
  }

  say(message: object) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  act(action: object) {
    this.say({ say: "act", act: action });
  }
}

/** The frames of a run, wherever they are. */
interface Store {
  name: string;
  rate: number;
  frames: number[];
  /** The frame at a place of the list, with what it needs. */
  load(index: number): Promise<Loaded>;
}

interface Loaded {
  frame: Frame;
  topology: Topology;
  solids: Solids;
}

/** Plays a run: a timeline of its own in every page. */
export class Player {
  playing = true;
  speed = 1;
  index = 0;
  private clock = 0;
  private shown = -1;
  private busy = false;
  private topology: Topology | null = null;
  private solids: Solids | null = null;

  constructor(
    readonly store: Store,
    private readonly to: Listener,
  ) {}

  /** Goes on by some time [s]. */
  advance(seconds: number) {
    if (this.playing) {
      this.clock += seconds * this.speed * this.store.rate;
      const last = this.store.frames.length - 1;
      if (this.clock > last) this.clock = last > 0 ? this.clock % last : 0;
      this.index = Math.floor(this.clock);
    }
    void this.show();
  }

  seek(index: number) {
    this.index = Math.max(0, Math.min(this.store.frames.length - 1, index));
    this.clock = this.index;
    void this.show();
  }

  private async show() {
    if (this.busy || this.shown === this.index) return;
    this.busy = true;
    const index = this.index;
    try {
      const { frame, topology, solids } = await this.store.load(index);
      if (topology !== this.topology) this.to.topology((this.topology = topology));
      if (solids !== this.solids) this.to.solids((this.solids = solids));
      this.to.frame(frame);
      this.shown = index;
    } catch (error) {
      this.playing = false;
      this.shown = index;
      this.to.notice("error", String(error));
    } finally {
      this.busy = false;
    }
  }
}

async function fetched(what: string): Promise<Response> {
  const response = await fetch(what);
  if (!response.ok) throw new Error(await response.text());
  return response;
}

/** A run in a folder of the server's; frames come as they are wanted, and the last ones stay. */
export async function served(): Promise<Store> {
  const about = await (await fetched("run/about")).json();
  const binary = async <T>(what: string) => decode(await (await fetched(what)).arrayBuffer()) as T;
  const kept = new Map<string, Promise<unknown>>();
  const keep = <T>(what: string): Promise<T> => {
    let found = kept.get(what) as Promise<T> | undefined;
    if (!found) {
      found = binary<T>(what);
      kept.set(what, found);
      if (kept.size > 400) kept.delete(kept.keys().next().value!);
    }
    return found;
  };
  const numbers: number[] = about.frames;
  return {
    name: about.name,
    rate: about.rate,
    frames: numbers,
    async load(index) {
      for (const ahead of [index + 1, index + 2]) {
        if (ahead < numbers.length) keep(`run/frame/${numbers[ahead]}`).catch(() => undefined);
      }
      const frame = await keep<Frame>(`run/frame/${numbers[index]}`);
      const topology = await keep<Topology>(`run/topology/${frame.topology}`);
      const solids = await keep<Solids>(about.deforms ? `run/solids/${frame.number}` : "run/solids");
      return { frame, topology, solids };
    },
  };
}

/** A run within the page. */
export async function packed(): Promise<Store> {
  const text = document.getElementById("pack")!.textContent!;
  const pack: Pack = await unpack(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
  return {
    name: pack.name,
    rate: pack.rate,
    frames: pack.frames.map((entry) => entry.frame.number),
    load: async (index) => pack.frames[index],
  };
}
